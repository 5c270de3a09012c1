"""Query parameters as one value: a route takes a frozen dataclass, HTTP sees its fields.

Powertools has its own support for this, `Annotated[Model, Query()]`. It isn't used because it
changes the contract: errors name a field `query.<parameter>.<field>`, a repeated parameter is cut
to its first value instead of being refused, and the OpenAPI document loses bounds, enums and
defaults.
"""

import functools
import inspect
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def expand_query(route: Callable[..., T]) -> Callable[..., T]:
    """Returns the route with its parameter `query` replaced by the fields of that dataclass.

    Powertools reads the new signature: it validates and documents each field as a query parameter
    of its own, in the order of the fields. The route itself gets one value.
    """
    own = inspect.signature(route)
    model = own.parameters["query"].annotation
    fields = inspect.signature(model).parameters
    expanded: list[inspect.Parameter] = []
    for name, parameter in own.parameters.items():
        expanded.extend(fields.values() if name == "query" else [parameter])

    @functools.wraps(route)
    def call(**values: object) -> T:
        query = model(**{name: values.pop(name) for name in fields})
        return route(**values, query=query)

    # Keyword-only parameters may stand in any order, with a default or without.
    keyword_only = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in expanded]
    call.__signature__ = own.replace(parameters=keyword_only)  # type: ignore[attr-defined]
    return call
