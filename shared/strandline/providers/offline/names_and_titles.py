"""Names in texts, found by their capitals; and a title from the first words of turns."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from strandline.errors import ModelRejected
from strandline.language.data import loader
from strandline.providers.offline import statement_rules
from strandline.providers.offline.finding import TITLE_CHARACTERS, truncate_at_word

MAX_NAMES = 20
_SENTENCE = re.compile(r"(?:(?<=[.!?…:;])\s|^[\s#>*+-]*(?:\d+[.)]\s|\[[ xX]\])?)\s*", re.MULTILINE)
_CODE = re.compile(r"[\d-]|[a-z][A-Z]|[A-Z]{2}")


def find_names(texts: Iterable[str]) -> list[str]:
    """Runs of capitalised words, each once, in order.

    A sentence's first word has its capital from there: it counts if it is a code, or stands
    elsewhere as a name too.
    """
    found, opening = dict[str, None](), dict[str, None]()
    for text in texts:
        for name, opens in _capitalised_runs(text):
            (opening if opens else found)[name] = None
    kept = [name for name in [*found, *opening] if name in found or _CODE.search(name)]
    return list(dict.fromkeys(kept))[:MAX_NAMES]


def _capitalised_runs(text: str) -> Iterator[tuple[str, bool]]:
    known = _name_words()
    starts = {match.end() for match in _SENTENCE.finditer(text)}
    for match in known.name.finditer(text):
        words, opens = match[0].split(" "), match.start() in starts
        if opens and len(words) > 1 and words[0].lower() not in known.beginnings:
            words, opens = words[1:], False
        while words and words[0].lower().replace("’", "'") in known.not_names:
            words, opens = words[1:], False
        name = " ".join(words)
        for possessive in known.possessives:
            name = name.removesuffix(possessive)
        name = name.rstrip("-'’")
        if len(name) > 1:
            yield name, opens and len(words) == 1


def make_title(given_text: str) -> str:
    """`{"title": ...}` of first exchanges given as JSON: the user's first telling words.

    Raises ModelRejected for anything else.
    """
    try:
        given = json.loads(given_text)
        texts = [str(turn["text"]) for turn in given["turns"] if turn["role"] == "user"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelRejected("The offline rules need the turns as JSON.") from None
    return json.dumps({"title": _title_of(texts)}, ensure_ascii=False)


def _title_of(texts: list[str]) -> str:
    """The first sentence of some length, without greetings; the longest if none has it."""
    sentences = [
        kept for text in texts for part in _sentences(text) if (kept := _without_opening(part))
    ]
    long = [each for each in sentences if len(each) >= 12]
    chosen = long[0] if long else max(sentences, key=len, default="")
    return truncate_at_word(chosen[:1].upper() + chosen[1:], TITLE_CHARACTERS)


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?…])\s+|[。！？]|\n+", text)


def _without_opening(part: str) -> str:
    flat = " ".join(part.split()).rstrip(".!?… ")
    return statement_rules.without_fillers(flat.replace("’", "'"))[0].strip()


@dataclass(frozen=True, slots=True)
class _NameWords:
    """A pattern of capitalised words, and which words begin a name, end one or are none."""

    name: re.Pattern[str]
    beginnings: frozenset[str]
    not_names: frozenset[str]
    possessives: tuple[str, ...]


@cache
def _name_words() -> _NameWords:
    particles = "|".join(sorted(loader.words(lambda each: each.offline.names.particles))) or "(?!)"
    first, later = r"[A-ZÀ-ÖØ-Þ][\w'’-]*", r"[A-ZÀ-ÖØ-Þ0-9][\w'’-]*"
    given = (each.offline.names.possessives for each in loader.languages())
    return _NameWords(
        name=re.compile(rf"{first}(?: (?:(?:{particles}) )?{later})*"),
        beginnings=loader.words(lambda each: each.offline.names.beginnings),
        not_names=loader.words(lambda each: each.offline.names.not_names),
        possessives=tuple(ending for endings in given for ending in endings),
    )
