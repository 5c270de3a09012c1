"""A memory's content as the user writes it, with the limits and folding of extraction."""

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


def _empty_or_visible(text: str) -> str:
    """Accepts an empty text, but no invisible one."""
    if text and not one_line(text):
        raise ValueError("must hold something other than white space")
    return text


def _visible(text: str) -> str:
    if not one_line(text):
        raise ValueError("must hold something other than white space")
    return text


def _without_duplicates(labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(labels))


Title = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_TITLE),
    AfterValidator(_visible),
    AfterValidator(one_line),
]
Text = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_TEXT),
    AfterValidator(_visible),
    AfterValidator(strip_control_characters),
]
Label = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_LABEL),
    AfterValidator(_visible),
    AfterValidator(one_line),
]
Labels = Annotated[
    tuple[Label, ...], Field(max_length=MAX_LABELS), AfterValidator(_without_duplicates)
]
Importance = Annotated[float, Field(strict=True, ge=0, le=1)]
Subject = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_SUBJECT),
    AfterValidator(_empty_or_visible),
    AfterValidator(one_line),
    AfterValidator(canonical_subject),
]
Topic = Annotated[
    StrictStr,
    StringConstraints(max_length=MAX_TOPIC),
    AfterValidator(_empty_or_visible),
    AfterValidator(one_line),
]


class Words(Value):
    """The whole content of a correction; unchanged fields are repeated."""

    kind: Kind
    title: Title
    text: Text
    importance: Importance
    labels: Labels
    subject: Subject
    topic: Topic


class PartialContent(Value):
    """The changed fields of a memory's content; a field that is left out stays as it is."""

    kind: Kind | None = None
    title: Title | None = None
    text: Text | None = None
    importance: Importance | None = None
    labels: Labels | None = None
    subject: Subject | None = None
    topic: Topic | None = None

    @model_validator(mode="after")
    def _no_field_is_null(self) -> "PartialContent":
        for name in self.model_fields_set & PartialContent.model_fields.keys():
            if getattr(self, name) is None:
                raise ValueError(f"{name} can't be null")
        return self


def given_fields(words: Words | PartialContent) -> dict[str, Any]:
    """Returns the fields that were given, by name."""
    return words.model_dump(include=set(PartialContent.model_fields), exclude_unset=True)
