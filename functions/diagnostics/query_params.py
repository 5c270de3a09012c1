"""How developers ask for memories: the parameters that lists have in common."""

import re
from datetime import datetime
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query

from strandline.errors import Invalid
from strandline.models.memory_status import Freshness, Review, State

LabelFilter = Annotated[str | None, Query(min_length=1, max_length=100)]
SourceFilter = Annotated[
    str | None, Query(min_length=1, max_length=64, description="A session or a turn it cites.")
]
ReviewFilter = Review | Literal["any"]
StateFilter = State | Literal["any"]
FreshnessFilter = Freshness | Literal["any"]
Since = Annotated[
    str | None,
    Query(alias="from", max_length=40, description="Recorded at or after this time (RFC 3339)."),
]
Until = Annotated[
    str | None,
    Query(alias="to", max_length=40, description="Recorded before this time (RFC 3339)."),
]
Revision = Annotated[int | None, Query(ge=1, le=999_999)]
Depth = Annotated[int, Query(ge=0, le=16, description="How many references deep.")]
NodeBudget = Annotated[int, Query(ge=1, le=100, description="How many revisions at most.")]

_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
)


def span(since: str | None, until: str | None) -> tuple[datetime | None, datetime | None]:
    """The times that were asked for. Raises Invalid unless they are times with a zone, in order."""
    found = _time("from", since), _time("to", until)
    if found[0] is not None and found[1] is not None and found[0] >= found[1]:
        raise Invalid("from must be before to.")
    return found


def _time(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    # In a query a plus sign means a blank, which many forget to encode.
    text = text.replace(" ", "+").upper()
    wrong = Invalid(f"{name} must be a time as RFC 3339 has it, with its zone.")
    # Python reads more than that: weeks, hours alone, times without a zone.
    if not _RFC_3339.fullmatch(text):
        raise wrong
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise wrong from None
