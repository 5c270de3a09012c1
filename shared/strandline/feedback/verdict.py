"""Verdicts of the user on a memory, and the answer to a verdict."""

from dataclasses import dataclass
from enum import StrEnum

from strandline.feedback.memory_content import PartialContent, Words
from strandline.models.base import Time, Value
from strandline.models.memory_status import Freshness, Review, State


class Action(StrEnum):
    """The user's verdict on a memory: its truth, its words or its usefulness."""

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
    """A verdict on the revision that the user has seen.

    `words` is the content of a correction, None for any other verdict.
    """

    memory_id: str
    action: Action
    expected_revision: int
    words: Words | PartialContent | None = None
    idempotency_key: str | None = None


class VerdictGiven(Value):
    """The memory's status after a verdict, without its words.

    `changed` names the changed fields; it is empty if the verdict changed nothing. `retracted`
    are the memories that the verdict retracted, `restored` those that are in force again.
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
