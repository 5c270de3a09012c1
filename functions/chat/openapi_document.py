"""The API's own description, as much of it as there is for the caller."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("openapi.json")


def document(developer: bool) -> dict[str, Any]:
    """The OpenAPI document; only for developers are there routes of diagnostics."""
    found = _parts()
    product: dict[str, Any] = found["product"]
    if not developer:
        return product
    components = product["components"]
    schemas = components["schemas"] | found["debug"]["schemas"]
    return product | {
        "paths": product["paths"] | found["debug"]["paths"],
        "components": components | {"schemas": schemas},
    }


@cache
def _parts() -> dict[str, Any]:
    """What `make openapi` wrote; it is in the function's artefact beside this module."""
    parts: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return parts
