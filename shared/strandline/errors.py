"""The tree of errors. A class name gives the code, a docstring the default message.

`strandline.api.problems` maps these classes to HTTP statuses.
"""

import re
from datetime import datetime
from typing import Any


class StrandlineError(Exception):
    """Something went wrong."""

    def __init__(self, message: str | None = None, **extra: Any) -> None:
        """Takes a message for clients, and further members of the problem document."""
        self.message = message or " ".join((type(self).__doc__ or "").split())
        self.extra = extra
        super().__init__(self.message)

    @property
    def code(self) -> str:
        """The class name in upper case with underscores: NotFound → NOT_FOUND."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).upper()


class Unauthenticated(StrandlineError):
    """A valid token is required."""


class Forbidden(StrandlineError):
    """The token lacks the scope this needs."""


class NotFound(StrandlineError):
    """There is no such thing here."""


class ContentDeleted(StrandlineError):
    """This was deleted."""

    def __init__(self, removed_at: datetime) -> None:
        super().__init__(removed_at=removed_at)


class ContentExpired(StrandlineError):
    """This was removed by the account's retention."""

    def __init__(self, removed_at: datetime) -> None:
        super().__init__(removed_at=removed_at)


class Invalid(StrandlineError):
    """The request is not valid."""


class TooLarge(StrandlineError):
    """The content is too large."""


class UnsupportedMediaType(StrandlineError):
    """The body must be JSON, sent with Content-Type: application/json."""


class Conflict(StrandlineError):
    """The thing was changed by someone else in the meantime."""


class RequestInProgress(Conflict):
    """The same request is still being answered."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(retry_after=retry_after)


class CheckpointAltered(StrandlineError):
    """The stored checkpoint is not what was committed."""


class IdempotencyKeyReused(StrandlineError):
    """This idempotency key was used with another body."""


class StorageBusy(StrandlineError):
    """Storage is busy; try again."""


class ModelError(StrandlineError):
    """The model could not answer."""

    retryable = True
    retry_after: float | None = None


class ModelTimeout(ModelError):
    """The model did not answer in time."""


class ModelUnavailable(ModelError):
    """The model's service failed."""


class ModelRateLimited(ModelError):
    """The model's service limits the rate."""

    def __init__(self, message: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRejected(ModelError):
    """The model's service refused the request as it is."""

    retryable = False


class ModelReplyInvalid(ModelError):
    """The model's reply could not be used."""


class ModelNotConfigured(StrandlineError):
    """No such model is configured."""


def failure_reason(error: Exception) -> str:
    """Returns the text stored as the reason of a failed job or title.

    Only our own errors show their message; of others it names the class.
    """
    if isinstance(error, StrandlineError):
        return f"{error.code}: {error.message}"
    return f"INTERNAL_ERROR: {type(error).__name__}"
