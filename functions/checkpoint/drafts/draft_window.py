"""What a draft is drawn from: the newest turns of a window that fit, or a document."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from functions.checkpoint.drafts.draft_response import LeftOut
from strandline.models.turn import Role, Turn, TurnStatus

DOCUMENT = 0
"""The number under which a document is quoted; turns count from 1."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many characters go in, of all turns and of one, and how many lines of a kind come out."""

    window: int
    turn: int
    lines: int


FULL = Size(window=60_000, turn=12_000, lines=20)
SMALLER = Size(window=20_000, turn=4_000, lines=6)
"""For another try after a reply that was cut off by its length."""


@dataclass(frozen=True, slots=True)
class Place:
    """A text that can be quoted, and the turn it is, if it is one."""

    content: str
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The places of a draft by number, in order, and what was left out of the window."""

    places: dict[int, Place]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """All that can be quoted."""
        return tuple(place.content for place in self.places.values())


def of_document(document: str) -> Excerpt:
    """A document as the only place."""
    return Excerpt({DOCUMENT: Place(document)})


def of_turns(turns: Sequence[Turn], size: Size, *, first: int | None, more: bool) -> Excerpt:
    """The newest of a window's turns, given newest first, that fit, oldest first.

    A question that is being answered now waits, with all behind it, for the next draft; a reply
    never stands without its question where that is in the window. `more` says that older turns
    were not read, `first` from which number on there may be some.
    """
    settled = list(_settled(turns))
    taken = _fitting(settled, size)
    left_out: list[LeftOut] = []
    if len(taken) < len(settled):
        older = settled[len(taken) :]
        oldest = first if more else older[-1].sequence_number
        left_out.append(_left("character_budget", oldest, older[0].sequence_number))
    elif more and taken:
        left_out.append(_left("turn_limit", first, taken[-1].sequence_number - 1))
    waiting = turns[: len(turns) - len(settled)]
    long = [turn for turn in taken if len(turn.content) > size.turn]
    left_out += [_left("shortened", n, n) for n in _numbers(long)]
    left_out += [_left("being_answered", n, n) for n in _numbers(waiting)]
    places = {turn.sequence_number: Place(turn.content, turn) for turn in reversed(taken)}
    return Excerpt(places, tuple(left_out))


def _numbers(turns: Sequence[Turn]) -> list[int]:
    return sorted(turn.sequence_number for turn in turns)


def _settled(turns: Sequence[Turn]) -> Iterator[Turn]:
    waiting = [n for n, turn in enumerate(turns) if turn.status is TurnStatus.ANSWERING]
    yield from turns[waiting[-1] + 1 if waiting else 0 :]


def _fitting(turns: Sequence[Turn], size: Size) -> list[Turn]:
    taken: list[Turn] = []
    characters = 0
    for turn in turns:
        characters += min(len(turn.content), size.turn)
        if taken and characters > size.window:
            break
        taken.append(turn)
    cut = len(taken) < len(turns)
    if cut and len(taken) > 1 and taken[-1].role is Role.ASSISTANT:
        taken.pop()
    return taken


def _left(reason: str, first: int | None, last: int) -> LeftOut:
    return LeftOut(reason=reason, from_sequence=first, to_sequence=last)
