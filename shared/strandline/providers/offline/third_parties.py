"""Rules for statements about other people, whose name is the subject."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from strandline.language.data import loader
from strandline.providers.offline.finding import Finding, as_sentence
from strandline.providers.offline.first_person import predicate_finding
from strandline.providers.offline.third_person import with_their_pronouns


def third_party_finding(reading: str, known: dict[str, str]) -> Finding | None:
    """What the clause says about someone else, who is the subject.

    `known` maps "he", "she" and "they" to a person; a pronoun without one gives no finding.
    """
    patterns = _patterns()
    if match := patterns.related.match(reading):
        relation = (match["which"] + match["relation"]).lower()
        name = match["name"]
        called = f"{patterns.owner} {relation} {name}" if name else f"{patterns.owner} {relation}"
        return _finding(name or relation, called, match["said"])
    if match := patterns.plural.match(reading):
        relation = match["relation"].lower()
        return _finding(relation, f"{patterns.owner} {relation}", match["said"])
    if (match := patterns.named.match(reading)) and match["name"] not in patterns.not_names:
        return _finding(match["name"], match["name"], match["said"])
    match = patterns.pronoun.match(reading)
    if match and (who := known.get(match["who"].lower())):
        return _finding(who, who, match["said"])
    return None


def antecedents(subject: str) -> dict[str, str]:
    """What third-person pronouns stand for after a statement about that subject."""
    return dict.fromkeys(_patterns().pronouns, subject)


def _finding(subject: str, called: str, said: str) -> Finding:
    about = predicate_finding(_as_first_person(said))
    said = f"is{said[2:]}" if said.startswith("'s") else said
    return Finding(
        kind="observation",
        title=as_sentence(subject),
        text=as_sentence(f"{called} {with_their_pronouns(said)}"),
        importance=about.importance if about else 0.5,
        labels=about.labels if about else (),
        subject=subject,
        topic=about.topic if about else "",
    )


def _as_first_person(said: str) -> str:
    """The predicate as the person would say it of themselves, to find its topic."""
    verb, blank, rest = said.partition(" ")
    low = verb.lower()
    forms = _patterns().first_person
    if low not in forms and low.endswith("s"):
        return low.removesuffix("s") + blank + rest
    return forms.get(low, verb) + blank + rest


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns for a relative, several of them, a name and a pronoun, each with what is said."""

    related: re.Pattern[str]
    plural: re.Pattern[str]
    named: re.Pattern[str]
    pronoun: re.Pattern[str]
    pronouns: frozenset[str]
    not_names: frozenset[str]
    first_person: Mapping[str, str]
    owner: str


@cache
def _patterns() -> _Patterns:
    known = loader.language("en").offline.third_parties
    return _Patterns(
        related=re.compile(known.related, re.DOTALL),
        plural=re.compile(known.plural, re.IGNORECASE | re.DOTALL),
        named=re.compile(known.named, re.DOTALL),
        pronoun=re.compile(known.pronoun, re.IGNORECASE | re.DOTALL),
        pronouns=known.pronouns,
        not_names=known.not_names,
        first_person=known.first_person,
        owner=known.owner,
    )
