"""What a speaker says of themselves, in English, and whether a phrase says when."""

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from strandline.language.data import loader
from strandline.providers.offline.finding import Finding, normalized_object
from strandline.providers.offline.third_person import to_third_person

if TYPE_CHECKING:
    from strandline.language.data.offline_schema import PredicateRule


def first_person_finding(reading: str) -> Finding | None:
    """What a clause that begins with "I" or "we" says of the speaker, if a rule matches."""
    said = _patterns().subject.fullmatch(reading)
    return predicate_finding(said["predicate"]) if said else None


def predicate_finding(predicate: str) -> Finding | None:
    """What the first matching rule finds in a predicate of "I"."""
    for pattern, rule in _patterns().rules:
        match = pattern.fullmatch(predicate)
        if match and (not rule.dated or says_when(predicate)):
            return Finding(
                kind=rule.kind,
                title=rule.title,
                text=to_third_person(predicate),
                importance=rule.importance,
                labels=rule.labels,
                topic=_topic(rule.topic, match),
            )
    return None


def says_when(phrase: str) -> bool:
    """Whether the phrase holds a date or time that may lie ahead."""
    return _patterns().when.search(phrase) is not None


def _topic(template: str, match: re.Match[str]) -> str:
    groups = match.groupdict()
    caught, other = (
        normalized_object(groups.get("object") or ""),
        normalized_object(groups.get("other") or ""),
    )
    if other:
        caught, other = sorted((caught, other))
    verb = (groups.get("verb") or "").casefold()
    return template.format(object=caught, other=other, verb=verb).strip()


@dataclass(frozen=True, slots=True)
class _Patterns:
    """`subject` splits off "I" or "we"; `rules` are tried over what follows it, in order."""

    subject: re.Pattern[str]
    rules: tuple[tuple[re.Pattern[str], "PredicateRule"], ...]
    when: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    english = loader.language("en").offline
    when = loader.alternatives(lambda each: each.offline.times.when)
    return _Patterns(
        subject=re.compile(english.restated.subject, re.IGNORECASE | re.DOTALL),
        rules=tuple(
            (_compiled(rule.pattern, english.third_person.adverbs), rule)
            for rule in english.predicates
        ),
        when=re.compile(rf"\b(?:{when})\b", re.IGNORECASE),
    )


def _compiled(pattern: str, adverbs: str) -> re.Pattern[str]:
    return re.compile(rf"(?:(?:{adverbs})\s+)*(?:{pattern})", re.IGNORECASE | re.DOTALL)
