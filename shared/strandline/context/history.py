"""Which turns of the window go into the prompt: the newest whole pairs, within two limits."""

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.models.receipt import LeftOut
from strandline.models.turn import Role, Turn, TurnStatus


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """At most so many turns and so many characters of content."""

    turns: int
    characters: int


@dataclass(frozen=True, slots=True)
class HistorySelection:
    """The turns that go in, oldest first, and what was left out."""

    turns: tuple[Turn, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class _Pair:
    user: Turn
    assistant: Turn

    @property
    def characters(self) -> int:
        return len(self.user.content) + len(self.assistant.content)


def select_history(
    turns: Sequence[Turn], limits: HistoryLimits, *, more_before: bool = False
) -> HistorySelection:
    """The newest whole pairs of `turns` (any order) that fit, oldest first.

    A question without its answer isn't a pair and stays out. `more_before` says that the caller
    read only the newest part of the window.
    """
    pairs, lone = _pairs(turns)
    left_out = [_one(turn, "unanswered") for turn in lone]
    taken: list[_Pair] = []
    characters = 0
    for pair in reversed(pairs):
        reason = _full(taken, characters + pair.characters, limits)
        if reason:
            left_out.append(_range(pairs[: len(pairs) - len(taken)], reason))
            break
        taken.append(pair)
        characters += pair.characters
    else:
        if more_before:
            left_out.append(LeftOut(what="history", reason="turn_limit"))
    chosen = [turn for pair in reversed(taken) for turn in (pair.user, pair.assistant)]
    return HistorySelection(tuple(chosen), tuple(left_out))


def _full(taken: Sequence[_Pair], characters: int, limits: HistoryLimits) -> str:
    if 2 * (len(taken) + 1) > limits.turns:
        return "turn_limit"
    return "character_budget" if characters > limits.characters else ""


def _pairs(turns: Sequence[Turn]) -> tuple[list[_Pair], list[Turn]]:
    by_number = {turn.sequence_number: turn for turn in turns}
    pairs, lone = [], []
    for number in sorted(by_number):
        turn = by_number[number]
        if turn.role is not Role.USER:
            continue
        answer = by_number.get(number + 1)
        if answer is not None and answer.role is Role.ASSISTANT:
            pairs.append(_Pair(turn, answer))
        elif turn.status is not TurnStatus.ANSWERED:
            lone.append(turn)
    return pairs, lone


def _one(turn: Turn, reason: str) -> LeftOut:
    number = turn.sequence_number
    return LeftOut(what="history", reason=reason, from_sequence=number, to_sequence=number, turns=1)


def _range(pairs: Sequence[_Pair], reason: str) -> LeftOut:
    return LeftOut(
        what="history",
        reason=reason,
        from_sequence=pairs[0].user.sequence_number,
        to_sequence=pairs[-1].assistant.sequence_number,
        turns=2 * len(pairs),
    )
