"""History selection: the newest whole exchanges of a window that fit into the prompt."""

from collections.abc import Sequence
from dataclasses import dataclass

from strandline.models.receipt import LeftOut
from strandline.models.turn import Role, Turn, TurnStatus


@dataclass(frozen=True, slots=True)
class HistoryLimits:
    """The most turns, and the most characters of their contents, that a history may hold."""

    turns: int
    characters: int


@dataclass(frozen=True, slots=True)
class HistorySelection:
    """The selected turns, oldest first, and what was left out, with reasons."""

    turns: tuple[Turn, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A user turn and its answer."""

    user: Turn
    assistant: Turn

    @property
    def characters(self) -> int:
        return len(self.user.content) + len(self.assistant.content)


def select_history(
    turns: Sequence[Turn], limits: HistoryLimits, *, more_before: bool = False
) -> HistorySelection:
    """Returns the newest whole exchanges among `turns` (in any order) that fit, oldest first.

    A user turn without an answer is left out. `more_before` says that the caller read only the
    newest part of the window, so that older turns were left out as well.
    """
    exchanges, unanswered = _exchanges(turns)
    left_out = [_omitted_turn(turn, "unanswered") for turn in unanswered]
    taken: list[_Exchange] = []
    characters = 0
    for exchange in reversed(exchanges):
        reason = _exceeded_limit(taken, characters + exchange.characters, limits)
        if reason:
            older = exchanges[: len(exchanges) - len(taken)]
            left_out.append(_omitted_exchanges(older, reason))
            break
        taken.append(exchange)
        characters += exchange.characters
    else:
        if more_before:
            left_out.append(LeftOut(what="history", reason="turn_limit"))
    chosen = [turn for each in reversed(taken) for turn in (each.user, each.assistant)]
    return HistorySelection(tuple(chosen), tuple(left_out))


def _exceeded_limit(taken: Sequence[_Exchange], characters: int, limits: HistoryLimits) -> str:
    """Returns the reason why one more exchange doesn't fit, empty if it does."""
    if 2 * (len(taken) + 1) > limits.turns:
        return "turn_limit"
    return "character_budget" if characters > limits.characters else ""


def _exchanges(turns: Sequence[Turn]) -> tuple[list[_Exchange], list[Turn]]:
    by_number = {turn.sequence_number: turn for turn in turns}
    exchanges, unanswered = [], []
    for number in sorted(by_number):
        turn = by_number[number]
        if turn.role is not Role.USER:
            continue
        answer = by_number.get(number + 1)
        if answer is not None and answer.role is Role.ASSISTANT:
            exchanges.append(_Exchange(turn, answer))
        elif turn.status is not TurnStatus.ANSWERED:
            unanswered.append(turn)
    return exchanges, unanswered


def _omitted_turn(turn: Turn, reason: str) -> LeftOut:
    number = turn.sequence_number
    return LeftOut(what="history", reason=reason, from_sequence=number, to_sequence=number, turns=1)


def _omitted_exchanges(exchanges: Sequence[_Exchange], reason: str) -> LeftOut:
    return LeftOut(
        what="history",
        reason=reason,
        from_sequence=exchanges[0].user.sequence_number,
        to_sequence=exchanges[-1].assistant.sequence_number,
        turns=2 * len(exchanges),
    )
