"""Selects what a draft is made from: the newest turns of a window, or a document. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from functions.checkpoint.drafts.response import LeftOut
from strandline.models.turn import Role, Turn, TurnStatus

DOCUMENT = 0
"""The number of a document as a source; turns are numbered from 1."""


@dataclass(frozen=True, slots=True)
class PromptLimits:
    """How many characters go in, of all turns and of one, and how many lines of a list come out."""

    window_characters: int
    turn_characters: int
    lines: int


FULL = PromptLimits(window_characters=60_000, turn_characters=12_000, lines=20)
SMALLER = PromptLimits(window_characters=20_000, turn_characters=4_000, lines=6)
"""For the second attempt, after a reply that was cut off by its length."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text that can be quoted; `turn` is None for a document."""

    content: str
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The source texts of a draft by number, in order, and what was left out of the window."""

    sources: dict[int, SourceText]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The contents of all sources."""
        return tuple(source.content for source in self.sources.values())


def document_excerpt(document: str) -> Excerpt:
    """Returns an excerpt whose only source is the document."""
    return Excerpt({DOCUMENT: SourceText(document)})


def turns_excerpt(
    turns: Sequence[Turn], limits: PromptLimits, *, first: int | None, more: bool
) -> Excerpt:
    """Returns the newest turns that fit, oldest first; `turns` are given newest first.

    A question that is being answered now is left out with all that follows it. A reply is never
    shown without its question if the window has that. `more` says that older turns were not read,
    `first` is the number they may begin at.
    """
    complete = list(_before_pending_question(turns))
    taken = _newest_that_fit(complete, limits)
    left_out: list[LeftOut] = []
    if len(taken) < len(complete):
        older = complete[len(taken) :]
        oldest = first if more else older[-1].sequence_number
        left_out.append(_left_out("character_budget", oldest, older[0].sequence_number))
    elif more and taken:
        left_out.append(_left_out("turn_limit", first, taken[-1].sequence_number - 1))
    pending = turns[: len(turns) - len(complete)]
    long = [turn for turn in taken if len(turn.content) > limits.turn_characters]
    left_out += [_left_out("shortened", n, n) for n in _sequence_numbers(long)]
    left_out += [_left_out("being_answered", n, n) for n in _sequence_numbers(pending)]
    sources = {turn.sequence_number: SourceText(turn.content, turn) for turn in reversed(taken)}
    return Excerpt(sources, tuple(left_out))


def _sequence_numbers(turns: Sequence[Turn]) -> list[int]:
    return sorted(turn.sequence_number for turn in turns)


def _before_pending_question(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Returns the turns, newest first, older than any question that is being answered."""
    pending = [n for n, turn in enumerate(turns) if turn.status is TurnStatus.ANSWERING]
    return turns[pending[-1] + 1 if pending else 0 :]


def _newest_that_fit(turns: Sequence[Turn], limits: PromptLimits) -> list[Turn]:
    taken: list[Turn] = []
    characters = 0
    for turn in turns:
        characters += min(len(turn.content), limits.turn_characters)
        if taken and characters > limits.window_characters:
            break
        taken.append(turn)
    cut = len(taken) < len(turns)
    if cut and len(taken) > 1 and taken[-1].role is Role.ASSISTANT:
        taken.pop()
    return taken


def _left_out(reason: str, first: int | None, last: int) -> LeftOut:
    return LeftOut(reason=reason, from_sequence=first, to_sequence=last)
