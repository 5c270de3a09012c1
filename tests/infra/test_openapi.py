"""docs/openapi.json says what the routes do."""

import json
from typing import Any

import pytest

from infra import openapi
from infra.local.template import load_template, routes

ROUTES = routes(load_template(openapi.ROOT / "template.yaml"))
DOCUMENT: dict[str, Any] = json.loads(openapi.DOCUMENT.read_text(encoding="utf-8"))


def test_the_committed_document_is_what_the_routes_give() -> None:
    """After a change of routes or shapes, `make openapi` renews it."""
    whole = openapi.document()
    assert whole == DOCUMENT, "run `make openapi`"
    for path, text in (
        (openapi.DOCUMENT, openapi.text(whole)),
        (openapi.SERVED, openapi.served_text(whole)),
    ):
        assert path.read_text(encoding="utf-8") == text, "run `make openapi`"


def test_every_route_of_the_template_is_in_it_and_no_other() -> None:
    """What API Gateway lets through is what is documented."""
    documented = {
        f"{method.upper()} {path}" for path, found in DOCUMENT["paths"].items() for method in found
    }
    assert documented == {route.key for route in ROUTES}


@pytest.mark.parametrize("route", ROUTES, ids=[route.key for route in ROUTES])
def test_a_route_says_who_may_call_it_and_how_it_fails(route: Any) -> None:
    """A token where the template wants one; errors as problem documents; a sentence of its own."""
    operation = DOCUMENT["paths"][route.path][route.method.lower()]
    assert ("401" in operation["responses"]) is route.needs_token
    assert ("403" in operation["responses"]) is route.path.startswith("/v1/debug/")
    assert operation.get("security") == (None if route.needs_token else [])
    assert ("404" in operation["responses"]) >= ("{" in route.path)
    assert operation["summary"].endswith(".")
    for status, response in operation["responses"].items():
        if not status.startswith("2"):
            assert list(response["content"]) == ["application/problem+json"]


def test_operations_have_names_of_their_own() -> None:
    """Client generators name methods by them."""
    names = [o["operationId"] for found in DOCUMENT["paths"].values() for o in found.values()]
    assert len(names) == len(set(names))


def test_every_reference_leads_somewhere() -> None:
    """No schema is named that isn't there."""
    named = set(references(DOCUMENT))
    assert named
    assert named <= {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}


def test_a_name_for_two_things_is_told_apart() -> None:
    """Functions may each have a schema of one name: the second gets another, references too."""
    part = {
        "paths": {"/a": {"$ref": "#/components/schemas/Note"}},
        "components": {"schemas": {"Note": {"type": "string"}}},
    }
    renamed = openapi._renamed(part, {"Note": {"type": "object"}})
    assert renamed == {
        "paths": {"/a": {"$ref": "#/components/schemas/Note2"}},
        "components": {"schemas": {"Note2": {"type": "string"}}},
    }
    assert openapi._renamed(part, {"Note": {"type": "string"}}) == part


def references(value: Any) -> list[str]:
    """Every `$ref` in a document."""
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for inner in value.values() for found in references(inner)]
    if isinstance(value, list):
        return [found for inner in value for found in references(inner)]
    return []
