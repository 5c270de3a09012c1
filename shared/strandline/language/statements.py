"""What a memory states, in a form that can be compared."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol

from strandline.language.content_words import content_stems, unmatched
from strandline.language.data import loader
from strandline.language.folding import fold_lower
from strandline.language.people import canonical_subject
from strandline.language.polarity import Polarity, polarity
from strandline.language.word_order import WordOrder, is_swapped, word_order
from strandline.models.memory import Kind

ASSERTED = frozenset({Kind.OBSERVATION, Kind.SUMMARY, Kind.DECISION, Kind.COMMITMENT})
"""Kinds under which the same fact may come, told one way today and another tomorrow."""

_PUNCTUATION = re.compile(r"[^\w]+")
_MARKS = re.compile(
    r"(?<![\w.,])-\d[\d.,]*|\b\w(?:\+\+|#)|\b[^\W_]{1,2}[+-](?![\w+])|[$€£¥₹%<>≤≥≠±]"
)


class HasStatement(Protocol):
    """A memory, or what may become one."""

    @property
    def kind(self) -> Kind: ...

    @property
    def text(self) -> str: ...

    @property
    def subject(self) -> str: ...

    @property
    def topic(self) -> str: ...

    @property
    def language(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Statement:
    """`words` are its content stems, `matter` those without words that only turn it.

    `many` tells whether such things may hold side by side, `names` are the capitalised words,
    `marks` the signs that punctuation is part of: "-5", "C++", "A+", "$", "<".
    """

    folded: str
    words: frozenset[str]
    matter: frozenset[str]
    polarity: Polarity
    many: bool
    names: frozenset[str]
    marks: frozenset[str]
    order: WordOrder
    topic: frozenset[str]
    subject: str


def statement_of(value: HasStatement) -> Statement:
    """What it states."""
    return _statement(value.text, value.subject, value.topic, value.language)


def compatible(a: Kind, b: Kind) -> bool:
    """Whether the same fact may be told as either kind."""
    return a is b or {a, b} <= ASSERTED


def same_fact(a: Statement, b: Statement) -> bool:
    """Whether both state one fact of one subject. Any other qualifier is another fact.

    The words alone decide. Vectors don't tell: with all-MiniLM-L6-v2 one word put for another
    gives 0.996 for "left" / "right", 0.98 for "before" / "after", 0.97 for "old" / "new", and
    0.93 for "sea" / "ocean".
    """
    if a.subject != b.subject or a.polarity is not b.polarity or a.marks != b.marks:
        return False
    if a.folded == b.folded:
        return True
    return bool(a.words) and _has_same_words(a, b) and not is_reversed(a, b)


def is_reversed(a: Statement, b: Statement) -> bool:
    """Whether one says in the other's words that it is the other way round."""
    return _has_same_words(a, b) and is_swapped(a.order, b.order, a.names | b.names)


def are_opposite(a: Statement, b: Statement) -> bool:
    """Whether one denies just what the other affirms."""
    if a.subject != b.subject or a.polarity is b.polarity or not a.matter:
        return False
    return not unmatched(a.matter, b.matter) and not unmatched(b.matter, a.matter)


def one_contains_other(a: Statement, b: Statement) -> bool:
    """Whether all that one speaks of, the other speaks of too."""
    return not unmatched(a.matter, b.matter) or not unmatched(b.matter, a.matter)


def statement_fingerprints(value: HasStatement) -> tuple[str, ...]:
    """Hashes of the statement, by its wording and by its content: they tell it, but not its words.

    SHA-256, the first 128 bits in hex.
    """
    statement = statement_of(value)
    marks = "".join(f"|{mark}" for mark in sorted(statement.marks))
    content_key = f"{statement.polarity}|{' '.join(sorted(statement.words))}"
    keys = [f"text|{statement.subject}|{statement.folded}{marks}"]
    keys += [f"content|{statement.subject}|{content_key}{marks}"] if statement.words else []
    return tuple(hashlib.sha256(key.encode()).hexdigest()[:32] for key in keys)


@lru_cache(maxsize=512)
def _statement(text: str, subject: str, topic: str, language: str) -> Statement:
    words = frozenset(content_stems(text, language))
    return Statement(
        folded=_PUNCTUATION.sub(" ", fold_lower(text)).strip(),
        words=words,
        matter=words - _feeling_stems() - _turning_stems(),
        polarity=polarity(text, language),
        many=bool(words & _feeling_stems()) or _is_plural_topic(topic, language),
        names=_capitalised_stems(text, language),
        marks=frozenset(_MARKS.findall(fold_lower(text).replace("\u2212", "-"))),
        order=word_order(text, language),
        topic=frozenset(content_stems(topic, language)) or frozenset(fold_lower(topic).split()),
        subject=canonical_subject(subject).casefold(),
    )


def _is_plural_topic(topic: str, language: str) -> bool:
    """Whether the topic is a plural ("allergies"), which something new adds to."""
    known = loader.language(language).topics
    if not known.plural:
        return False
    phrase = fold_lower(topic)
    head = (phrase.split(known.head_end)[0] if known.head_end else phrase).rpartition(" ")[2]
    return head not in known.singular and re.search(rf"(?:{known.plural})\Z", head) is not None


@cache
def _feeling_stems() -> frozenset[str]:
    """Stems of liking, disliking, not tolerating: each may hold of many things at once."""
    return loader.words(lambda each: each.words.feeling_stems)


@cache
def _turning_stems() -> frozenset[str]:
    """Stems that only say whether something is so, begins or ends."""
    return loader.words(lambda each: each.words.turning_stems)


def _capitalised_stems(text: str, language: str) -> frozenset[str]:
    """Stems of capitalised words, the first of the text left out."""
    capitalised = re.findall(r"(?<=\s)[^\W\d_]\w*", text)
    names = " ".join(word for word in capitalised if word[0].isupper())
    return frozenset(content_stems(names, language))


def _has_same_words(a: Statement, b: Statement) -> bool:
    """Whether their content words are the same, names to the letter: Daniel isn't Daniela."""
    names = (a.names | b.names) & (a.words ^ b.words)
    return not names and not unmatched(a.words, b.words) and not unmatched(b.words, a.words)
