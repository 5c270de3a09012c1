"""Checkpoints through all that is deployed: the walk of the README, forks, and whose they are."""

from typing import Any

from tests.support.api_clients import ApiClient, HttpClient
from tests.support.deployment import Account, Deployment
from tests.support.scenario_steps import ask, commit, mount, new_session, new_space, succeed

SAID = "We decided to spend two weeks in Australia."
LATER = "Let us add New Zealand, too."


def drafted(client: ApiClient, session_id: str) -> Any:
    """A draft of what the session shows."""
    return succeed(client, "POST", "/v1/checkpoints/draft", {"session_id": session_id})


def test_draft_commit_mount_ask_unmount(target: Deployment, client: HttpClient) -> None:
    """What came after the checkpoint is not in the prompt while it is mounted, and back after."""
    space_id = new_space(client)
    session_id = new_session(client, space_id)
    said = ask(client, session_id, SAID).answer["user_turn"]
    draft = drafted(client, session_id)
    [decision] = draft["decisions"]
    target.tell(f"drafted: {decision['text']}")
    [source] = decision["citations"]
    assert (source["turn_id"], draft["from_sequence"], draft["to_sequence"]) == (said["id"], 1, 2)

    checkpoint = succeed(client, "POST", f"/v1/spaces/{space_id}/checkpoints", draft)
    assert checkpoint["decisions"] == [decision["text"]]
    assert succeed(client, "GET", f"/v1/checkpoints/{checkpoint['id']}") == checkpoint
    sources = succeed(client, "GET", f"/v1/checkpoints/{checkpoint['id']}/turns")["items"]
    assert [turn["sequence_number"] for turn in sources] == [1, 2]

    ask(client, session_id, LATER)
    session = mount(client, session_id, checkpoint["id"])
    assert session["mount"] == {"checkpoint_id": checkpoint["id"], "history_base_seq": 4}
    empty = drafted(client, session_id)
    assert (empty["decisions"], empty["model"]) == ([], None)
    asked = ask(client, session_id, "Where were we?")
    assert asked.answer["context"]["mode"] == "MOUNTED"
    assert asked.shows(f"- {decision['text']}")
    assert asked.leaks(LATER) == []

    assert succeed(client, "DELETE", f"/v1/sessions/{session_id}/mount")["mount"] is None
    asked = ask(client, session_id, "And now?")
    assert asked.answer["context"]["mode"] == "HEAD"
    assert asked.shows(LATER)


def test_a_fork_goes_its_own_way(client: HttpClient) -> None:
    """It begins empty at the checkpoint, commits to a branch of its own, and can be compared."""
    space_id = new_space(client)
    session_id = new_session(client, space_id)
    ask(client, session_id, SAID)
    where = {"session_id": session_id, "summary": "Two weeks."}
    root = commit(client, space_id, "Begun", **where, decisions=["Two weeks"])
    ask(client, session_id, LATER)
    main = commit(client, space_id, "Main", **where, decisions=["Two weeks", "New Zealand as well"])

    fork = succeed(client, "POST", f"/v1/checkpoints/{root['id']}/fork", {"branch": "short"})
    assert (fork["branch"], fork["seeded_checkpoint_id"]) == ("short", root["id"])
    assert succeed(client, "GET", f"/v1/sessions/{fork['id']}/turns")["items"] == []
    asked = ask(client, fork["id"], "Let us stay at home instead.")
    assert asked.shows("Two weeks.")
    assert asked.leaks(LATER) == []
    other = commit(client, space_id, "Short", session_id=fork["id"], decisions=["Stay at home"])

    assert (other["branch"], other["parent_id"]) == ("short", root["id"])
    lineage = succeed(client, "GET", f"/v1/spaces/{space_id}/lineage")
    assert lineage["heads"] == {"main": main["id"], "short": other["id"]}
    compared = succeed(client, "GET", f"/v1/checkpoints/{main['id']}/compare?with={other['id']}")
    assert compared["common_ancestor"]["id"] == root["id"]
    assert compared["decisions"]["only_in_b"] == ["Stay at home"]


def test_a_foreign_checkpoint_is_missing(ada: Account, bob: Account, client: HttpClient) -> None:
    """Read, forked, compared, mounted or drafted from: to bob the 404 of what isn't there."""
    space_id = new_space(client)
    session_id = new_session(client, space_id)
    ask(client, session_id, SAID)
    own = commit(client, space_id, session_id=session_id)["id"]
    theirs = bob.session()

    def refused(checkpoint_id: str, space_id: str, session_id: str) -> list[Any]:
        path, body = f"/v1/checkpoints/{checkpoint_id}", {"checkpoint_id": checkpoint_id}
        answers = [
            *(bob.call("GET", f"{path}{what}") for what in ("", "/turns", "/notes", "/pack")),
            bob.call("GET", f"{path}/compare?with={checkpoint_id}"),
            bob.call("POST", f"{path}/fork", {}),
            bob.call("POST", f"{path}/review"),
            bob.call("PUT", f"/v1/sessions/{theirs}/mount", body),
            bob.call("PUT", f"/v1/sessions/{session_id}/mount", body),
            bob.call("POST", f"/v1/spaces/{space_id}/checkpoints", {"title": "Mine now"}),
            bob.call("GET", f"/v1/spaces/{space_id}/lineage"),
            bob.call("POST", "/v1/checkpoints/draft", {"session_id": session_id}),
        ]
        return [(answer.status_code, answer.json()["detail"]) for answer in answers]

    foreign = refused(own, space_id, session_id)
    missing = refused(*(f"{each[:-4]}aaaa" for each in (own, space_id, session_id)))
    assert foreign == missing
    assert {status for status, _ in foreign} == {404}
    assert ada.get(f"/v1/checkpoints/{own}")["id"] == own
    assert ada.get(f"/v1/spaces/{space_id}/lineage")["heads"] == {"main": own}
