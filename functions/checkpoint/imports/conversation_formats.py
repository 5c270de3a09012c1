"""Conversations as JSON: a list of messages as model APIs take them, or ChatGPT's export. Pure.

Everything here raises Invalid with a plain reason, and nothing else, for what it can't read.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from functions.checkpoint.imports.transcript_parser import Said, Skipped, Transcript
from strandline.errors import Invalid
from strandline.models.turn import Role

_ROLES = {
    **dict.fromkeys(("user", "human"), Role.USER),
    **dict.fromkeys(("assistant", "ai", "model"), Role.ASSISTANT),
}
_ASIDE = frozenset({"system", "developer", "tool", "function"})
_TEXTS = frozenset({"text", "input_text", "output_text", "audio_transcription"})
_TIMES = ("created_at", "create_time", "timestamp")
_SHOWN = frozenset({"text", "multimodal_text", "code", "execution_output"})
"""The content types of ChatGPT's export that are messages, not a model's thoughts or settings."""


@dataclass(frozen=True, slots=True)
class _Read:
    """One message: what was said, if anything, and what of it is left out."""

    said: Said | None
    skipped: tuple[Skipped, ...] = ()


def of_messages(messages: list[Any]) -> Transcript:
    """Messages of the OpenAI and Anthropic form: contents are strings or lists of parts."""
    read = [_message(f"messages[{number}]", each) for number, each in enumerate(messages)]
    return _transcript(read, None)


def of_export(conversation: Mapping[str, Any]) -> Transcript:
    """A conversation of ChatGPT's export: the path of its tree that was shown last.

    Messages off that path (replaced ones) are skipped with a reason, as are hidden ones.
    """
    mapping = conversation.get("mapping")
    if not isinstance(mapping, dict):
        raise Invalid("conversation.mapping must be an object of nodes.")
    path = _path(mapping, conversation.get("current_node"))
    read, shown = [_node(name, mapping[name]) for name in path], set(path)
    aside = (_node(name, each) for name, each in mapping.items() if name not in shown)
    replaced = [
        Skipped(
            reason="replaced by another version", role=each.said.role, content=each.said.content
        )
        for each in aside
        if each.said is not None
    ]
    title = conversation.get("title")
    found = _transcript(read, title if isinstance(title, str) and title.strip() else None)
    return Transcript(found.said, (*found.skipped, *replaced), found.title)


def _transcript(read: list[_Read], title: str | None) -> Transcript:
    said = tuple(each.said for each in read if each.said is not None)
    return Transcript(said, tuple(skip for each in read for skip in each.skipped), title)


def _message(where: str, message: Any) -> _Read:
    if not isinstance(message, dict):
        raise Invalid(f"{where} must be an object with role and content.")
    name = message.get("role")
    if not isinstance(name, str) or name.lower() not in _ROLES.keys() | _ASIDE:
        raise Invalid(f"{where}.role must be user, assistant, system, developer or tool.")
    texts, left = _parts(where, message.get("content"))
    return _read(name.lower(), "\n\n".join(texts), left, _time(where, message), None)


def _parts(where: str, content: Any) -> tuple[list[str], list[str]]:
    """The texts of a content, and the types of the parts that hold none."""
    if content is None or isinstance(content, str):
        return [content or ""], []
    if not isinstance(content, list):
        raise Invalid(f"{where}.content must be a string or a list of parts.")
    texts, left = [], []
    for number, part in enumerate(content):
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, dict):
            raise Invalid(f"{where}.content[{number}] must be a string or an object.")
        elif str(part.get("type", "text")) in _TEXTS and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            left.append(str(part.get("type", "part"))[:60])
    return texts, left


def _read(
    name: str, content: str, left: list[str], at: datetime | None, model: str | None
) -> _Read:
    skipped = [Skipped(reason=f"a part without text: {kind}", role=name) for kind in left]
    role = _ROLES.get(name)
    if role is None:
        skipped.append(Skipped(reason=f"not a turn: {name}", role=name, content=content))
    elif content.strip():
        return _Read(Said(role, content, at, model), tuple(skipped))
    elif not left:
        skipped.append(Skipped(reason="empty", role=name))
    return _Read(None, tuple(skipped))


def _time(where: str, holder: Mapping[str, Any]) -> datetime | None:
    value = next((holder[name] for name in _TIMES if holder.get(name) is not None), None)
    if value is None:
        return None
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value)
            return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise Invalid(f"{where} has a time that is neither RFC 3339 nor seconds since 1970.")


def _path(mapping: Mapping[str, Any], current: Any) -> list[str]:
    """The names of the nodes from the root to the current one, or to the newest leaf."""
    if current is None:
        current = _newest_leaf(mapping)
    if not isinstance(current, str) or current not in mapping:
        raise Invalid("conversation.current_node names no node of the mapping.")
    path: list[str] = []
    seen: set[str] = set()
    while isinstance(current, str) and current in mapping:
        if current in seen:
            raise Invalid("conversation.mapping goes round in a circle.")
        seen.add(current)
        path.append(current)
        node = mapping[current]
        current = node.get("parent") if isinstance(node, dict) else None
    return path[::-1]


def _newest_leaf(mapping: Mapping[str, Any]) -> str | None:
    parents = {str(node.get("parent")) for node in mapping.values() if isinstance(node, dict)}
    leaves = [name for name in mapping if name not in parents]
    return leaves[-1] if leaves else None


def _node(name: str, node: Any) -> _Read:
    where = f"conversation.mapping[{name[:60]}]"
    if not isinstance(node, dict):
        raise Invalid(f"{where} must be an object.")
    message = node.get("message")
    if message is None:
        return _Read(None)
    author = message.get("author") if isinstance(message, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(author, dict) or not isinstance(content, dict):
        raise Invalid(f"{where}.message must have an author and a content.")
    return _exported(where, message, author, content)


def _exported(
    where: str, message: Mapping[str, Any], author: Mapping[str, Any], content: Mapping[str, Any]
) -> _Read:
    name = str(author.get("role", "")).lower()[:60]
    given = message.get("metadata")
    metadata = given if isinstance(given, dict) else {}
    texts, left = _parts(where, content.get("parts", content.get("text")))
    text = "\n\n".join(each for each in texts if each)
    if reason := _aside(name, message, metadata, content):
        left_out = Skipped(reason=reason, role=name, content=text)
        return _Read(None, (left_out,) if text.strip() else ())
    model = metadata.get("model_slug")
    named = model if isinstance(model, str) and 0 < len(model) <= 200 else None
    return _read(name, text, left, _time(where, message), named)


def _aside(
    name: str, message: Mapping[str, Any], metadata: Mapping[str, Any], content: Mapping[str, Any]
) -> str:
    """Why a node of the export is no turn; empty if it is one."""
    if name not in _ROLES:
        return f"not a turn: {name}"
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden in the conversation"
    if message.get("recipient") not in (None, "all"):
        return "addressed to a tool"
    kind = str(content.get("content_type", "text"))
    return "" if kind in _SHOWN else f"not a message: {kind[:60]}"
