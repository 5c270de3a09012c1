"""Reads messages as the APIs of OpenAI and Anthropic take them. Pure.

The formats are OpenAI's chat completions `messages` and Anthropic's Messages API.
"""

from typing import Any

from functions.checkpoint.imports.message_parts import (
    ROLES,
    ParsedMessage,
    build_message,
    parse_content,
    parse_time,
    to_transcript,
)
from functions.checkpoint.imports.transcript import Transcript
from strandline.errors import Invalid

_NON_TURN_ROLES = frozenset({"system", "developer", "tool", "function"})


def parse_api_messages(messages: list[Any]) -> Transcript:
    """Returns the transcript of a list of messages with `role` and `content`.

    A content is a string or a list of parts. Messages of other roles than user and assistant are
    skipped with a reason. Raises Invalid.
    """
    parsed = [_parse_message(f"messages[{number}]", each) for number, each in enumerate(messages)]
    return to_transcript(parsed, None)


def _parse_message(where: str, message: Any) -> ParsedMessage:
    if not isinstance(message, dict):
        raise Invalid(f"{where} must be an object with role and content.")
    name = message.get("role")
    if not isinstance(name, str) or name.lower() not in ROLES.keys() | _NON_TURN_ROLES:
        raise Invalid(f"{where}.role must be user, assistant, system, developer or tool.")
    content = parse_content(where, message.get("content"))
    at = parse_time(where, message)
    return build_message(name.lower(), "\n\n".join(content.texts), content.other_types, at, None)
