"""What a session can hold of a conversation: questions with their answers, in order. Pure.

A session numbers its turns in pairs, a question and the answer to it. So several messages of one
speaker in a row are joined into one turn, with a blank line between; what the assistant says
before any question answers nothing and is skipped; a question that nobody answered stays one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from functions.checkpoint.imports.transcript_parser import Said, Skipped
from strandline.models.turn import Role


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and its answer, if it got one."""

    question: Said
    answer: Said | None = None


@dataclass(frozen=True, slots=True)
class Paired:
    """A conversation in pairs; `joined` counts the messages that were put to the one before."""

    pairs: tuple[Pair, ...]
    skipped: tuple[Skipped, ...]
    joined: int


def pairs_of(said: Sequence[Said]) -> Paired:
    """The messages in pairs, every word kept or skipped with a reason."""
    runs = [[*group] for _, group in groupby(said, key=lambda each: each.role)]
    skipped: tuple[Skipped, ...] = ()
    if runs and runs[0][0].role is Role.ASSISTANT:
        skipped = tuple(
            Skipped(reason="an answer before any question", role=each.role, content=each.content)
            for each in runs.pop(0)
        )
    turns = [_joined(run) for run in runs]
    answers: list[Said | None] = [*turns[1::2], None][: len(turns[::2])]
    pairs = tuple(Pair(*both) for both in zip(turns[::2], answers, strict=True))
    return Paired(pairs, skipped, sum(len(run) - 1 for run in runs))


def _joined(run: Sequence[Said]) -> Said:
    return replace(run[0], content="\n\n".join(each.content for each in run))


def timed(pairs: Sequence[Pair], now: datetime) -> tuple[list[Pair], int]:
    """The pairs with a time on each message, and how many given times could not be kept.

    Times never go back along a session, nor lie in the future. What has none takes that of the
    message before it, at the beginning that of the first that has one.
    """
    given = [each.at for pair in pairs for each in _messages(pair)]
    at = min(next((each for each in given if each is not None), now), now)
    changed = 0
    made: list[Pair] = []
    for pair in pairs:
        dated = []
        for each in _messages(pair):
            kept = each.at if each.at is not None and at <= each.at <= now else at
            changed += each.at is not None and kept != each.at
            at = kept
            dated.append(replace(each, at=at))
        made.append(Pair(*dated))
    return made, changed


def _messages(pair: Pair) -> list[Said]:
    return [pair.question] if pair.answer is None else [pair.question, pair.answer]
