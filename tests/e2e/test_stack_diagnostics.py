"""A developer's walk through the stack: learned, looked at, corrected, rejected, deleted."""

import uuid
from dataclasses import replace
from typing import Any

import pytest

from tests.support.deployment import Account, Control, Deployment

SAID = "I only drink oat milk in my coffee."
ASKED = "Which milk do I drink in my coffee?"
SCOPES = ["debug:read", "debug:write", "turns:read"]


@pytest.fixture
def developer(ada: Account, target: Deployment, control: Control) -> Account:
    """The account with a developer's token, and with the scopes as an array claim."""
    name = f"developer-{uuid.uuid4().hex[:8]}"
    token = control.issuer.token(name, developer=True, scope=SCOPES)
    return replace(ada, token=token)


def test_a_memory_is_corrected_rejected_and_deleted(target: Deployment, developer: Account) -> None:
    """Each step shows in the very next prompt, and at the end nothing of it can be read."""
    said = developer.say(developer.session(), SAID)
    job = developer.ended(said["extraction"]["job_id"])
    [memory_id, *others] = job["result"]["stored"]
    for other in others:
        developer.call("DELETE", f"/v1/debug/memories/{other}")
    path = f"/v1/debug/memories/{memory_id}"

    [source] = developer.get(f"{path}/evidence")["items"]
    target.tell(f"evidence: {source}")
    assert source["turn_id"] == said["user_turn"]["id"]
    assert source["source"] == {"state": "current"}
    assert all(citation["text"] in SAID for citation in source["citations"])

    words = "The user drinks barley milk in coffee."
    memory = developer.get(path)
    content = {name: memory[name] for name in CONTENT} | {"title": "Coffee", "text": words}
    judged = judge(developer, path, "correct", memory["revision"], content=content)
    assert judged["revision"] == memory["revision"] + 1
    line = recalled(developer, memory_id)
    target.tell(f"prompt holds: {line}")
    assert line is not None
    assert "barley milk" in line

    judge(developer, path, "reject", judged["revision"])
    assert recalled(developer, memory_id) is None

    assert developer.call("DELETE", path).status_code == 204
    gone = [path, f"{path}/revisions", f"{path}/references", f"{path}/evidence"]
    answers = [developer.call("GET", each) for each in gone]
    assert {(a.status_code, a.json()["code"]) for a in answers} == {(410, "CONTENT_DELETED")}
    assert developer.get(f"/v1/turns/{said['user_turn']['id']}")["content"] == SAID


def test_the_door_asks_for_more_than_a_valid_token(ada: Account) -> None:
    """An account's own token, without developer access: the same 403 for any memory."""
    answers = [
        ada.call("GET", "/v1/debug/memories"),
        ada.call("GET", "/v1/debug/memories/mem_01M2ZAZZG0DPD0QTFYEQ2PDXBY"),
    ]
    assert [answer.status_code for answer in answers] == [403, 403]


CONTENT = ("kind", "title", "text", "importance", "labels", "subject", "topic")


def judge(account: Account, path: str, action: str, revision: int, **more: Any) -> Any:
    """Give feedback; what came of it."""
    body = {"action": action, "expected_revision": revision, "idempotency_key": str(uuid.uuid4())}
    answer = account.call("POST", f"{path}/feedback", body | more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def recalled(account: Account, memory_id: str) -> str | None:
    """The memory's line in the prompt of a new session's question, if it has one."""
    answer = account.say(account.session(), ASKED)
    lines = {m["memory_id"]: m["line"] for m in answer["context"]["memories"]}
    return lines.get(memory_id)
