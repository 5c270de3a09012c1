"""Checks of replies that every adapter makes, and the schema as a part of the prompt."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from strandline.errors import ModelReplyInvalid
from strandline.providers.base import Completion, Finish, Message, Schema

_SCHEMA_INSTRUCTION = "Reply with one JSON object that follows this JSON Schema, and nothing else:"


def checked_completion(completion: Completion) -> Completion:
    """Returns `completion` with lone surrogates in its text replaced, so that UTF-8 can hold it.

    Raises ModelReplyInvalid for an empty text that is neither a refusal nor truncated.
    """
    if completion.finish is Finish.STOP and not completion.text.strip():
        raise ModelReplyInvalid("The model's reply was empty.")
    text = completion.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return replace(completion, text=text)


def token_count(value: Any) -> int | None:
    """Returns `value` if it is a token count, an integer of at least 0, else None."""
    return value if type(value) is int and value >= 0 else None


def parse_json_object(content: bytes) -> dict[str, Any]:
    """Returns the JSON object in `content`. Raises ModelReplyInvalid for anything else."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise ModelReplyInvalid("The model's service answered with no JSON object.")
    return body


def with_schema_in_prompt(messages: Sequence[Message], schema: Schema) -> list[Message]:
    """Returns `messages` with the schema, and the request to follow it, in the system message."""
    definition = json.dumps(schema.definition, ensure_ascii=False)
    instruction = f"{_SCHEMA_INSTRUCTION}\n{definition}"
    if messages and messages[0].role == "system":
        first = replace(messages[0], content=f"{messages[0].content}\n\n{instruction}")
        return [first, *messages[1:]]
    return [Message("system", instruction), *messages]
