"""A correction: the user's own revision, protected, embedded anew, in the very next recall."""

import json
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from strandline import keys
from strandline.errors import ModelTimeout, ModelUnavailable
from strandline.language.statements import statement_fingerprints
from strandline.memories import derivation_walk
from strandline.models.memory import Author, Memory, Reference
from strandline.queue import Queue
from strandline.store.memories import suppressed_statements
from tests.support import invariants
from tests.support.comparisons import assert_problem
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.feedback_requests import (
    correct,
    correction_content,
    events_after,
    give_feedback,
    head,
    recalled,
    status,
    stored_memory,
)
from tests.support.logs_and_metrics import metrics
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import World


def referring(world: World, target: Memory, text: str) -> Memory:
    """A stored memory that refers to the target's current revision."""
    said = world.say(world.session(), text)
    pinned = Reference(memory_id=target.id, revision=target.revision)
    memory = make_memory(world, text, text, said["user_turn"]["id"])
    memory = memory.model_copy(update={"references": (pinned,)})
    store_memories(world, memory)
    return memory


def test_a_correction_is_a_revision_of_the_users_own(world: World) -> None:
    """Whole: its words as they were sent, its source still to be seen, its earlier revision."""
    memory = stored_memory(world, "The user lives in Oslo.", "home city")
    world.clock.advance(hours=1)
    reply = correct(world, memory.id, 1)
    assert (reply.status, reply["revision"], reply["freshness"]) == (200, 2, "current")
    made = head(world, memory).memory
    prints = (*statement_fingerprints(made), *memory.fingerprints)
    assert made == memory.model_copy(
        update={
            **correction_content(labels=("home",)),
            "revision": 2,
            "author": Author.USER,
            "references": (Reference(memory_id=memory.id, revision=1),),
            "fingerprints": prints,
            "updated_at": world.clock(),
        }
    )
    shown = world.call("GET", f"/v1/memories/{memory.id}").body
    assert (shown["text"], shown["author"], shown["maturity"]) == (
        "The user lives in Bergen.",
        "user",
        "settled",
    )
    assert [each["quote"] for each in shown["evidence"]] == ["The"]
    invariants.hold(world)


def test_words_are_folded_as_extraction_folds_them(world: World) -> None:
    """One line for all but the text; labels once; the user by one name; the text's language."""
    memory = stored_memory(world, "The user lives in Oslo.")
    reply = correct(
        world,
        memory.id,
        1,
        title=" Ein\n Zuhause ",
        text=" Ich wohne in Bergen\nund nicht in Oslo. ",
        labels=["home", " home\t", "city"],
        subject="The User",
        topic=" home  city ",
        importance=1,
    )
    assert reply.status == 200
    made = head(world, memory).memory
    assert (made.title, made.text, made.labels, made.subject, made.topic, made.language) == (
        "Ein Zuhause",
        "Ich wohne in Bergen\nund nicht in Oslo.",
        ("home", "city"),
        "user",
        "home city",
        "de",
    )
    assert made.importance == 1.0


def test_the_very_next_prompt_has_the_corrected_words(world: World) -> None:
    """Of a process that knows the old ones already."""
    memory = stored_memory(world, "The user drinks oat milk.")
    world.chat.default = "Understood."
    ask = {"content": "Which milk does the user drink?"}
    session_id = world.session()
    world.say(session_id, **ask)
    assert "oat milk" in world.chat.text()
    correct(world, memory.id, 1, title="Milk", text="The user drinks barley milk.")
    world.say(world.session(), **ask)
    assert "barley milk" in world.chat.text()
    assert "oat milk" not in world.chat.text()


def test_a_corrected_memory_is_found_by_its_new_words_and_not_by_its_old(world: World) -> None:
    """Its vector and its terms are those of the correction."""
    memory = stored_memory(world, "The user rows on Sundays.")
    assert recalled(world, "rows Sundays") == {memory.title}
    words = {"title": "Bees", "text": "Keeps bees nearby", "topic": "", "labels": []}
    correct(world, memory.id, 1, **words)
    assert recalled(world, "rows Sundays") == set()
    assert recalled(world, "keeps bees") == {"Bees"}
    world.cold()
    assert (recalled(world, "rows Sundays"), recalled(world, "keeps bees")) == (set(), {"Bees"})
    invariants.hold(world)


