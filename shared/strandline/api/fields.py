"""Fields that several functions' requests share."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Header
from pydantic import AfterValidator, StrictStr, StringConstraints


def _has_content(text: str) -> str:
    if not text.strip():
        raise ValueError("must hold something other than white space")
    return text


Content = Annotated[StrictStr, AfterValidator(_has_content)]
"""Text with something other than white space in it."""

Name = Annotated[StrictStr, StringConstraints(max_length=200), AfterValidator(_has_content)]
"""A name or title."""

IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key", min_length=1, max_length=255)
]
"""What makes a request safe to send again."""
