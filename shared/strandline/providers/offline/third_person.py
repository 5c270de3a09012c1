"""From the first person to the third: "I don't eat my greens" → "Doesn't eat their greens"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from strandline.language.data import loader
from strandline.providers.offline.finding import as_sentence


def to_third_person(predicate: str) -> str:
    """What follows "I", said of someone: a sentence without its subject."""
    head = _grammar().head.fullmatch(predicate.strip())
    if head is None:
        return as_sentence(with_their_pronouns(predicate))
    return as_sentence(
        head["adverbs"] + _third_person_verb(head["verb"]) + with_their_pronouns(head["rest"])
    )


def with_their_pronouns(phrase: str) -> str:
    """`phrase` with the speaker's pronouns turned into "they" and "their"."""
    return _grammar().pronoun.sub(_replaced, phrase)


def _replaced(match: re.Match[str]) -> str:
    grammar = _grammar()
    # "US" is a country; only "us" and "Us" are the speaker.
    return match[0] if match[0] in grammar.unchanged else grammar.pronouns[match[0].lower()]


def _third_person_verb(verb: str) -> str:
    low = verb.lower()
    grammar = _grammar()
    return f"{low}s" if low in grammar.add_s else grammar.verbs.get(low, low)


@dataclass(frozen=True, slots=True)
class _Grammar:
    """What a predicate begins with, which words are the speaker's, and what they become."""

    head: re.Pattern[str]
    pronoun: re.Pattern[str]
    verbs: Mapping[str, str]
    add_s: frozenset[str]
    pronouns: Mapping[str, str]
    unchanged: frozenset[str]


@cache
def _grammar() -> _Grammar:
    known = loader.language("en").offline.third_person
    pronouns = "|".join(sorted(known.pronouns, key=len, reverse=True))
    adverbs = rf"(?P<adverbs>(?:(?:{known.adverbs})\s+)*)"
    return _Grammar(
        head=re.compile(rf"{adverbs}(?P<verb>'?[\w']+)(?P<rest>.*)", re.IGNORECASE | re.DOTALL),
        pronoun=re.compile(rf"(?<![\w'.-])(?:{pronouns})(?![\w'-])", re.IGNORECASE),
        verbs=known.verbs,
        add_s=known.add_s,
        pronouns=known.pronouns,
        unchanged=known.unchanged,
    )
