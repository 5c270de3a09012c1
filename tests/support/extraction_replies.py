"""What a background model replies."""

import json
from collections.abc import Sequence
from typing import Any

from strandline.providers.base import Message


def found(text: str, quote: str, turn: str = "user", **fields: Any) -> dict[str, Any]:
    """One memory as a model writes it."""
    return {
        "kind": "observation",
        "title": text,
        "text": text,
        "importance": 0.7,
        "labels": [],
        "subject": "user",
        "topic": "",
        "quotes": [{"turn": turn, "quote": quote}],
        **fields,
    }


def reply(*memories: dict[str, Any]) -> str:
    """A reply with those memories."""
    return json.dumps({"memories": list(memories)})


def said_in(messages: Sequence[Message], role: str = "user") -> str:
    """What that role says in the exchange that an extraction prompt is about."""
    return str(json.loads(messages[-1].content)[role]["text"])
