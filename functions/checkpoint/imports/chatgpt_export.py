"""Reads a conversation of ChatGPT's data export (`conversations.json`). Pure."""

from collections.abc import Mapping
from typing import Any

from functions.checkpoint.imports.message_parts import (
    ROLES,
    ParsedMessage,
    build_message,
    parse_content,
    parse_time,
    to_transcript,
)
from functions.checkpoint.imports.transcript import Skipped, Transcript
from strandline.errors import Invalid

_MESSAGE_CONTENT_TYPES = frozenset({"text", "multimodal_text", "code", "execution_output"})
"""The content types that are messages, not a model's reasoning or settings."""


def parse_chatgpt_export(conversation: Mapping[str, Any]) -> Transcript:
    """Returns the transcript of a conversation: the path of its tree to the current node.

    Messages off that path (replaced ones) are skipped with a reason, as are hidden ones. Raises
    Invalid.
    """
    mapping = conversation.get("mapping")
    if not isinstance(mapping, dict):
        raise Invalid("conversation.mapping must be an object of nodes.")
    path = _path_to_current(mapping, conversation.get("current_node"))
    parsed, shown = [_parse_node(name, mapping[name]) for name in path], set(path)
    off_path = (_parse_node(name, each) for name, each in mapping.items() if name not in shown)
    replaced = [
        Skipped(
            reason="replaced by another version",
            role=each.message.role,
            content=each.message.content,
        )
        for each in off_path
        if each.message is not None
    ]
    title = conversation.get("title")
    found = to_transcript(parsed, title if isinstance(title, str) and title.strip() else None)
    return Transcript(found.messages, (*found.skipped, *replaced), found.title)


def _path_to_current(mapping: Mapping[str, Any], current: Any) -> list[str]:
    """Returns the names of the nodes from the root to the current one, else to the newest leaf."""
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


def _parse_node(name: str, node: Any) -> ParsedMessage:
    where = f"conversation.mapping[{name[:60]}]"
    if not isinstance(node, dict):
        raise Invalid(f"{where} must be an object.")
    message = node.get("message")
    if message is None:
        return ParsedMessage(None)
    author = message.get("author") if isinstance(message, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(author, dict) or not isinstance(content, dict):
        raise Invalid(f"{where}.message must have an author and a content.")
    return _parse_exported(where, message, author, content)


def _parse_exported(
    where: str, message: Mapping[str, Any], author: Mapping[str, Any], content: Mapping[str, Any]
) -> ParsedMessage:
    name = str(author.get("role", "")).lower()[:60]
    given = message.get("metadata")
    metadata = given if isinstance(given, dict) else {}
    parts = parse_content(where, content.get("parts", content.get("text")))
    text = "\n\n".join(each for each in parts.texts if each)
    if reason := _skip_reason(name, message, metadata, content):
        skipped = Skipped(reason=reason, role=name, content=text)
        return ParsedMessage(None, (skipped,) if text.strip() else ())
    slug = metadata.get("model_slug")
    model = slug if isinstance(slug, str) and 0 < len(slug) <= 200 else None
    return build_message(name, text, parts.other_types, parse_time(where, message), model)


def _skip_reason(
    name: str, message: Mapping[str, Any], metadata: Mapping[str, Any], content: Mapping[str, Any]
) -> str:
    """Returns why a node of the export becomes no turn; empty if it becomes one."""
    if name not in ROLES:
        return f"not a turn: {name}"
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden in the conversation"
    if message.get("recipient") not in (None, "all"):
        return "addressed to a tool"
    kind = str(content.get("content_type", "text"))
    return "" if kind in _MESSAGE_CONTENT_TYPES else f"not a message: {kind[:60]}"
