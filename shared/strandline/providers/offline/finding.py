"""What a rule finds in a clause."""

import re
from dataclasses import dataclass
from functools import cache

from strandline.language.data import loader

TITLE_CHARACTERS = 60
TEXT_CHARACTERS = 300
_TOPIC_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to remember. `topic` is what a later statement would replace, or empty."""

    kind: str
    title: str
    text: str
    importance: float
    labels: tuple[str, ...] = ()
    subject: str = "user"
    topic: str = ""


def normalized_object(phrase: str) -> str:
    """The object of a phrase, in a form that is the same for each way to put it.

    "the Chinese food now", "Chinese food because it's cheap" → "chinese food".
    """
    patterns = _patterns()
    end = patterns.end.search(phrase)
    kept = " ".join((phrase[: end.start()] if end else phrase).split()).strip(" .!?\"'“”")
    while (shorter := patterns.leading.sub("", patterns.trailing.sub("", kept))) != kept:
        kept = shorter
    return truncate_at_word(kept.casefold(), _TOPIC_CHARACTERS)


def truncate_at_word(text: str, characters: int) -> str:
    """The text if it fits, else as many whole words as fit."""
    if len(text) <= characters:
        return text
    cut = text[: characters + 1]
    words, blank, _ = cut.rpartition(" ")
    return words if blank else text[:characters]


def as_sentence(text: str) -> str:
    """The text on one line with a capital, at most TEXT_CHARACTERS long."""
    flat = truncate_at_word(" ".join(text.split()), TEXT_CHARACTERS)
    return flat[:1].upper() + flat[1:]


@dataclass(frozen=True, slots=True)
class _Patterns:
    end: re.Pattern[str]
    leading: re.Pattern[str]
    trailing: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    ends = loader.alternatives(lambda each: each.offline.objects.ends)
    leading = loader.alternatives(lambda each: each.offline.objects.leading)
    trailing = loader.alternatives(lambda each: each.offline.objects.trailing)
    return _Patterns(
        end=re.compile(rf"[,;(:]|\s[-–—]\s|\s(?:{ends})\b", re.IGNORECASE),
        leading=re.compile(rf"^(?:{leading})\s+", re.IGNORECASE),
        trailing=re.compile(rf"\s+(?:{trailing})$", re.IGNORECASE),
    )
