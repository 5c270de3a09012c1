"""A memory's words as the user writes them, bounded and folded like those of extraction."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, StrictStr, StringConstraints, model_validator

from strandline.language.folding import one_line, strip_control_characters
from strandline.language.people import canonical_subject
from strandline.models.base import Value
from strandline.models.memory import (
    MAX_LABEL,
    MAX_LABELS,
    MAX_SUBJECT,
    MAX_TEXT,
    MAX_TITLE,
    MAX_TOPIC,
    Kind,
)


def _printable(text: str) -> str:
    """What may be left empty may not seem to say something that can't be seen."""
    if text and not one_line(text):
        raise ValueError("must hold something other than white space")
    return text


def _not_empty(text: str) -> str:
    if not one_line(text):
        raise ValueError("must hold something other than white space")
    return text


def _each_once(labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels))


Title = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_TITLE),
    AfterValidator(_not_empty),
    AfterValidator(one_line),
]
Text = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_TEXT),
    AfterValidator(_not_empty),
    AfterValidator(strip_control_characters),
]
Label = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_LABEL),
    AfterValidator(_not_empty),
    AfterValidator(one_line),
]
Labels = Annotated[tuple[Label, ...], Field(max_length=MAX_LABELS), AfterValidator(_each_once)]
Importance = Annotated[float, Field(strict=True, ge=0, le=1)]
Subject = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_SUBJECT),
    AfterValidator(_printable),
    AfterValidator(one_line),
    AfterValidator(canonical_subject),
]
Topic = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_TOPIC),
    AfterValidator(_printable),
    AfterValidator(one_line),
]


class Words(Value):
    """Everything a correction says: what isn't meant to change is said again."""

    kind: Kind
    title: Title
    text: Text
    importance: Importance
    labels: Labels
    subject: Subject
    topic: Topic


class PartialContent(Value):
    """Those of a memory's words that are to be others; a field that is left out stays."""

    kind: Kind | None = None
    title: Title | None = None
    text: Text | None = None
    importance: Importance | None = None
    labels: Labels | None = None
    subject: Subject | None = None
    topic: Topic | None = None

    @model_validator(mode="after")
    def _nothing_is_taken_away(self) -> "PartialContent":
        for name in self.model_fields_set & PartialContent.model_fields.keys():
            if getattr(self, name) is None:
                raise ValueError(f"{name} can't be null")
        return self


def given_fields(words: Words | PartialContent) -> dict[str, Any]:
    """The words that are to hold, by field."""
    return words.model_dump(include=set(PartialContent.model_fields), exclude_unset=True)
