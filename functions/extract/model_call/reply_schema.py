"""The JSON schema of the extraction call's reply."""

from strandline.models.memory import Kind
from strandline.models.turn import Role
from strandline.providers.base import Schema

_QUOTE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["turn", "quote"],
    "properties": {
        "turn": {"type": "string", "enum": [role.value for role in Role]},
        "quote": {"type": "string"},
    },
}

_MEMORY = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "kind", "title", "text", "importance", "labels", "subject", "topic", "quotes",
    ],
    "properties": {
        "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
        "title": {"type": "string"},
        "text": {"type": "string"},
        "importance": {"type": "number"},
        "labels": {"type": "array", "items": {"type": "string"}},
        "subject": {"type": "string"},
        "topic": {"type": "string"},
        "quotes": {"type": "array", "items": _QUOTE},
    },
}  # fmt: skip

# Every property is required and none is bounded: the strict modes of several servers demand the
# first and refuse the second. `candidates.repair` enforces the bounds.
SCHEMA = Schema(
    "memories",
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["memories"],
        "properties": {"memories": {"type": "array", "items": _MEMORY}},
    },
)
