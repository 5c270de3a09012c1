"""What clients may send."""

from typing import Annotated, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    StringConstraints,
    model_validator,
)

from strandline.api.fields import Content, Name
from strandline.feedback.memory_content import PartialContent
from strandline.feedback.verdict import Action, Verdict
from strandline.ids import MAX_SEQUENCE
from strandline.models.base import Value
from strandline.models.memory_status import Review
from strandline.models.receipt import RecallScope
from strandline.models.retention import MAX_DAYS


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError("must be an IANA time zone, such as Europe/Oslo")
    return ZoneInfo(name).key


Text = Annotated[StrictStr, StringConstraints(max_length=4_000)]
ModelPart = Annotated[StrictStr, StringConstraints(pattern=r"^[A-Za-z0-9._:/@+-]{1,200}$")]
SpaceId = Annotated[StrictStr, StringConstraints(max_length=64)]
Days = Annotated[StrictInt, Field(ge=1, le=MAX_DAYS)]
Language = Annotated[StrictStr, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


class NewSpace(Value):
    """A space to make."""

    name: Name
    description: Text = ""


class SpaceChange(Value):
    """Fields of a space to change."""

    name: Name | None = None
    description: Text | None = None

    @model_validator(mode="after")
    def _name_stays(self) -> "SpaceChange":
        if "name" in self.model_fields_set and self.name is None:
            raise ValueError("a space keeps a name")
        return self


class NewSession(Value):
    """A session to make."""

    title: Name | None = None
    space_id: SpaceId | None = None
    provider: ModelPart | None = None
    model: ModelPart | None = None


class SessionChange(NewSession):
    """Fields of a session to change; null takes a field away."""


class NewMessage(Value):
    """A message to answer. A boundary goes with a mounted checkpoint, and only with one."""

    content: Content
    provider: ModelPart | None = None
    model: ModelPart | None = None
    memory_scope: Literal["latest_1", "latest_3"] = "latest_1"
    recall: RecallScope = RecallScope.ACCOUNT
    history: Literal["on", "off"] = "on"
    mounted_checkpoint_id: Annotated[StrictStr, StringConstraints(max_length=400)] | None = None
    history_base_seq: Annotated[StrictInt, Field(ge=0, le=MAX_SEQUENCE)] | None = None

    @model_validator(mode="after")
    def _both_or_neither(self) -> "NewMessage":
        if (self.mounted_checkpoint_id is None) != (self.history_base_seq is None):
            raise ValueError("mounted_checkpoint_id and history_base_seq go together")
        return self


class Replacement(Value):
    """What a turn is to say instead, if it is still in the version that is expected."""

    content: Content
    expected_version: Annotated[StrictInt, Field(ge=1)] | None = None


class NewNote(Value):
    """A note to attach to a turn."""

    content: Annotated[Content, StringConstraints(max_length=10_000)]


class MemoryChange(PartialContent):
    """One verdict on the revision that the user has seen.

    Other words (those that are left out stay), or a review, or whether it is saved or dismissed.
    """

    expected_revision: Annotated[StrictInt, Field(ge=1)]
    review: Review | None = None
    saved: StrictBool | None = None
    dismissed: StrictBool | None = None

    @model_validator(mode="after")
    def _one_verdict(self) -> "MemoryChange":
        said = self.model_fields_set - {"expected_revision"}
        judgments = said - PartialContent.model_fields.keys()
        if len(judgments) + (said != judgments) != 1:
            raise ValueError("give other words, or one of review, saved and dismissed")
        if any(getattr(self, name) is None for name in said):
            raise ValueError("what is given can't be null")
        return self

    @property
    def action(self) -> Action:
        """What the user says with it."""
        if self.review is not None:
            return _REVIEWING[self.review]
        if self.saved is not None:
            return Action.SAVE if self.saved else Action.UNSAVE
        if self.dismissed is not None:
            return Action.DISMISS if self.dismissed else Action.UNDISMISS
        return Action.CORRECT

    def verdict(self, memory_id: str, idempotency_key: str | None) -> Verdict:
        """The verdict, on that memory."""
        action = self.action
        return Verdict(
            memory_id=memory_id,
            action=action,
            expected_revision=self.expected_revision,
            words=self if action is Action.CORRECT else None,
            idempotency_key=idempotency_key,
        )


_REVIEWING = {
    Review.CONFIRMED: Action.CONFIRM,
    Review.REJECTED: Action.REJECT,
    Review.UNREVIEWED: Action.UNREVIEW,
}


class ProfileChange(Value):
    """Fields of the profile to change; null takes a field away, and a retention's end with it."""

    display_name: Name | None = None
    about: Text | None = None
    time_zone: Annotated[StrictStr, AfterValidator(_zone)] | None = None
    language: Language | None = None
    turn_retention_days: Days | None = None
    memory_retention_days: Days | None = None
