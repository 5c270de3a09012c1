"""Names in what people write, by how they write them; and a title from their first words."""

import json
import re
from collections.abc import Iterable, Iterator

from strandline.errors import ModelRejected
from strandline.providers.offline import remarks
from strandline.providers.offline.finding import TITLE_CHARACTERS, shortened

MAX_NAMES = 20
_NAME = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’-]*(?: (?:of |the |de |van |von )?[A-ZÀ-ÖØ-Þ0-9][\w'’-]*)*")
_SENTENCE = re.compile(r"(?:(?<=[.!?…:;])\s|^[\s#>*+-]*(?:\d+[.)]\s|\[[ xX]\])?)\s*", re.MULTILINE)
_CODE = re.compile(r"[\d-]|[a-z][A-Z]|[A-Z]{2}")
_NO_NAME_WORDS = (
    "i i'm i've i'd i'll ok okay yes no monday tuesday wednesday thursday friday saturday sunday"
    " january february march april may june july august september october november december am pm"
    " the a an and but or so if then please let's we you he she they it my our your"
)
_NO_NAME = frozenset(_NO_NAME_WORDS.split())
_BEGINNINGS = "new san santa los las saint st mr mrs ms dr el la port mount"
_BEGINS_A_NAME = frozenset(_BEGINNINGS.split())


def names(texts: Iterable[str]) -> list[str]:
    """Runs of capitalised words, each once, in order.

    A sentence's first word has its capital from there: it counts if it is a code, or stands
    elsewhere as a name too.
    """
    found, opening = dict[str, None](), dict[str, None]()
    for text in texts:
        for name, opens in _capitalised(text):
            (opening if opens else found)[name] = None
    kept = [name for name in [*found, *opening] if name in found or _CODE.search(name)]
    return list(dict.fromkeys(kept))[:MAX_NAMES]


def _capitalised(text: str) -> Iterator[tuple[str, bool]]:
    starts = {match.end() for match in _SENTENCE.finditer(text)}
    for match in _NAME.finditer(text):
        words, opens = match[0].split(" "), match.start() in starts
        if opens and len(words) > 1 and words[0].lower() not in _BEGINS_A_NAME:
            words, opens = words[1:], False
        while words and words[0].lower().replace("’", "'") in _NO_NAME:
            words, opens = words[1:], False
        name = " ".join(words).removesuffix("'s").removesuffix("’s").rstrip("-'’")
        if len(name) > 1:
            yield name, opens and len(words) == 1


def title(given_text: str) -> str:
    """`{"title": ...}` of first exchanges given as JSON: the user's first telling words.

    Raises ModelRejected for anything else.
    """
    try:
        given = json.loads(given_text)
        texts = [str(turn["text"]) for turn in given["turns"] if turn["role"] == "user"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelRejected("The offline rules need the turns as JSON.") from None
    return json.dumps({"title": _title(texts)}, ensure_ascii=False)


def _title(texts: list[str]) -> str:
    """The first sentence of some length, without greetings; the longest if none has it."""
    sentences = [kept for text in texts for part in _parts(text) if (kept := _opened(part))]
    long = [each for each in sentences if len(each) >= 12]
    chosen = long[0] if long else max(sentences, key=len, default="")
    return shortened(chosen[:1].upper() + chosen[1:], TITLE_CHARACTERS)


def _parts(text: str) -> list[str]:
    return re.split(r"(?<=[.!?…])\s+|[。！？]|\n+", text)


def _opened(part: str) -> str:
    flat = " ".join(part.split()).rstrip(".!?… ")
    return remarks.opened(flat.replace("’", "'"))[0].strip()
