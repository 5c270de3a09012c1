"""Which schemas OpenAI's strict mode takes."""

from typing import Any

import pytest

from functions.extract.model_call.reply_schema import SCHEMA
from strandline.providers.openai.strict import fits_strict_mode

TEXT = {"type": "string"}


def closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "definition",
    [
        SCHEMA.definition,
        closed(),
        closed(a={"type": "array", "items": closed(b=TEXT), "maxItems": 3}),
        closed(a={"anyOf": [TEXT, {"type": "null"}]}),
        closed(maxLength=TEXT),
    ],
)
def test_closed_objects_of_known_keywords_fit(definition: dict[str, Any]) -> None:
    """A property's name is no keyword; extraction's own schema is among those that fit."""
    assert fits_strict_mode(definition)


@pytest.mark.parametrize(
    "definition",
    [
        TEXT,
        {"anyOf": [closed()]},
        {**closed(a=TEXT), "required": []},
        {**closed(a=TEXT), "additionalProperties": True},
        closed(a={"type": "string", "maxLength": 3}),
        closed(a={"type": "array", "items": {"type": "object"}}),
        closed(a={"type": "array", "items": True}),
        {**closed(), "$defs": {"x": {"not": {}}}},
    ],
)
def test_anything_else_is_asked_for_without_strict_mode(definition: dict[str, Any]) -> None:
    """Optional or open properties and unknown keywords at any depth."""
    assert not fits_strict_mode(definition)
