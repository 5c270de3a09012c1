"""Whether quoted words state something, or only suppose it, or ask for it."""

import re
from functools import cache
from itertools import pairwise

from strandline.language import modality_words
from strandline.language.folding import fold_lower
from strandline.language.sentences import (
    CONTEXT_CHARACTERS,
    TextSpan,
    spans_near,
    split_clauses,
    split_sentences,
)


def is_hypothetical(content: str, start: int, end: int) -> bool:
    """Whether the words of `content` from `start` to `end` stand in a supposition.

    A supposition told as a statement ("Imagine I'm a pirate.") goes on until something marks
    its end; one that only leads up to a question ends with it.
    """
    touched = spans_near(split_sentences(content), start, end)
    return any(_supposes(s, start, end) for s in touched) or _carried_into(content, start)


def is_question(content: str, start: int, end: int) -> bool:
    """Whether the words of `content` from `start` to `end` are asked for, not stated.

    Within a question, a clause that states stays a statement ("I'm vegan, any ideas?").
    """
    touched = spans_near(split_sentences(content), start, end)
    return bool(touched) and all(_asks(sentence, start, end) for sentence in touched)


def _supposes(sentence: TextSpan, start: int, end: int) -> bool:
    text = fold_lower(sentence.text)
    if _found("SUPPOSING", text):
        return True
    if _found("WOULD", _upto(sentence, end)) and not _found("ONCE", text):
        return True
    quoted = fold_lower(sentence.text[max(0, start - sentence.start) : end - sentence.start])
    return any(quoted and quoted in m[0] and m[0] != quoted for m in _all("IF_CLAUSE", text))


def _upto(sentence: TextSpan, end: int) -> str:
    """The sentence as far as the clauses that the quote touches go."""
    inner = [c for c in split_clauses(sentence.text) if c.start < end - sentence.start]
    return fold_lower(sentence.text[: inner[-1].end]) if inner else fold_lower(sentence.text)


def _carried_into(content: str, start: int) -> bool:
    before = content[max(0, start - CONTEXT_CHARACTERS) : start].rpartition("\n\n")[2]
    carried = False
    for sentence in split_sentences(before):
        text = fold_lower(sentence.text)
        asks = text.endswith(modality_words.QUESTION_MARKS)
        carried = (
            not asks and not _found("FOR_REAL", text) and (carried or _found("SUPPOSING", text))
        )
    here = spans_near(split_sentences(content), start, start + 1)
    return carried and not any(_found("FOR_REAL", fold_lower(sentence.text)) for sentence in here)


def _asks(sentence: TextSpan, start: int, end: int) -> bool:
    if not sentence.text.rstrip(" \n\"'”’)").endswith(modality_words.QUESTION_MARKS):
        return False
    text = fold_lower(sentence.text)
    if _found("REQUEST", text):
        return False
    first = max(0, start - sentence.start)
    quoted = fold_lower(sentence.text[first : end - sentence.start])
    before = fold_lower(sentence.text[:first])
    if _found("STATING", quoted):
        return _found("IN_DOUBT", before)
    return not _in_a_clause_that_states(sentence, first, end - sentence.start)


def _in_a_clause_that_states(sentence: TextSpan, start: int, end: int) -> bool:
    """Whether a comma or the like parts the quoted words from what asks."""
    parts = _parts(sentence.text)
    touched = [part for part in parts if part.start < end and start < part.end]
    if not touched or len(parts) == 1 or touched[-1] == parts[-1]:
        return False
    return not any(_is_asking(fold_lower(part.text)) for part in touched)


def _is_asking(clause: str) -> bool:
    opening = re.match(rf"\W*(?:{modality_words.ASKING})", clause)
    return opening is not None or _found("ASKING_UNSPACED", clause)


def _parts(text: str) -> list[TextSpan]:
    """The text between commas and the like; unlike clauses, every comma counts."""
    borders = [0, *(m.end() for m in re.finditer(r"[,;:，；：、—–]", text)), len(text)]
    return [TextSpan(a, b, text[a:b]) for a, b in pairwise(borders) if text[a:b].strip()]


def _found(name: str, text: str) -> bool:
    return _pattern(name).search(text) is not None


def _all(name: str, text: str) -> list[re.Match[str]]:
    return list(_pattern(name).finditer(text))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(getattr(modality_words, name))
