"""Rules for what is said of others: they keep their name as the subject."""

import re

from strandline.providers.offline.finding import Finding, sentence
from strandline.providers.offline.first_person import by_predicate
from strandline.providers.offline.openings import RELATIONS, THIRD_VERBS
from strandline.providers.offline.person import others

_NAME = r"[A-ZÀ-ÖØ-Þ][\w'’-]*[\w]"
_RELATED = re.compile(
    r"^(?i:my|our)\s+(?P<which>(?:(?i:older|younger|little|big|best|eldest|twin|ex|new|old|late"
    r"|former)"
    rf"[\s-]+)*)(?P<relation>(?i:{RELATIONS}))(?:,?\s+(?P<name>{_NAME}),?)?"
    rf"\s+(?P<said>(?i:{THIRD_VERBS})\b.*)$",
    re.DOTALL,
)
_PLURAL = re.compile(
    rf"^(?:my|our)\s+(?P<relation>(?:{RELATIONS}|parent|in-law|grandparent)s)\s+"
    r"(?P<said>(?:are|aren't|were|have|live|love|like|hate|work|moved|don't|can't|both|eat)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(
    rf"^(?P<name>{_NAME})\s+(?P<said>(?:hates|loves|likes|dislikes|enjoys|prefers|lives|works"
    rf"|moved|wants"
    r"|needs|doesn't|can't stand|is allergic|is afraid|is scared|eats|drinks|plays|speaks|is vegan"
    r"|is vegetarian|is my|has a|has an|has two|turned)\b.*)$",
    re.DOTALL,
)
_NO_NAMES_WORDS = (
    "It This That He She They We You I There Here Everyone Everybody Nobody Somebody Someone What"
    " Who Which Where When How Why Mine One Life Today Tomorrow Anyone Nothing Something Everything"
    " Yes No The My Our Your His Her Their Its These Those"
)
_NO_NAMES = frozenset(_NO_NAMES_WORDS.split())
_SAID_OF = re.compile(rf"^(?P<who>he|she|they)(?:\s+(?=(?:{THIRD_VERBS})\b)|(?='s\b))(?P<said>.+)$",
                      re.IGNORECASE | re.DOTALL)  # fmt: skip
_TO_FIRST = {
    "is": "'m", "isn't": "'m not", "was": "was", "has": "have", "hasn't": "haven't", "does": "do",
    "doesn't": "don't", "'s": "'m", "studies": "study", "teaches": "teach", "goes": "go",
}  # fmt: skip


def third_party(reading: str, known: dict[str, str]) -> Finding | None:
    """What the clause says of someone else, who is the subject.

    `known` says who "he", "she" and "they" are; of someone unknown nothing is kept.
    """
    if match := _RELATED.match(reading):
        relation = (match["which"] + match["relation"]).lower()
        name = match["name"]
        called = f"the user's {relation} {name}" if name else f"the user's {relation}"
        return _finding(name or relation, called, match["said"])
    if match := _PLURAL.match(reading):
        relation = match["relation"].lower()
        return _finding(relation, f"the user's {relation}", match["said"])
    if (match := _NAMED.match(reading)) and match["name"] not in _NO_NAMES:
        return _finding(match["name"], match["name"], match["said"])
    match = _SAID_OF.match(reading)
    if match and (who := known.get(match["who"].lower())):
        return _finding(who, who, match["said"])
    return None


def _finding(subject: str, called: str, said: str) -> Finding:
    about = by_predicate(_as_own(said))
    said = f"is{said[2:]}" if said.startswith("'s") else said
    return Finding(
        kind="observation",
        title=sentence(subject),
        text=sentence(f"{called} {others(said)}"),
        importance=about.importance if about else 0.5,
        labels=about.labels if about else (),
        subject=subject,
        topic=about.topic if about else "",
    )


def _as_own(said: str) -> str:
    """What is said of a third party as they would say it themselves, to find its topic."""
    verb, blank, rest = said.partition(" ")
    low = verb.lower()
    if low not in _TO_FIRST and low.endswith("s"):
        return low.removesuffix("s") + blank + rest
    return _TO_FIRST.get(low, verb) + blank + rest
