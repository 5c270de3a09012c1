"""Whether quoted words state something, suppose it or ask it."""

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from strandline.language.data import loader
from strandline.language.folding import fold_lower
from strandline.language.sentences import (
    CONTEXT_CHARACTERS,
    TextSpan,
    spans_near,
    split_clauses,
    split_sentences,
)

if TYPE_CHECKING:
    from strandline.language.data.schema import Modality

QUESTION_MARKS = ("?", "？", "؟")

_IN_A_TASK = r"(?:^|[.!?,;]\s*)(?:{openings})?(?:{tasks})\b[^.!?:]*(?::|\s[\"'])"
"""What hands over a text to be worked on: a task, and a colon or a quotation mark behind it."""


def is_hypothetical(content: str, start: int, end: int) -> bool:
    """Whether the words of `content` from `start` to `end` stand in a supposition.

    A supposition told as a statement ("Imagine I'm a pirate.") goes on until something marks
    its end; one that only leads up to a question ends with it.
    """
    touched = spans_near(split_sentences(content), start, end)
    return any(_is_supposed_in(s, start, end) for s in touched) or _supposition_continues(
        content, start
    )


def is_question(content: str, start: int, end: int) -> bool:
    """Whether the words of `content` from `start` to `end` are asked, not stated.

    Within a question, a clause that states stays a statement ("I'm vegan, any ideas?").
    """
    touched = spans_near(split_sentences(content), start, end)
    return bool(touched) and all(_is_asked_in(sentence, start, end) for sentence in touched)


def _is_supposed_in(sentence: TextSpan, start: int, end: int) -> bool:
    text = fold_lower(sentence.text)
    if _matches(_suppositions(), text):
        return True
    if _matches(_conditionals(), _up_to_quote_end(sentence, end)) and not _matches(
        _habits_of_the_past(), text
    ):
        return True
    quoted = fold_lower(sentence.text[max(0, start - sentence.start) : end - sentence.start])
    return any(quoted and quoted in m[0] and m[0] != quoted for m in _conditions().finditer(text))


def _up_to_quote_end(sentence: TextSpan, end: int) -> str:
    """The sentence up to the end of the last clause that the quote touches."""
    inner = [c for c in split_clauses(sentence.text) if c.start < end - sentence.start]
    return fold_lower(sentence.text[: inner[-1].end]) if inner else fold_lower(sentence.text)


def _supposition_continues(content: str, start: int) -> bool:
    before = content[max(0, start - CONTEXT_CHARACTERS) : start].rpartition("\n\n")[2]
    carried = False
    for sentence in split_sentences(before):
        text = fold_lower(sentence.text)
        asks = text.endswith(QUESTION_MARKS)
        carried = (
            not asks
            and not _matches(_returns_to_reality(), text)
            and (carried or _matches(_suppositions(), text))
        )
    here = spans_near(split_sentences(content), start, start + 1)
    return carried and not any(
        _matches(_returns_to_reality(), fold_lower(sentence.text)) for sentence in here
    )


def _is_asked_in(sentence: TextSpan, start: int, end: int) -> bool:
    if not sentence.text.rstrip(" \n\"'”’)").endswith(QUESTION_MARKS):
        return False
    text = fold_lower(sentence.text)
    if _matches(_requests(), text):
        return False
    first = max(0, start - sentence.start)
    quoted = fold_lower(sentence.text[first : end - sentence.start])
    before = fold_lower(sentence.text[:first])
    if _matches(_statement_openings(), quoted):
        return _matches(_doubts(), before)
    return not _in_stating_clause(sentence, first, end - sentence.start)


def _in_stating_clause(sentence: TextSpan, start: int, end: int) -> bool:
    """Whether a comma separates the quoted words from the part that asks."""
    parts = _comma_parts(sentence.text)
    touched = [part for part in parts if part.start < end and start < part.end]
    if not touched or len(parts) == 1 or touched[-1] == parts[-1]:
        return False
    return not any(_opens_question(fold_lower(part.text)) for part in touched)


def _opens_question(clause: str) -> bool:
    return _question_openings().match(clause) is not None or _matches(_question_words(), clause)


def _comma_parts(text: str) -> list[TextSpan]:
    """The text between commas and the like; unlike clauses, every comma counts."""
    borders = [0, *(m.end() for m in re.finditer(r"[,;:，；：、—–]", text)), len(text)]
    return [TextSpan(a, b, text[a:b]) for a, b in pairwise(borders) if text[a:b].strip()]


def _matches(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _of_every_language(select: Callable[["Modality"], str]) -> str:
    return loader.alternatives(lambda each: select(each.modality))


@cache
def _suppositions() -> re.Pattern[str]:
    tasks = _IN_A_TASK.format(
        openings=_of_every_language(lambda each: each.task_openings),
        tasks=loader.alternatives(lambda each: each.modality.tasks, spaced=True),
    )
    unspaced_tasks = loader.alternatives(lambda each: each.modality.tasks, spaced=False)
    supposing = _of_every_language(lambda each: each.supposing)
    return re.compile(f"{tasks}|{unspaced_tasks}|{supposing}")


@cache
def _conditionals() -> re.Pattern[str]:
    return re.compile(_of_every_language(lambda each: each.would))


@cache
def _habits_of_the_past() -> re.Pattern[str]:
    return re.compile(_of_every_language(lambda each: each.once))


@cache
def _conditions() -> re.Pattern[str]:
    """From the word that opens a condition to where the condition ends."""
    return re.compile(rf"\b(?:{_of_every_language(lambda each: each.conditions)})\b[^,.;!?]*")


@cache
def _returns_to_reality() -> re.Pattern[str]:
    return re.compile(_of_every_language(lambda each: each.reality))


@cache
def _requests() -> re.Pattern[str]:
    return re.compile(_of_every_language(lambda each: each.requests))


@cache
def _question_openings() -> re.Pattern[str]:
    fillers = _of_every_language(lambda each: each.question_fillers)
    questions = loader.alternatives(lambda each: each.modality.questions, spaced=True)
    return re.compile(rf"\W*(?:{fillers})*(?:{questions})\b")


@cache
def _question_words() -> re.Pattern[str]:
    return re.compile(loader.alternatives(lambda each: each.modality.questions, spaced=False))


@cache
def _statement_openings() -> re.Pattern[str]:
    fillers = _of_every_language(lambda each: each.statement_fillers)
    statements = _of_every_language(lambda each: each.statements)
    return re.compile(rf"^\W*(?:(?:{fillers})\s+)?(?:{statements})\b")


@cache
def _doubts() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_of_every_language(lambda each: each.doubts)})\s*$")
