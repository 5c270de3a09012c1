"""Requests for checkpoints, for tests that are about something else."""

import json
from typing import Any

from strandline import keys
from strandline.item_codec import decode, encode
from strandline.models.checkpoint import Checkpoint, with_commit_hash
from strandline.writes import put
from tests.support.extraction_replies import reply, said_in
from tests.support.world import Reply, World


def new_space(world: World, account: str = "ada", name: str = "Trip") -> str:
    """A new space's id."""
    return str(world.call("POST", "/v1/spaces", {"name": name}, account=account)["id"])


def commit(world: World, space_id: str, title: str = "Done", **how: Any) -> Reply:
    """A commit; `account` and `headers` are the request's, the rest its body."""
    account, headers = how.pop("account", "ada"), how.pop("headers", None)
    path = f"/v1/spaces/{space_id}/checkpoints"
    return world.call("POST", path, {"title": title, **how}, account=account, headers=headers)


def mount(world: World, session_id: str, checkpoint_id: str, account: str = "ada") -> Reply:
    """Mount a checkpoint in a session."""
    body = {"checkpoint_id": checkpoint_id}
    return world.call("PUT", f"/v1/sessions/{session_id}/mount", body, account=account)


def unmount(world: World, session_id: str, account: str = "ada") -> Reply:
    """Mount nothing in a session."""
    return world.call("DELETE", f"/v1/sessions/{session_id}/mount", account=account)


def script_extraction(world: World, by_words: dict[str, dict[str, Any]]) -> None:
    """The background model finds that memory in every exchange whose user says those words.

    Asked for a draft it has none.
    """

    def answer(messages: Any) -> str:
        if "turns" in json.loads(messages[-1].content):
            return json.dumps({"title": "Nothing yet", "decisions": []})
        said = said_in(messages)
        return reply(*(memory for words, memory in by_words.items() if words in said))

    world.background.default = answer


def recalled(world: World, question: str, **where: str) -> str:
    """Everything that recall gives for a question, as one text."""
    query = "&".join(f"{name}={value}" for name, value in where.items())
    asked = question.replace(" ", "+")
    found = world.call("GET", f"/v1/recall?q={asked}&limit=100&{query}")
    assert found.status == 200
    return json.dumps(found["items"])


def stored(world: World, checkpoint_id: str, account: str = "ada") -> dict[str, Any]:
    """A checkpoint's row."""
    row = world.runtime.table.get(keys.checkpoint(account, checkpoint_id))
    assert row is not None
    return row


def alter_stored(world: World, checkpoint_id: str, *, seal: bool = False, **fields: Any) -> None:
    """Change a checkpoint in the table, behind the product's back; sealed anew if asked."""
    row = stored(world, checkpoint_id) | fields
    if seal:
        own = {name: row[name] for name in ("pk", "sk")}
        row = encode(with_commit_hash(decode(Checkpoint, row))) | own
    world.runtime.table.write(put(keys.checkpoint("ada", checkpoint_id), row))
