"""What clients may send."""

from typing import Annotated, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, Field, StrictInt, StrictStr, StringConstraints, model_validator

from strandline.api.fields import Content, Name
from strandline.ids import MAX_SEQUENCE
from strandline.models.base import Value
from strandline.models.receipt import RecallScope


def _zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError("must be an IANA time zone, such as Europe/Oslo")
    return ZoneInfo(name).key


Text = Annotated[StrictStr, StringConstraints(max_length=4_000)]
ModelPart = Annotated[StrictStr, StringConstraints(pattern=r"^[A-Za-z0-9._:/@+-]{1,200}$")]
SpaceId = Annotated[StrictStr, StringConstraints(max_length=64)]
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


class NewNote(Value):
    """A note to attach to a turn."""

    content: Annotated[Content, StringConstraints(max_length=10_000)]


class ProfileChange(Value):
    """Fields of the profile to change; null takes a field away."""

    display_name: Name | None = None
    about: Text | None = None
    time_zone: Annotated[StrictStr, AfterValidator(_zone)] | None = None
    language: Language | None = None
