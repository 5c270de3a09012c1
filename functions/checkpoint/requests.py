"""The request bodies of the mount function's routes."""

from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt, StrictStr, StringConstraints, model_validator

from strandline.api.fields import Content as NonBlank
from strandline.api.fields import Name
from strandline.ids import MAX_SEQUENCE
from strandline.models.base import Value
from strandline.models.checkpoint import Content

Id = Annotated[StrictStr, StringConstraints(max_length=400)]
Branch = Annotated[StrictStr, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,59}$")]
Number = Annotated[StrictInt, Field(ge=0, le=MAX_SEQUENCE)]

_DRAFT_ONLY_FIELDS = frozenset({"left_out", "dropped", "model", "usage"})


def _line_text(line: Any) -> Any:
    """Returns the text of a draft's line with citations; anything else unchanged."""
    return line["text"] if isinstance(line, dict) and line.keys() == {"text", "citations"} else line


class NewMount(Value):
    """A checkpoint to mount."""

    checkpoint_id: Id


class NewCheckpoint(Content):
    """A checkpoint to commit, of a session's turns or of none (an agent's push).

    `to_sequence` is the last turn it covers; without it, the session's last. A draft may be sent
    back unchanged: fields that only a draft has are ignored, and of a line with citations the text
    is taken.
    """

    title: Name
    session_id: Id | None = None
    from_sequence: Number | None = None
    to_sequence: Number | None = None
    branch: Branch | None = None
    author: Name = "user"
    merge_parent_id: Id | None = None
    expected_parent_id: Id | None = None
    """The branch's head that this was made for; with another head the commit is a conflict."""

    @model_validator(mode="before")
    @classmethod
    def _accept_draft(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        kept = {name: value for name, value in given.items() if name not in _DRAFT_ONLY_FIELDS}
        for name in ("decisions", "tasks"):
            if isinstance(kept.get(name), list):
                kept[name] = [_line_text(line) for line in kept[name]]
        return kept

    @model_validator(mode="after")
    def _check_range(self) -> "NewCheckpoint":
        ranged = self.from_sequence is not None or self.to_sequence is not None
        if ranged and self.session_id is None:
            raise ValueError("a range of turns needs its session_id")
        first, last = self.from_sequence, self.to_sequence
        if first is not None and last is not None and first > last:
            raise ValueError("from_sequence lies behind to_sequence")
        return self


class NewNote(Value):
    """A note to attach to a checkpoint."""

    content: Annotated[NonBlank, StringConstraints(max_length=10_000)]


class NewFork(Value):
    """A session to fork off a checkpoint."""

    title: Name | None = None
    branch: Branch | None = None


class NewMerge(Value):
    """A checkpoint to merge into another, and the branch to commit the merge on."""

    other: Id = Field(alias="with")
    branch: Branch | None = None


class NewImport(Value):
    """A conversation to import, in exactly one of three forms.

    `text` is a transcript with a speaker at the beginning of each turn, `messages` a list as the
    APIs of OpenAI and Anthropic take it, `conversation` an object of ChatGPT's data export.
    """

    text: NonBlank | None = None
    messages: tuple[Any, ...] | None = None
    conversation: dict[str, Any] | None = None
    format: Literal["auto", "text", "openai", "anthropic", "chatgpt"] = "auto"
    title: Name | None = None
    space_id: Id | None = None
    extract: StrictBool = False

    @model_validator(mode="after")
    def _check_format(self) -> "NewImport":
        given = [name for name in ("text", "messages", "conversation") if getattr(self, name)]
        if len(given) != 1:
            raise ValueError("one of text, messages and conversation is needed, and only one")
        if _FIELD_OF_FORMAT.get(self.format, given[0]) != given[0]:
            raise ValueError(f"{given[0]} isn't of the format {self.format}")
        return self


_FIELD_OF_FORMAT = {
    "text": "text",
    "openai": "messages",
    "anthropic": "messages",
    "chatgpt": "conversation",
}
