"""Whether a memory's text affirms and denies what its source does."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from strandline.language.content_words import content_stems, count_shared
from strandline.language.data import loader
from strandline.language.detection import possible_languages
from strandline.language.folding import fold_lower
from strandline.language.sentences import split_clauses


class Polarity(StrEnum):
    """Whether a whole text affirms or denies."""

    AFFIRMED = "+"
    DENIED = "-"


@dataclass(frozen=True, slots=True)
class ClauseReading:
    """The polarity of one clause.

    `feeling` is 1 for liking, −1 for disliking, 0 for neither or both; an `open` clause
    goes with either polarity. `excuses` are the beginnings of words that deny by what they mean.
    """

    negative: bool
    feeling: int
    open: bool
    excuses: frozenset[str]


def polarity_agrees(text: str, sources: Iterable[str], language: str) -> bool:
    """Whether each clause of `text` has the polarity of the source clauses it speaks of.

    A clause is compared with the sources that share most content words with it; where none
    does, only when there is nothing else on either side it could be compared with.
    """
    given = [source for source in sources if source.strip()]
    said = [clause.text for clause in split_clauses(text)]
    alone = len(said) == 1 and len(given) == 1
    return all(
        _is_compatible(read_clause(clause, language), read_clause(source, language))
        for clause in said
        for source in _closest_sources(clause, given, language, alone=alone)
    )


def polarity(text: str, language: str) -> Polarity:
    """Whether the text, as a whole, affirms or denies: one clause that denies is enough."""
    readings = [read_clause(clause.text, language) for clause in split_clauses(text)]
    denied = any(r.feeling < 0 or (r.negative and not r.feeling) for r in readings)
    return Polarity.DENIED if denied else Polarity.AFFIRMED


@lru_cache(maxsize=1024)
def read_clause(clause: str, language: str) -> ClauseReading:
    """The polarity of the clause, read in every language that its words may be in."""
    text = fold_lower(clause)
    found = [_read_in_language(text, code) for code in _languages_to_read(clause, language)]
    negative = any(reading.negative for reading in found)
    feelings = {reading.feeling for reading in found} - {0}
    return ClauseReading(
        negative=negative,
        feeling=feelings.pop() if len(feelings) == 1 else 0,
        open=any(reading.open for reading in found),
        excuses=frozenset().union(*(reading.excuses for reading in found)),
    )


def _is_compatible(text: ClauseReading, source: ClauseReading) -> bool:
    if text.open or source.open:
        return True
    if text.feeling and source.feeling:
        return text.feeling == source.feeling
    # A word that stands on both sides denies nothing: "vegan" said of "not vegan".
    return text.negative == source.negative or text.excuses != source.excuses


def _closest_sources(
    clause: str, sources: Sequence[str], language: str, *, alone: bool
) -> list[str]:
    """The sources that share most content words with the clause; all of them if several do."""
    wanted = _stems(clause, language)
    shared = [count_shared(wanted, _stems(source, language)) for source in sources]
    most = max(shared, default=0)
    if most == 0:
        return list(sources) if alone else []
    return [source for source, count in zip(sources, shared, strict=True) if count == most]


def _stems(text: str, language: str) -> tuple[str, ...]:
    return content_stems(text, possible_languages(text, language)[0])


def _languages_to_read(text: str, language: str) -> tuple[str, ...]:
    known = _languages_with_negation()
    given = tuple(code for code in possible_languages(text, language) if code in known)
    return given or (loader.DEFAULT,)


def _read_in_language(text: str, code: str) -> ClauseReading:
    words = _patterns(code)
    rest = words.harmless.sub(" ", text)
    dislikes = words.disliking.search(rest) is not None
    avoids = words.avoiding.search(rest) is not None
    likes = words.liking.search(rest) is not None
    bare = words.avoiding.sub(" ", words.disliking.sub(" ", rest))
    denials = len(words.negators.findall(bare))
    negated = denials > 0
    feeling = 0 if likes == dislikes else (1 if likes else -1)
    return ClauseReading(
        negative=negated != (dislikes or avoids),
        feeling=-feeling if negated or avoids else feeling,
        open=words.undecided.search(rest) is not None or (words.negators_cancel and denials == 2),
        excuses=frozenset(match[0][:5] for match in words.excusing.finditer(rest)),
    )


@dataclass(frozen=True, slots=True)
class _Patterns:
    """A language's words of negation; `negators_cancel` where two of them may make a yes."""

    negators: re.Pattern[str]
    harmless: re.Pattern[str]
    undecided: re.Pattern[str]
    avoiding: re.Pattern[str]
    disliking: re.Pattern[str]
    liking: re.Pattern[str]
    excusing: re.Pattern[str]
    negators_cancel: bool


@cache
def _languages_with_negation() -> frozenset[str]:
    return frozenset(each.code for each in loader.languages() if each.negation.negators)


@cache
def _patterns(code: str) -> _Patterns:
    data = loader.language(code)
    words, spaced = data.negation, data.spaced
    return _Patterns(
        negators=_compiled(words.negators, spaced=spaced),
        harmless=_compiled(words.harmless, spaced=spaced),
        undecided=_compiled(words.undecided, spaced=spaced),
        avoiding=_compiled(words.avoiding, spaced=spaced),
        disliking=_compiled(words.disliking, spaced=spaced),
        liking=_compiled(words.liking, spaced=spaced),
        excusing=_compiled(words.excusing, spaced=spaced),
        negators_cancel=words.negators_cancel,
    )


def _compiled(alternatives: str, *, spaced: bool) -> re.Pattern[str]:
    if not alternatives:
        return re.compile(r"(?!)")
    if not spaced:
        return re.compile(alternatives)
    return re.compile(rf"(?:(?<!\w)|(?<=')|^)(?:{alternatives})(?!\w)")