@pytest.mark.parametrize(
    ("failure", "status"), [(ModelUnavailable(), 502), (ModelTimeout(), 504)], ids=["502", "504"]
)
def test_a_correction_that_cant_be_embedded_changes_nothing(
    world: World, failure: Exception, status: int
) -> None:
    """Nor does it take its key: the same request does it later."""
    memory = stored_memory(world, "The user lives in Oslo.")
    rows = world.rows()
    key = "0d9c9e3e-8a57-4d3c-9a52-4b1a7d6a7f10"
    world.embedder.failure = failure
    refused = give_feedback(
        world, memory.id, "correct", 1, idempotency_key=key, content=correction_content()
    )
    assert refused.status == status
    assert world.rows() == rows
    world.embedder.failure = None
    assert (
        give_feedback(
            world, memory.id, "correct", 1, idempotency_key=key, content=correction_content()
        ).status
        == 200
    )


def test_a_vector_that_cant_be_ranked_isnt_stored(world: World) -> None:
    """A reply of the embedder's that can't be used is a failure of the model's."""
    memory = stored_memory(world, "The user lives in Oslo.")
    rows = world.rows()
    world.embedder.vectors[correction_content()["text"]] = [0.0] * world.embedder.space.dimensions
    assert_problem(correct(world, memory.id, 1), 502, "MODEL_REPLY_INVALID")
    assert world.rows() == rows


def test_the_same_words_again_change_nothing(world: World) -> None:
    """A second correction to just this; the first of them made the words the user's."""
    memory = stored_memory(world, "The user lives in Oslo.")
    assert correct(world, memory.id, 1)["changed"] != []
    asked, rows = len(world.embedder.asked), without_keys(world)
    again = correct(world, memory.id, 2)
    assert (again.status, again["revision"], again["changed"]) == (200, 2, [])
    assert (len(world.embedder.asked), without_keys(world)) == (asked, rows)


def test_a_correction_to_the_extracted_words_protects_them(world: World) -> None:
    """Nothing but the author is another."""
    memory = stored_memory(world, "The user lives in Oslo.")
    same = {name: getattr(memory, name) for name in correction_content() if name != "labels"}
    reply = correct(world, memory.id, 1, **same, labels=[])
    assert (reply["revision"], reply["changed"]) == (2, ["author", "references"])
    assert head(world, memory).memory.author is Author.USER


def test_a_correction_may_say_what_another_memory_says(world: World) -> None:
    """The graph keeps both."""
    memory, other = (
        stored_memory(world, "The user rows."),
        stored_memory(world, "The user keeps bees."),
    )
    assert correct(world, memory.id, 1, title=other.title, text=other.text).status == 200
    assert {m["text"] for m in world.memories()} == {other.text}
    assert len(world.memories()) == 2
    invariants.hold(world)


def test_what_refers_to_a_corrected_memory_is_stale_at_once(world: World) -> None:
    """Over any number of steps, with one job that brings it up to date; what only shares its
    turn isn't.
    """
    memory = stored_memory(world, "The user lives in Oslo.")
    near = referring(world, memory, "Near to it.")
    far = referring(world, near, "Far from it.")
    aside = stored_memory(world, "Aside of it.")
    world.drain()
    before = len(world.call("GET", "/v1/events?limit=100")["items"])
    correct(world, memory.id, 1)
    stale = {m.id for m in (memory, near, far, aside) if status(world, m).stale_since}
    assert stale == {near.id, far.id}
    [job] = [row for row in world.rows() if row.get("memory_id") == memory.id and "kind" in row]
    assert (job["kind"], job["state"]) == ("reconciliation", "queued")
    [message] = world.sqs.receive_message(QueueUrl=world.data.queue_url)["Messages"]
    assert json.loads(message["Body"]) == {"account": "ada", "job_id": job["id"]}
    told = {(name, changed) for _, name, _, changed in events_after(world, before)[1:]}
    assert told == {(near.id, ("freshness",)), (far.id, ("freshness",))}
    assert recalled(world, "Near to it") <= {aside.title, "Home"}
    invariants.hold(world)


