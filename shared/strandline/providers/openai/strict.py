"""A check whether OpenAI's strict structured outputs accept a schema.

Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from typing import Any

_KEYWORDS = frozenset(
    {
        "$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum",
        "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maximum",
        "minItems", "minimum", "multipleOf", "pattern", "properties", "required", "title", "type",
    }
)  # fmt: skip


def fits_strict_mode(definition: dict[str, Any]) -> bool:
    """Whether the root is an object without `anyOf`, and every part is allowed in strict mode."""
    return definition.get("type") == "object" and "anyOf" not in definition and _fits(definition)


def _fits(schema: Any) -> bool:
    if not isinstance(schema, dict) or not schema.keys() <= _KEYWORDS:
        return False
    if schema.get("type") == "object" and not _is_closed(schema):
        return False
    return all(_fits(part) for part in _parts(schema))


def _is_closed(schema: dict[str, Any]) -> bool:
    """Whether every property is required and no other is allowed, as strict mode demands."""
    names = set(schema.get("properties", {}))
    return schema.get("additionalProperties") is False and set(schema.get("required", ())) == names


def _parts(schema: dict[str, Any]) -> list[Any]:
    named = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    items = [schema["items"]] if "items" in schema else []
    return [*named, *items, *schema.get("anyOf", [])]
