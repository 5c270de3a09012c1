"""Reads messages in JSON: what API messages and ChatGPT's export have in common. Pure.

Every function raises Invalid, and nothing else, for what it can't read.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from functions.checkpoint.imports.transcript import ImportedMessage, Skipped, Transcript
from strandline.errors import Invalid
from strandline.models.turn import Role

ROLES = {
    **dict.fromkeys(("user", "human"), Role.USER),
    **dict.fromkeys(("assistant", "ai", "model"), Role.ASSISTANT),
}
"""Roles by the names that the formats give them."""

_TEXT_PART_TYPES = frozenset({"text", "input_text", "output_text", "audio_transcription"})
_TIME_KEYS = ("created_at", "create_time", "timestamp")


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """One message, if it becomes a turn, and what of it is skipped."""

    message: ImportedMessage | None
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageContent:
    """The texts of a message's parts, and the types of its parts that have none."""

    texts: tuple[str, ...]
    other_types: tuple[str, ...] = ()


def to_transcript(parsed: Sequence[ParsedMessage], title: str | None) -> Transcript:
    """Returns the messages as one transcript."""
    messages = tuple(each.message for each in parsed if each.message is not None)
    return Transcript(messages, tuple(skip for each in parsed for skip in each.skipped), title)


def parse_content(where: str, content: Any) -> MessageContent:
    """Returns the parts of a content: a string, or a list of strings and objects.

    `where` names the message in the error. Raises Invalid.
    """
    if content is None or isinstance(content, str):
        return MessageContent((content or "",))
    if not isinstance(content, list):
        raise Invalid(f"{where}.content must be a string or a list of parts.")
    texts, other_types = [], []
    for number, part in enumerate(content):
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, dict):
            raise Invalid(f"{where}.content[{number}] must be a string or an object.")
        elif str(part.get("type", "text")) in _TEXT_PART_TYPES and isinstance(
            part.get("text"), str
        ):
            texts.append(part["text"])
        else:
            other_types.append(str(part.get("type", "part"))[:60])
    return MessageContent(tuple(texts), tuple(other_types))


def build_message(
    name: str, text: str, other_types: Sequence[str], at: datetime | None, model: str | None
) -> ParsedMessage:
    """Returns a message with the role called `name`, and what of it is skipped.

    `other_types` are the types of its parts without text.
    """
    skipped = [Skipped(reason=f"a part without text: {kind}", role=name) for kind in other_types]
    role = ROLES.get(name)
    if role is None:
        skipped.append(Skipped(reason=f"not a turn: {name}", role=name, content=text))
    elif text.strip():
        return ParsedMessage(ImportedMessage(role, text, at, model), tuple(skipped))
    elif not other_types:
        skipped.append(Skipped(reason="empty", role=name))
    return ParsedMessage(None, tuple(skipped))


def parse_time(where: str, holder: Mapping[str, Any]) -> datetime | None:
    """Returns a message's time in UTC; None if it has none.

    Understands RFC 3339 and seconds since 1970; a time without an offset is UTC. Raises Invalid.
    """
    value = next((holder[name] for name in _TIME_KEYS if holder.get(name) is not None), None)
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
