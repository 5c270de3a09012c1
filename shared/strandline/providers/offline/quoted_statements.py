"""Rules for a few things said in languages other than English.

The text is the quote: it keeps its language.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from strandline.language.data import loader
from strandline.providers.offline.finding import Finding, as_sentence, normalized_object

if TYPE_CHECKING:
    from strandline.language.data.offline_schema import Meaning
    from strandline.language.data.schema import Language


@dataclass(frozen=True, slots=True)
class _Meaning:
    importance: float
    topic: str
    labels: tuple[str, ...] = ()
    kind: str = "observation"


_MEANINGS: dict["Meaning", _Meaning] = {
    "allergy": _Meaning(0.9, "allergy: {object}", ("health",)),
    "home": _Meaning(0.8, "home city", ("home",)),
    "diet": _Meaning(0.8, "diet: {object}", ("food",)),
    "regime": _Meaning(0.8, "diet", ("food",)),
    "opinion": _Meaning(0.6, "opinion of {object}", ("preference",)),
    "job": _Meaning(0.7, "job", ("work",)),
    "name": _Meaning(0.8, "name", ("name",)),
    "fear": _Meaning(0.7, "fear of {object}"),
    "decision": _Meaning(0.8, "", kind="decision"),
    "commitment": _Meaning(0.7, "", kind="commitment"),
    "own": _Meaning(0.6, "{object}"),
    "self": _Meaning(0.4, ""),
}


def find_quoted_statement(reading: str) -> Finding | None:
    """What a clause in a language with such rules says, its own words as the text."""
    if _question_ending().search(reading):
        return None
    for rules in _rules_of_languages():
        if match := rules.relation.match(reading):
            subject = match["name"] or match["relation"]
            return Finding(
                "observation", as_sentence(subject), as_sentence(reading), 0.5, subject=subject
            )
        for meaning, pattern in rules.patterns:
            if match := pattern.fullmatch(reading):
                return _finding(meaning, rules.titles[meaning], match, reading)
    return None


def _finding(name: "Meaning", title: str, match: re.Match[str], reading: str) -> Finding:
    meaning = _MEANINGS[name]
    caught = normalized_object(match.groupdict().get("object") or "")
    return Finding(
        kind=meaning.kind,
        title=title,
        text=as_sentence(reading),
        importance=meaning.importance,
        labels=meaning.labels,
        topic=meaning.topic.format(object=_not_of_the_object().sub("", caught)),
    )


@dataclass(frozen=True, slots=True)
class _LanguageRules:
    """A language's patterns: what is said of a person of one's own, and of oneself."""

    relation: re.Pattern[str]
    patterns: tuple[tuple["Meaning", re.Pattern[str]], ...]
    titles: Mapping["Meaning", str]


@cache
def _rules_of_languages() -> tuple[_LanguageRules, ...]:
    return tuple(map(_rules_of, (each for each in loader.languages() if each.offline.quoted.rules)))


def _rules_of(language: "Language") -> _LanguageRules:
    quoted = language.offline.quoted
    flags = re.IGNORECASE | re.DOTALL
    return _LanguageRules(
        relation=_relation(quoted.owner, quoted.relations, spaced=language.spaced),
        patterns=tuple((name, re.compile(rule, flags)) for name, rule in quoted.rules.items()),
        titles=quoted.titles,
    )


def _relation(owner: str, relations: str, *, spaced: bool) -> re.Pattern[str]:
    """Someone of one's own, perhaps with a name, and what is said of them."""
    if not (owner and relations):
        return re.compile(r"(?!)")
    if not spaced:
        name = r"(?P<name>[A-Z][a-z]+)?"
        return re.compile(rf"^(?:{owner})(?P<relation>{relations}){name}.+$", re.DOTALL)
    name = r"(?:\s+(?P<name>[A-ZÀ-ÖØ-Þ][\w-]+))?"
    said = r"(?:\s+\w.*|\s*[^\s\w].*)$"
    return re.compile(rf"^(?i:{owner})\s+(?P<relation>(?i:{relations})){name}{said}", re.DOTALL)


@cache
def _question_ending() -> re.Pattern[str]:
    endings = loader.alternatives(lambda each: each.offline.quoted.question_endings)
    return re.compile(rf"(?:{endings})$")


@cache
def _not_of_the_object() -> re.Pattern[str]:
    """Articles in front of a thing, and what else doesn't belong to it."""
    articles = sorted(loader.words(lambda each: each.offline.objects.articles))
    longest_first = sorted(map(re.escape, articles), key=len, reverse=True)
    noise = loader.alternatives(lambda each: each.offline.objects.noise)
    return re.compile(rf"^(?:{'|'.join(longest_first) or '(?!)'})\s+|{noise}", re.IGNORECASE)
