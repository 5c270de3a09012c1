"""Rules for a few things said in other languages. The text is the quote: it keeps its language."""

import re
from dataclasses import dataclass

from strandline.providers.offline.finding import Finding, sentence, thing
from strandline.providers.offline.foreign_rules import RELATIONS, RULES, TITLES

_QUESTION = re.compile(r"[吗呢么][？?]?$")
_TRIMMED = re.compile(r"^(?:kein(?:e|en)?|de la|de l'|du|des|de|da|do|le|la|les|l'|el|los|las|il"
                      r"|lo|gli|i"
                      r"|o|a|os|as|het|de|een|geen|ein|eine|einen|den|die|das)\s+|了$|吃|喝",
                      re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Meaning:
    importance: float
    topic: str
    labels: tuple[str, ...] = ()
    kind: str = "observation"


_MEANINGS = {
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


def statement(reading: str) -> Finding | None:
    """What a clause in one of the languages of the table says, its own words as the text."""
    if _QUESTION.search(reading):
        return None
    for language, relation in RELATIONS.items():
        if match := relation.match(reading):
            subject = match["name"] or match["relation"]
            return Finding(
                "observation", sentence(subject), sentence(reading), 0.5, subject=subject
            )
        for meaning, pattern in RULES[language]:
            if match := pattern.fullmatch(reading):
                return _finding(meaning, TITLES[language], match, reading)
    return None


def _finding(name: str, titles: dict[str, str], match: re.Match[str], reading: str) -> Finding:
    meaning = _MEANINGS[name]
    caught = thing(match.groupdict().get("object") or "")
    return Finding(
        kind=meaning.kind,
        title=titles[name],
        text=sentence(reading),
        importance=meaning.importance,
        labels=meaning.labels,
        topic=meaning.topic.format(object=_TRIMMED.sub("", caught)),
    )
