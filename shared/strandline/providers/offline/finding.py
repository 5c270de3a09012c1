"""What a rule finds in a clause."""

import re
from dataclasses import dataclass

TITLE_CHARACTERS = 60
TEXT_CHARACTERS = 300
_TOPIC_CHARACTERS = 60

_ENDS_A_THING = re.compile(
    r"[,;(:]|\s[-–—]\s|\s(?:because|since|when|while|as|but|if|so|especially|even|and (?:i|my"
    r"|we))\b",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"\s+(?:now|anymore|any more|any longer|these days|lately|nowadays|again|too|as well|so much"
    r"|very much|a lot|at all|though|right now|currently|already|every ?\w+|daily|often|please"
    r"|most of all|the most|instead|either|sometimes|last \w+|this \w+|yesterday|today)$",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:the|to|a|an|some|any|any kind of|all|all kinds of|eating|to eat|drinking|to drink)\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth remembering. `topic` names what a later statement would replace, or is ''."""

    kind: str
    title: str
    text: str
    importance: float
    labels: tuple[str, ...] = ()
    subject: str = "user"
    topic: str = ""


def thing(phrase: str) -> str:
    """What a phrase speaks of, the same for each way of speaking of it.

    "the Chinese food now", "Chinese food because it's cheap" → "chinese food".
    """
    end = _ENDS_A_THING.search(phrase)
    kept = " ".join((phrase[: end.start()] if end else phrase).split()).strip(" .!?\"'“”")
    while (shorter := _LEADING.sub("", _TRAILING.sub("", kept))) != kept:
        kept = shorter
    return shortened(kept.casefold(), _TOPIC_CHARACTERS)


def shortened(text: str, characters: int) -> str:
    """`text` if it fits, else as many whole words as fit."""
    if len(text) <= characters:
        return text
    cut = text[: characters + 1]
    words, blank, _ = cut.rpartition(" ")
    return words if blank else text[:characters]


def sentence(text: str) -> str:
    """`text` on one line with a capital, bounded."""
    flat = shortened(" ".join(text.split()), TEXT_CHARACTERS)
    return flat[:1].upper() + flat[1:]
