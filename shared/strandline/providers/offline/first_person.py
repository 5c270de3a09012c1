"""What a speaker says of themselves, in English."""

import re

from strandline.providers.offline.dates import says_when
from strandline.providers.offline.finding import Finding, thing
from strandline.providers.offline.first_person_rules import RULES
from strandline.providers.offline.person import third_person

_I = re.compile(r"(?:i|we)(?:\s+|(?='))(?P<predicate>.+)", re.IGNORECASE | re.DOTALL)


def first_person(reading: str) -> Finding | None:
    """What a clause that begins with "I" or "we" says of the speaker, if a rule knows."""
    said = _I.fullmatch(reading)
    return by_predicate(said["predicate"]) if said else None


def by_predicate(predicate: str) -> Finding | None:
    """What the first rule that fits makes of what follows "I"."""
    for rule in RULES:
        match = rule.pattern.fullmatch(predicate)
        if match and (not rule.dated or says_when(predicate)):
            return Finding(
                kind=rule.kind,
                title=rule.title,
                text=third_person(predicate),
                importance=rule.importance,
                labels=rule.labels,
                topic=_topic(rule.topic, match),
            )
    return None


def _topic(template: str, match: re.Match[str]) -> str:
    groups = match.groupdict()
    caught, other = thing(groups.get("object") or ""), thing(groups.get("other") or "")
    if other:
        caught, other = sorted((caught, other))
    verb = (groups.get("verb") or "").casefold()
    return template.format(object=caught, other=other, verb=verb).strip()
