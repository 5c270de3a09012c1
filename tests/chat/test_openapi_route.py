"""The API describes itself, to each caller what there is for this caller."""

import json
from typing import Any

from infra import openapi
from tests.support.world import World

STORED = json.loads(openapi.SERVED.read_text(encoding="utf-8"))
DEVELOPER = {"sub": "ada", "developer": "true"}


def test_without_a_token_nothing_is_described(world: World) -> None:
    """401, as on every route but health."""
    assert world.call("GET", "/v1/openapi.json", account=None).status == 401


def test_everybody_reads_of_the_product_and_developers_of_diagnostics_too(world: World) -> None:
    """Without the claim no debug route is there, nor a schema of one; scopes don't matter."""
    product = world.call("GET", "/v1/openapi.json")
    scoped = {"sub": "ada", "scope": "debug:read debug:write turns:read", "developer": "false"}
    assert (product.status, product.body) == (200, STORED["product"])
    assert world.call("GET", "/v1/openapi.json", account=scoped).body == STORED["product"]
    assert "/v1/debug" not in json.dumps(product.body)
    whole = world.call("GET", "/v1/openapi.json", account=DEVELOPER).body
    assert openapi.parts(whole) == STORED
    # What a developer was shown isn't kept for the next caller.
    assert world.call("GET", "/v1/openapi.json").body == STORED["product"]


def test_the_two_parts_are_the_whole() -> None:
    """Nothing is lost or doubled, and the product's part refers to nothing outside itself."""
    whole = openapi.document()
    parts = openapi.parts(whole)
    product, debug = parts["product"], parts["debug"]
    assert product["paths"] | debug["paths"] == whole["paths"]
    assert product["components"]["schemas"] | debug["schemas"] == whole["components"]["schemas"]
    assert not product["components"]["schemas"].keys() & debug["schemas"].keys()
    assert named(product) <= product["components"]["schemas"].keys()


def test_a_schema_goes_with_the_routes_that_lead_to_it() -> None:
    """Through other schemas as well, and round a circle; what both use is the product's."""

    def path(name: str) -> dict[str, Any]:
        return {"get": {"$ref": f"#/components/schemas/{name}"}}

    schemas = {
        "Shared": path("Inner"),
        "Inner": path("Shared"),
        "Debug": path("Inner") | {"more": path("Deeper")},
        "Deeper": path("Debug"),
    }
    whole = {
        "paths": {"/v1/a": path("Shared"), "/v1/debug/b": path("Debug")},
        "components": {"schemas": schemas},
    }
    parts = openapi.parts(whole)
    assert parts["product"]["components"]["schemas"].keys() == {"Shared", "Inner"}
    assert parts["debug"]["schemas"].keys() == {"Debug", "Deeper"}


def named(value: Any) -> set[str]:
    """Every schema that is referred to."""
    if isinstance(value, list):
        return {name for inner in value for name in named(inner)}
    if not isinstance(value, dict):
        return set()
    own = {str(value["$ref"]).rpartition("/")[2]} if "$ref" in value else set()
    return own | {name for inner in value.values() for name in named(inner)}
