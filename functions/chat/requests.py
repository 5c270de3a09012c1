"""What clients send: request bodies, and the query parameters of lists."""

from dataclasses import dataclass
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, available_timezones

from aws_lambda_powertools.event_handler.openapi.params import Query
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
from strandline.api.paging import Cursor, Limit
from strandline.feedback.memory_content import PartialContent
from strandline.feedback.verdict import Action, Verdict
from strandline.ids import MAX_SEQUENCE
from strandline.models.base import Value
from strandline.models.memory import Kind
from strandline.models.memory_filter import MemoryFilter, YesNo
from strandline.models.memory_status import Freshness, Review, State
from strandline.models.receipt import RecallScope
from strandline.models.retention import MAX_DAYS


def _valid_zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError("must be an IANA time zone, such as Europe/Oslo")
    return ZoneInfo(name).key


Text = Annotated[StrictStr, StringConstraints(max_length=4_000)]
ModelPart = Annotated[StrictStr, StringConstraints(pattern=r"^[A-Za-z0-9._:/@+-]{1,200}$")]
SpaceId = Annotated[StrictStr, StringConstraints(max_length=64)]
Days = Annotated[StrictInt, Field(ge=1, le=MAX_DAYS)]
Language = Annotated[StrictStr, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


class NewSpace(Value):
    """A new space."""

    name: Name
    description: Text = ""


class SpaceChange(Value):
    """Changes to a space. Fields that are left out stay as they are."""

    name: Name | None = None
    description: Text | None = None

    @model_validator(mode="after")
    def _name_stays(self) -> "SpaceChange":
        if "name" in self.model_fields_set and self.name is None:
            raise ValueError("a space keeps a name")
        return self


class NewSession(Value):
    """A new session."""

    title: Name | None = None
    space_id: SpaceId | None = None
    provider: ModelPart | None = None
    model: ModelPart | None = None


class SessionChange(NewSession):
    """Changes to a session. Fields that are left out stay as they are; null removes a value."""


class NewMessage(Value):
    """A message to answer.

    `mounted_checkpoint_id` and `history_base_seq` are given together or not at all.
    """

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
    """New content for a turn. With `expected_version`, a turn in another version is a conflict."""

    content: Content
    expected_version: Annotated[StrictInt, Field(ge=1)] | None = None


class NewNote(Value):
    """A new note on a turn."""

    content: Annotated[Content, StringConstraints(max_length=10_000)]


class MemoryChange(PartialContent):
    """One verdict on `expected_revision`, the revision that the user has seen.

    Either new content (fields that are left out stay as they are), or one of `review`, `saved` and
    `dismissed`.
    """

    expected_revision: Annotated[StrictInt, Field(ge=1)]
    review: Review | None = None
    saved: StrictBool | None = None
    dismissed: StrictBool | None = None

    @model_validator(mode="after")
    def _one_verdict(self) -> "MemoryChange":
        given = self.model_fields_set - {"expected_revision"}
        judgments = given - PartialContent.model_fields.keys()
        if len(judgments) + (given != judgments) != 1:
            raise ValueError("give other words, or one of review, saved and dismissed")
        if any(getattr(self, name) is None for name in given):
            raise ValueError("what is given can't be null")
        return self

    @property
    def action(self) -> Action:
        """The action that the given fields stand for."""
        if self.review is not None:
            return _ACTION_OF_REVIEW[self.review]
        if self.saved is not None:
            return Action.SAVE if self.saved else Action.UNSAVE
        if self.dismissed is not None:
            return Action.DISMISS if self.dismissed else Action.UNDISMISS
        return Action.CORRECT

    def verdict(self, memory_id: str, idempotency_key: str | None) -> Verdict:
        """Returns the verdict on that memory."""
        action = self.action
        return Verdict(
            memory_id=memory_id,
            action=action,
            expected_revision=self.expected_revision,
            words=self if action is Action.CORRECT else None,
            idempotency_key=idempotency_key,
        )


_ACTION_OF_REVIEW = {
    Review.CONFIRMED: Action.CONFIRM,
    Review.REJECTED: Action.REJECT,
    Review.UNREVIEWED: Action.UNREVIEW,
}


class ProfileChange(Value):
    """Changes to the profile. Fields that are left out stay as they are; null removes a value.

    Null for a retention means that nothing expires.
    """

    display_name: Name | None = None
    about: Text | None = None
    time_zone: Annotated[StrictStr, AfterValidator(_valid_zone)] | None = None
    language: Language | None = None
    turn_retention_days: Days | None = None
    memory_retention_days: Days | None = None


LabelFilter = Annotated[str | None, Query(min_length=1, max_length=100)]
IdFilter = Annotated[str | None, Query(min_length=1, max_length=64)]
Question = Annotated[str, Query(min_length=1, max_length=4_000, description="What to look for.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryListQuery:
    """The query parameters of the list of memories."""

    limit: Limit = 20
    cursor: Cursor = None
    kind: Kind | None = None
    label: LabelFilter = None
    session: IdFilter = None
    review: Review | Literal["any"] | None = None
    saved: YesNo = YesNo.ANY
    dismissed: YesNo = YesNo.NO
    state: State | Literal["any"] = State.ACTIVE
    freshness: Freshness | Literal["any"] = Freshness.CURRENT

    def memory_filter(self) -> MemoryFilter:
        """Returns the filter that the parameters describe."""
        return MemoryFilter(
            kind=self.kind,
            label=self.label,
            source=self.session,
            review=self.review,
            saved=self.saved,
            dismissed=self.dismissed,
            state=self.state,
            freshness=self.freshness,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSearch:
    """The query parameters of a recall search: the question, and where to look."""

    q: Question
    limit: Annotated[int, Query(ge=1, le=100)] = 5
    scope: Literal["account", "space", "session"] = "account"
    session_id: IdFilter = None
    space_id: IdFilter = None
