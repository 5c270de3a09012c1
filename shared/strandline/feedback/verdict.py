"""A verdict, and what is told of one that was given."""

from dataclasses import dataclass
from enum import StrEnum

from strandline.feedback.memory_content import PartialContent, Words, given_fields
from strandline.models.base import Time, Value
from strandline.models.memory_status import Freshness, Review, State
from strandline.store.accounts import idempotency


class Action(StrEnum):
    """What the user says of a memory: whether it is right, how it should read, what it is worth."""

    CONFIRM = "confirm"
    REJECT = "reject"
    UNREVIEW = "unreview"
    CORRECT = "correct"
    SAVE = "save"
    UNSAVE = "unsave"
    DISMISS = "dismiss"
    UNDISMISS = "undismiss"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on the revision that the user has seen; `words` are a correction's."""

    memory_id: str
    action: Action
    expected_revision: int
    words: Words | PartialContent | None = None
    idempotency_key: str | None = None

    @property
    def body_sha256(self) -> str:
        """What makes two verdicts the same request."""
        said = given_fields(self.words) if self.words else {}
        asked = {"action": self.action, "expected_revision": self.expected_revision, "words": said}
        return idempotency.request_hash("verdict", self.memory_id, asked)


class VerdictGiven(Value):
    """What a verdict came to: how the memory stands since, and never its words.

    `changed` names what is different, and is empty where it stood so already. `retracted` are the
    memories that no longer stand beside it, `restored` those that stand again.
    """

    memory_id: str
    revision: int
    action: Action
    review: Review
    saved: bool
    dismissed: bool
    state: State
    freshness: Freshness
    changed: tuple[str, ...]
    retracted: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    at: Time
