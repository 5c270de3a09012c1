"""Field types of requests that several functions share."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Header
from pydantic import AfterValidator, StrictStr, StringConstraints


def _has_content(text: str) -> str:
    if not text.strip():
        raise ValueError("must hold something other than white space")
    return text


Content = Annotated[StrictStr, AfterValidator(_has_content)]
"""Text that isn't only white space."""

Name = Annotated[StrictStr, StringConstraints(max_length=200), AfterValidator(_has_content)]
"""A name or title of at most 200 characters that isn't only white space."""

IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key", min_length=1, max_length=255)
]
"""The idempotency key of a request, which makes it safe to repeat."""
