"""What clients may send."""

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


_ONLY_IN_DRAFTS = frozenset({"left_out", "dropped", "model", "usage"})


def _text_of(line: Any) -> Any:
    return line["text"] if isinstance(line, dict) and line.keys() == {"text", "citations"} else line


class NewMount(Value):
    """A checkpoint to mount."""

    checkpoint_id: Id


class NewCheckpoint(Content):
    """A checkpoint to commit, of a session's turns or of none (an agent's push).

    `to_sequence` says up to which turn it goes, as its draft said; without it, all there are.
    A draft may be sent back as it came: what only a draft has is left aside, and of a line with
    its citations the text is taken.
    """

    title: Name
    session_id: Id | None = None
    from_sequence: Number | None = None
    to_sequence: Number | None = None
    branch: Branch | None = None
    author: Name = "user"
    merge_parent_id: Id | None = None
    expected_parent_id: Id | None = None
    """The branch's head this was made for; another one is a conflict."""

    @model_validator(mode="before")
    @classmethod
    def _as_drafted(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        kept = {name: value for name, value in given.items() if name not in _ONLY_IN_DRAFTS}
        for name in ("decisions", "tasks"):
            if isinstance(kept.get(name), list):
                kept[name] = [_text_of(line) for line in kept[name]]
        return kept

    @model_validator(mode="after")
    def _range_of_a_session(self) -> "NewCheckpoint":
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
    """A checkpoint to merge into another, and the branch the merge is to be committed on."""

    other: Id = Field(alias="with")
    branch: Branch | None = None


class NewImport(Value):
    """A conversation to import, in one of three forms.

    `text` is a transcript with a speaker at the beginning of each turn, `messages` a list as the
    APIs of OpenAI and Anthropic take it, `conversation` one of ChatGPT's export.
    """

    text: NonBlank | None = None
    messages: tuple[Any, ...] | None = None
    conversation: dict[str, Any] | None = None
    format: Literal["auto", "text", "openai", "anthropic", "chatgpt"] = "auto"
    title: Name | None = None
    space_id: Id | None = None
    extract: StrictBool = False

    @model_validator(mode="after")
    def _one_form(self) -> "NewImport":
        given = [name for name in ("text", "messages", "conversation") if getattr(self, name)]
        if len(given) != 1:
            raise ValueError("one of text, messages and conversation is needed, and only one")
        if _FORMS.get(self.format, given[0]) != given[0]:
            raise ValueError(f"{given[0]} isn't of the format {self.format}")
        return self


_FORMS = {
    "text": "text",
    "openai": "messages",
    "anthropic": "messages",
    "chatgpt": "conversation",
}