def test_what_comes_to_refer_to_it_at_the_same_time_is_stale_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have been made from the earlier words: it gets its job after the correction."""
    memory = stored_memory(world, "The user lives in Oslo.")
    made: list[Memory] = []
    referring_now = derivation_walk.find_referring

    def nothing_yet(*given: Any) -> set[str]:
        found = referring_now(*given)
        monkeypatch.undo()
        made.append(referring(world, memory, "Near to it."))
        return found

    monkeypatch.setattr(derivation_walk, "find_referring", nothing_yet)
    assert correct(world, memory.id, 1).status == 200
    assert status(world, made[0]).stale_since is not None
    [job] = [row for row in world.rows() if row.get("kind") == "reconciliation" and "state" in row]
    assert (job["state"], job["memory_id"]) == ("queued", memory.id)
    invariants.hold(world)


def test_a_correction_that_nothing_refers_to_makes_no_job(world: World) -> None:
    """Nor does its own earlier revision count."""
    memory = stored_memory(world, "The user lives in Oslo.")
    world.drain()
    correct(world, memory.id, 1)
    correct(world, memory.id, 2, text="The user lives in Moss.")
    assert world.waiting() == 0


def test_a_queue_that_refuses_the_job_doesnt_take_the_correction_back(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """200, counted and logged; maintenance sends the job when its time has come."""
    memory = stored_memory(world, "The user lives in Oslo.")
    near = referring(world, memory, "Near to it.")
    refusal = ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "SendMessage")

    class Refusing:
        def send_message(self, **_: Any) -> None:
            raise refusal

    world.runtime = replace(world.runtime, queue=Queue(Refusing(), "refusing"))
    world.use()
    assert correct(world, memory.id, 1).status == 200
    assert status(world, near).stale_since is not None
    assert metrics(capsys.readouterr().out).count("JobNotSent") == 1
    invariants.hold(world)


def test_what_was_corrected_isnt_to_be_learned_again(world: World) -> None:
    """The old words are kept as rejected ones, as hashes; the new ones aren't."""
    memory = stored_memory(world, "The user lives in Oslo.")
    correct(world, memory.id, 1)
    now = head(world, memory).memory
    assert held(world) == dict.fromkeys(statement_fingerprints(memory), (memory.id, 1))
    back = {"title": "Home", "text": memory.text}
    correct(world, memory.id, 2, **back)
    assert held(world) == dict.fromkeys(statement_fingerprints(now), (memory.id, 2))


def test_a_rejection_is_of_what_the_revision_says(world: World) -> None:
    """It is kept while it stands, and taken back with it, by whichever verdict."""
    memory, twin = stored_memory(world, "The user rows."), stored_memory(world, "The user rows.")
    prints = statement_fingerprints(memory)
    for takes_back in ("unreview", "confirm"):
        give_feedback(world, memory.id, "reject", 1)
        assert held(world) == dict.fromkeys(prints, (memory.id, 1))
        give_feedback(world, memory.id, takes_back, 1)
        assert held(world) == {}
    give_feedback(world, memory.id, "reject", 1)
    give_feedback(world, twin.id, "reject", 1)
    give_feedback(world, memory.id, "unreview", 1)
    assert held(world) == dict.fromkeys(prints, (twin.id, 1))
    correct(world, twin.id, 1, title="Rows", text=twin.text)
    assert held(world) == {}


def held(world: World) -> dict[str, tuple[str, int]]:
    """The rejections that are kept, by fingerprint."""
    pk = keys.rejected_statement("ada", "").pk
    prints = [row["sk"] for row in world.rows() if row["pk"] == pk]
    found = suppressed_statements.find_rejections(world.runtime.table, "ada", prints)
    return {each: (it.memory_id, it.revision) for each, it in found.items()}


def without_keys(world: World) -> list[dict[str, Any]]:
    return [row for row in world.rows() if not row["sk"].startswith("ONCE#")]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_correction_that_was_killed_anywhere_is_whole_or_not_given(
    world: World, after: bool
) -> None:
    """Sent again with its key, it is given once; its job marks what it left unmarked."""
    memory = stored_memory(world, "The user lives in Oslo.")
    near = referring(world, memory, "Near to it.")
    before, key = world.rows(), "0d9c9e3e-8a57-4d3c-9a52-4b1a7d6a7f10"
    client = CrashingClient(world.client, at=0, after=False)
    world.go_through(client)
    give_feedback(world, memory.id, "correct", 1, idempotency_key=key, content=correction_content())
    for number in range(1, client.writes + 1):
        world.put_back(before)
        world.go_through(CrashingClient(world.client, at=number, after=after))
        with pytest.raises(Crashed):
            give_feedback(
                world, memory.id, "correct", 1, idempotency_key=key, content=correction_content()
            )
        world.go_through(world.client)
        invariants.hold(world)
        again = give_feedback(
            world, memory.id, "correct", 1, idempotency_key=key, content=correction_content()
        )
        assert (again.status, again["revision"]) == (200, 2)
        assert head(world, memory).memory.revision == 2
        jobs = [row for row in world.rows() if row.get("kind") == "reconciliation"]
        opened = [job for job in jobs if job["sk"].startswith("JOB#") and "state" in job]
        assert [job["state"] for job in opened] == ["queued"]
        assert status(world, near).stale_since is not None or opened
