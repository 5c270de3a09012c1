"""Whether OpenAI's strict structured outputs take a schema.

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
    """Whether the root is a plain object and every part keeps to what strict mode allows."""
    return definition.get("type") == "object" and "anyOf" not in definition and _fits(definition)


def _fits(schema: Any) -> bool:
    if not isinstance(schema, dict) or not schema.keys() <= _KEYWORDS:
        return False
    if schema.get("type") == "object" and not _closed(schema):
        return False
    return all(_fits(part) for part in _parts(schema))


def _closed(schema: dict[str, Any]) -> bool:
    """Strict mode wants every property required and no other allowed."""
    names = set(schema.get("properties", {}))
    return schema.get("additionalProperties") is False and set(schema.get("required", ())) == names


def _parts(schema: dict[str, Any]) -> list[Any]:
    named = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    items = [schema["items"]] if "items" in schema else []
    return [*named, *items, *schema.get("anyOf", [])]
