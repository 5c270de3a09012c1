"""The query parameters of diagnostics, as values: filters of lists, and bounds of evidence."""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query

from strandline.api.paging import Cursor, Limit
from strandline.errors import Invalid
from strandline.models.memory import Author, Kind
from strandline.models.memory_filter import MemoryFilter, YesNo
from strandline.models.memory_status import Freshness, Review, State

LabelFilter = Annotated[str | None, Query(min_length=1, max_length=100)]
SourceFilter = Annotated[
    str | None, Query(min_length=1, max_length=64, description="A session or a turn it cites.")
]
Since = Annotated[
    str | None,
    Query(alias="from", max_length=40, description="Recorded at or after this time (RFC 3339)."),
]
Until = Annotated[
    str | None,
    Query(alias="to", max_length=40, description="Recorded before this time (RFC 3339)."),
]
Revision = Annotated[int | None, Query(ge=1, le=999_999)]
Depth = Annotated[int, Query(ge=0, le=16, description="How many levels of references to follow.")]
NodeBudget = Annotated[int, Query(ge=1, le=100, description="How many revisions to read at most.")]

_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuery:
    """The page and the filters that the list and the search of memories have in common."""

    limit: Limit = 20
    cursor: Cursor = None
    kind: Kind | None = None
    label: LabelFilter = None
    source: SourceFilter = None
    actor: Author | None = None
    review: Review | Literal["any"] | None = None
    saved: YesNo = YesNo.ANY

    def _shared_filter(self, since: str | None, until: str | None) -> MemoryFilter:
        start, end = parse_time_range(since, until)
        return MemoryFilter(
            kind=self.kind,
            label=self.label,
            source=self.source,
            actor=self.actor,
            review=self.review,
            saved=self.saved,
            since=start,
            until=end,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryListQuery(MemoryQuery):
    """The query parameters of the list of memories."""

    dismissed: YesNo = YesNo.NO
    state: State | Literal["any"] = State.ACTIVE
    freshness: Freshness | Literal["any"] = Freshness.CURRENT
    since: Since = None
    until: Until = None

    def memory_filter(self) -> MemoryFilter:
        """Returns the filter it describes. Raises Invalid for a wrong time."""
        return replace(
            self._shared_filter(self.since, self.until),
            dismissed=self.dismissed,
            state=self.state,
            freshness=self.freshness,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearchQuery(MemoryQuery):
    """The query parameters of the search of memories, apart from the question."""

    since: Since = None
    until: Until = None

    def memory_filter(self) -> MemoryFilter:
        """Returns the filter it describes. Raises Invalid for a wrong time."""
        return self._shared_filter(self.since, self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceQuery:
    """The query parameters of a revision's evidence."""

    limit: Limit = 20
    cursor: Cursor = None
    revision: Revision = None
    depth: Depth = 0
    node_budget: NodeBudget = 32


def parse_time_range(
    since: str | None, until: str | None
) -> tuple[datetime | None, datetime | None]:
    """Returns both times. Raises Invalid unless they are RFC 3339 times in order, with a zone."""
    start, end = _parse_time("from", since), _parse_time("to", until)
    if start is not None and end is not None and start >= end:
        raise Invalid("from must be before to.")
    return start, end


def _parse_time(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    # In a query a plus sign means a blank, and many clients forget to encode it.
    text = text.replace(" ", "+").upper()
    invalid = Invalid(f"{name} must be a time as RFC 3339 has it, with its zone.")
    # Python accepts more than RFC 3339: weeks, hours alone, times without a zone.
    if not _RFC_3339.fullmatch(text):
        raise invalid
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise invalid from None
