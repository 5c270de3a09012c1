"""What every adapter does with a reply, and what it says where a service takes no schema."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from strandline.errors import ModelReplyInvalid
from strandline.providers.base import Completion, Finish, Message, Schema

_SCHEMA_IN_WORDS = "Reply with one JSON object that follows this JSON Schema, and nothing else:"


def checked_completion(completion: Completion) -> Completion:
    """`completion` with a text that UTF-8 can hold: lone surrogates are replaced.

    Raises ModelReplyInvalid for an empty text that is neither a refusal nor cut off.
    """
    if completion.finish is Finish.STOP and not completion.text.strip():
        raise ModelReplyInvalid("The model's reply was empty.")
    text = completion.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return replace(completion, text=text)


def token_count(value: Any) -> int | None:
    """`value` if it is a number of tokens."""
    return value if type(value) is int and value >= 0 else None


def parse_json_object(content: bytes) -> dict[str, Any]:
    """The object that `content` is. Raises ModelReplyInvalid for anything else."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise ModelReplyInvalid("The model's service answered with no JSON object.")
    return body


def with_schema_in_prompt(messages: Sequence[Message], schema: Schema) -> list[Message]:
    """`messages` whose system text ends with the schema and the wish that it be followed."""
    definition = json.dumps(schema.definition, ensure_ascii=False)
    words = f"{_SCHEMA_IN_WORDS}\n{definition}"
    if messages and messages[0].role == "system":
        first = replace(messages[0], content=f"{messages[0].content}\n\n{words}")
        return [first, *messages[1:]]
    return [Message("system", words), *messages]
