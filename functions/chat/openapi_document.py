"""The OpenAPI document that the API serves about itself."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("openapi.json")


def document(developer: bool) -> dict[str, Any]:
    """Returns the OpenAPI document; the routes of diagnostics are in it for developers only."""
    parts = _parts()
    product: dict[str, Any] = parts["product"]
    if not developer:
        return product
    components = product["components"]
    schemas = components["schemas"] | parts["debug"]["schemas"]
    return product | {
        "paths": product["paths"] | parts["debug"]["paths"],
        "components": components | {"schemas": schemas},
    }


@cache
def _parts() -> dict[str, Any]:
    """Reads the file that `make openapi` writes beside this module."""
    parts: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return parts
