"""Query parameters as one value."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Query

from strandline.api import problems
from strandline.api.query_model import expand_query
from tests.support.world import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What two queries have in common."""

    limit: Annotated[int, Query(ge=1, le=9)] = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery(Base):
    """A query with a required parameter, an alias and an enumeration."""

    since: Annotated[str, Query(alias="from")]
    kind: Literal["a", "b"] | None = None


def app() -> APIGatewayHttpResolver:
    """A resolver with one route that returns what it got."""
    made = APIGatewayHttpResolver(enable_validation=True)

    @made.get("/items/<item_id>")
    @expand_query
    def list_items(item_id: str, query: ItemQuery) -> dict[str, Any]:
        return {"item_id": item_id, "query": repr(query)}

    @made.exception_handler(RequestValidationError)
    def invalid(error: RequestValidationError) -> Any:
        raise error

    return made


def get(query: str, parameters: dict[str, str]) -> Any:
    """The route's answer to a query."""
    event = {
        "version": "2.0",
        "rawPath": "/items/one",
        "rawQueryString": query,
        "queryStringParameters": parameters,
        "headers": {},
        "requestContext": {"stage": "$default", "http": {"method": "GET", "path": "/items/one"}},
    }
    return app().resolve(event, Context())


def test_a_route_gets_one_value_with_defaults() -> None:
    """Path parameters stay parameters; an alias, a default and an unknown name are understood."""
    answer = get("from=x&kind=b&other=1", {"from": "x", "kind": "b", "other": "1"})
    assert "ItemQuery(limit=5, since='x', kind='b')" in answer["body"]
    assert '"item_id":"one"' in answer["body"]


@pytest.mark.parametrize(
    ("query", "parameters", "field"),
    [
        ("from=x&limit=0", {"from": "x", "limit": "0"}, "query.limit"),
        ("from=x&kind=c", {"from": "x", "kind": "c"}, "query.kind"),
        ("from=x&kind=a&kind=b", {"from": "x", "kind": "a,b"}, "query.kind"),
        ("kind=a", {"kind": "a"}, "query.from"),
    ],
)
def test_an_error_names_the_parameter(query: str, parameters: dict[str, str], field: str) -> None:
    """As if the route took each parameter itself; a repeated one is refused, too."""
    with pytest.raises(RequestValidationError) as caught:
        get(query, parameters)
    assert [each["field"] for each in problems.field_errors(caught.value.errors())] == [field]


def test_the_document_has_each_field_as_a_parameter() -> None:
    """In the order of the signature and of the fields, with bounds and defaults."""
    document = (
        app()
        .get_openapi_schema(title="t", version="1")
        .model_dump(mode="json", by_alias=True, exclude_none=True)
    )
    operation = document["paths"]["/items/{item_id}"]["get"]
    assert [each["name"] for each in operation["parameters"]] == [
        "item_id",
        "limit",
        "from",
        "kind",
    ]
    limit = operation["parameters"][1]["schema"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 9, 5)
    assert operation["parameters"][2]["required"] is True
