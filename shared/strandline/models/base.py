"""The base class of all values, and the type of their times."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer


def _utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("a time needs its zone")
    return value.astimezone(UTC)


def rfc3339(value: datetime) -> str:
    """Returns a time as RFC 3339 in UTC with microseconds: text order is time order."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


Time = Annotated[datetime, AfterValidator(_utc), PlainSerializer(rfc3339, when_used="json")]
"""An aware datetime in UTC, written as `rfc3339` writes it."""


class Value(BaseModel):
    """A frozen value that refuses unknown fields, NaN and infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)
