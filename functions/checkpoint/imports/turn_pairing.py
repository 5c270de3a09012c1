"""Pairs the messages of a conversation into questions and answers, as a session holds them. Pure.

A session numbers its turns in pairs. Several messages of one speaker in a row are therefore joined
into one turn, with a blank line between them. What the assistant says before the first question is
skipped. A question without an answer stays unanswered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from functions.checkpoint.imports.transcript import ImportedMessage, Skipped
from strandline.models.turn import Role


@dataclass(frozen=True, slots=True)
class TurnPair:
    """A question, and its answer if it has one."""

    question: ImportedMessage
    answer: ImportedMessage | None = None


@dataclass(frozen=True, slots=True)
class PairedTurns:
    """A conversation in pairs; `joined` counts the messages joined to the one before them."""

    pairs: tuple[TurnPair, ...]
    skipped: tuple[Skipped, ...]
    joined: int


def pair_turns(messages: Sequence[ImportedMessage]) -> PairedTurns:
    """Returns the messages in pairs; every word is kept, or skipped with a reason."""
    runs = [[*group] for _, group in groupby(messages, key=lambda each: each.role)]
    skipped: tuple[Skipped, ...] = ()
    if runs and runs[0][0].role is Role.ASSISTANT:
        skipped = tuple(
            Skipped(reason="an answer before any question", role=each.role, content=each.content)
            for each in runs.pop(0)
        )
    turns = [_join_run(run) for run in runs]
    answers: list[ImportedMessage | None] = [*turns[1::2], None][: len(turns[::2])]
    pairs = tuple(TurnPair(*both) for both in zip(turns[::2], answers, strict=True))
    return PairedTurns(pairs, skipped, sum(len(run) - 1 for run in runs))


def _join_run(run: Sequence[ImportedMessage]) -> ImportedMessage:
    return replace(run[0], content="\n\n".join(each.content for each in run))


def assign_times(pairs: Sequence[TurnPair], now: datetime) -> tuple[list[TurnPair], int]:
    """Returns the pairs with a time on each message, and how many given times were changed.

    Times never decrease along a session and never lie in the future. A message without a time
    takes that of the message before it, at the beginning that of the first message that has one.
    """
    given = [each.at for pair in pairs for each in _pair_messages(pair)]
    at = min(next((each for each in given if each is not None), now), now)
    changed = 0
    timed: list[TurnPair] = []
    for pair in pairs:
        dated = []
        for each in _pair_messages(pair):
            kept = each.at if each.at is not None and at <= each.at <= now else at
            changed += each.at is not None and kept != each.at
            at = kept
            dated.append(replace(each, at=at))
        timed.append(TurnPair(*dated))
    return timed, changed


def _pair_messages(pair: TurnPair) -> list[ImportedMessage]:
    return [pair.question] if pair.answer is None else [pair.question, pair.answer]
