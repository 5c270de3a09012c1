"""The isolation fixture's edge cases beside its scenario, each through any client."""

from collections.abc import Callable
from typing import Any

from tests.support.api_clients import ApiClient, ModelInputs
from tests.support.scenario_steps import ask, commit, mount, new_session, new_space, succeed


def _begun(client: ApiClient) -> tuple[str, str, str]:
    """A space, a session in it with one exchange, and a checkpoint that covers it."""
    space_id = new_space(client)
    session_id = new_session(client, space_id)
    ask(client, session_id, "The first words.")
    made = commit(client, space_id, session_id=session_id, summary="The first summary.")
    return space_id, session_id, made["id"]


def in_an_empty_session(client: ApiClient) -> None:
    """The boundary is 0: nothing of the session lies behind it."""
    space_id, _, checkpoint_id = _begun(client)
    session_id = new_session(client, space_id)
    assert mount(client, session_id, checkpoint_id)["mount"]["history_base_seq"] == 0
    ask(client, session_id, "My code word is teal.")
    asked = ask(client, session_id, "What is my code word?")
    assert asked.shows("My code word is teal.")
    assert asked.leaks("The first words.") == []


def at_the_boundary(client: ApiClient) -> None:
    """A message's own boundary 4 hides turn 3, and turn 5 is in the prompt.

    What a model answers to turn 5 may well quote turn 3: it is the user's own line that counts.
    """
    _, session_id, checkpoint_id = _begun(client)
    for content in ("This is turn <3>.", "This is turn <5>."):
        ask(client, session_id, content)
    own = {"mounted_checkpoint_id": checkpoint_id, "history_base_seq": 4}
    asked = ask(client, session_id, "This is turn <7>.", **own)
    assert asked.answer["context"]["history"] == {"from_sequence": 5, "to_sequence": 6, "turns": 2}
    assert asked.shows("User: This is turn <5>.")
    assert asked.leaks("User: This is turn <3>.") == []


def many_pairs(client: ApiClient) -> None:
    """Twenty pairs fit, whole and oldest first; the five oldest are cut."""
    space_id, _, checkpoint_id = _begun(client)
    session_id = new_session(client, space_id)
    mount(client, session_id, checkpoint_id)
    path = f"/v1/sessions/{session_id}/messages"
    for number in range(25):
        succeed(client, "POST", path, {"content": f"Pair number <{number}>.", "recall": "off"})
    asked = ask(client, session_id, "And now?", recall="off")
    for prompt in asked.prompts:
        places = [prompt.find(f"User: Pair number <{number}>.") for number in range(25)]
        assert places[:5] == [-1] * 5
        assert -1 not in places[5:]
        assert places[5:] == sorted(places[5:])


def not_found(client: ApiClient) -> None:
    """404 in both forms, no model is called, and what was mounted stays mounted."""
    other, _, checkpoint_id = _begun(client)
    stranger = client.stranger()
    wrong = {
        "unknown": "chk_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "malformed": "chk_#/../%",
        "foreign": commit(stranger, new_space(stranger))["id"],
        "of another space": checkpoint_id,
    }
    space_id, session_id, mounted = _begun(client)
    assert other != space_id
    before = mount(client, session_id, mounted)
    heard = client.listen()
    answers = []
    for named in wrong.values():
        body = {"checkpoint_id": named}
        answers.append(client.call("PUT", f"/v1/sessions/{session_id}/mount", body))
        own = {"content": "Hello?", "mounted_checkpoint_id": named, "history_base_seq": 0}
        answers.append(client.call("POST", f"/v1/sessions/{session_id}/messages", own))
    assert [(status, body["code"]) for status, body in answers] == [(404, "NOT_FOUND")] * 8
    assert len({body["detail"] for _, body in answers}) == 1
    _nothing_came_of(client, session_id, before, heard)


def half_a_mount(client: ApiClient) -> None:
    """400 either way, no model is called and nothing is stored."""
    _, session_id, checkpoint_id = _begun(client)
    before = succeed(client, "GET", f"/v1/sessions/{session_id}")
    heard = client.listen()
    for half in ({"mounted_checkpoint_id": checkpoint_id}, {"history_base_seq": 2}):
        body = {"content": "Hello?", **half}
        status, answer = client.call("POST", f"/v1/sessions/{session_id}/messages", body)
        assert (status, answer["code"]) == (400, "INVALID")
    _nothing_came_of(client, session_id, before, heard)


def _nothing_came_of(
    client: ApiClient, session_id: str, before: Any, heard: ModelInputs | None
) -> None:
    assert [text for text in (heard() if heard else ()) if "Hello?" in text] == []
    assert succeed(client, "GET", f"/v1/sessions/{session_id}") == before
    turns = succeed(client, "GET", f"/v1/sessions/{session_id}/turns")["items"]
    assert "Hello?" not in [turn["content"] for turn in turns]


ALSO: dict[str, Callable[[ApiClient], None]] = {
    "mount in an empty session: the first turn sent afterwards is in the second prompt": (
        in_an_empty_session
    ),
    "boundary N: turn N is hidden, turn N+1 is visible": at_the_boundary,
    "25 pairs after the mount: the newest are in the prompt, the oldest are cut": many_pairs,
    "unknown, malformed, foreign or other-space checkpoint: 404, nothing changes": not_found,
    "mounted_checkpoint_id without history_base_seq, or the other way round: 400": half_a_mount,
}
"""By the fixture's own words."""
