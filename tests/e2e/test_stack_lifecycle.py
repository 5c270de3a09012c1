"""The lifecycle over HTTP through everything that is deployed: said, learned, recalled."""

from tests.support.deployment import CHAT_MODEL, KEY, Account, Control, Deployment
from tests.support.openai_script import Kind, asked
from tests.support.openai_server import failure

SAID = "I only drink oat milk in my coffee."
ASKED = "Which milk do I drink in my coffee?"


def test_what_was_said_is_in_the_prompt_of_a_new_session(target: Deployment, ada: Account) -> None:
    """The reply first, the memory later, with its source; then the memory in the next prompt."""
    session_id = ada.session()
    said = ada.say(session_id, SAID)
    assert said["extraction"]["state"] == "queued"
    job = ada.ended(said["extraction"]["job_id"])
    assert (job["state"], len(job["result"]["stored"]) >= 1) == ("stored", True)

    [memory_id, *_] = job["result"]["stored"]
    memory = ada.get(f"/v1/memories/{memory_id}")
    target.tell(f"memory {memory_id}: {memory['text']}")
    for source in memory["evidence"]:
        turn = ada.get(f"/v1/turns/{source['turn_id']}")
        assert source["quote"] in turn["content"]
    assert said["user_turn"]["id"] in {source["turn_id"] for source in memory["evidence"]}

    answer = ada.say(ada.session(), ASKED)
    recalled = {m["memory_id"]: m for m in answer["context"]["memories"]}
    assert memory_id in recalled
    receipt = ada.get(f"/v1/turns/{answer['assistant_turn']['id']}/receipt")
    assert receipt["prompt_matches"] is True
    assert recalled[memory_id]["line"] in receipt["prompt"]
    target.tell(f"prompt holds: {recalled[memory_id]['line']}")
    if target.control:
        sent = asked(target.control.models, Kind.CHAT, ASKED)
        [request] = [r for r in sent if r.body["model"] == CHAT_MODEL][-1:]
        assert recalled[memory_id]["line"] in str(request.body["messages"])
        assert request.headers["authorization"] == f"Bearer {KEY}"


def test_a_failed_extraction_leaves_what_was_there(ada: Account, control: Control) -> None:
    """The job says failed and why; turns and earlier memories are as they were."""
    session_id = ada.session()
    first = ada.ended(ada.say(session_id, SAID)["extraction"]["job_id"])
    before = ada.get("/v1/memories")["items"]
    control.script.will(Kind.EXTRACTION, "a secret garden", failure(401, "invalid_api_key"))
    said = ada.say(session_id, "I planted a secret garden.", recall="off")
    job = ada.ended(said["extraction"]["job_id"])
    assert (job["state"], bool(job["reason"])) == ("failed", True)
    assert "LEAKED-BODY" not in job["reason"]
    assert len(ada.get(f"/v1/sessions/{session_id}/turns")["items"]) == 4
    after = ada.get("/v1/memories")["items"]
    assert first["result"]["stored"]
    assert after == before


def test_a_failed_embedding_is_told_and_stops_nothing(ada: Account, control: Control) -> None:
    """The answer comes, by words alone or without memories, and its context says which."""
    learned = ada.say(ada.session(), "I am allergic to shellfish.")
    ada.ended(learned["extraction"]["job_id"])
    question = "Is shellfish what I am allergic to?"
    control.script.will(Kind.EMBEDDING, question, *[failure(500)] * 5)
    answer = ada.say(ada.session(), question)
    assert answer["context"]["recall"] == "degraded"
    assert answer["context"]["memories"]


def test_a_failing_model_keeps_the_question(ada: Account, control: Control) -> None:
    """502 names the stored turn; a later reply answers it without storing it twice."""
    session_id = ada.session()
    question = "What is the tide table for tomorrow?"
    control.script.will(Kind.CHAT, question, *[failure(500)] * 5)
    answer = ada.call("POST", f"/v1/sessions/{session_id}/messages", {"content": question})
    assert answer.status_code == 502
    [turn] = ada.get(f"/v1/sessions/{session_id}/turns")["items"]
    control.script.forget(question)
    reply = ada.call("POST", f"/v1/turns/{turn['id']}/reply")
    assert reply.status_code == 201
    contents = [t["content"] for t in ada.get(f"/v1/sessions/{session_id}/turns")["items"]]
    assert contents.count(question) == 1
    assert len(contents) == 2


def test_deleting_a_session_takes_all_of_it(ada: Account) -> None:
    """Gone from every read at once, and the memory that rested on it alone as well."""
    session_id = ada.session()
    said = ada.say(session_id, "I sing in a choir on Thursdays.")
    job = ada.ended(said["extraction"]["job_id"])
    assert ada.call("DELETE", f"/v1/sessions/{session_id}").status_code == 204
    assert ada.call("GET", f"/v1/sessions/{session_id}").status_code == 404
    assert ada.call("GET", f"/v1/turns/{said['user_turn']['id']}").status_code == 404
    left = {memory["id"] for memory in ada.get("/v1/memories?limit=100")["items"]}
    assert not left & set(job["result"]["stored"])
