"""Which language a text is in, as far as its script and its small words show."""

import re
from functools import lru_cache

from strandline.language.folding import fold_lower
from strandline.language.function_words import FUNCTION_WORDS

_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), "ja"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
    (re.compile("[\uac00-\ud7a3]"), "ko"),
    (re.compile("[\u0e00-\u0e7f]"), "th"),
    (re.compile("[\u0400-\u04ff]"), "ru"),
    (re.compile("[\u0590-\u05ff]"), "he"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0370-\u03ff]"), "el"),
)
_WRITTEN_SO = {"ru": {"ru", "uk", "bg", "sr", "mk", "be", "kk"}, "ar": {"ar", "fa", "ur"}}
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[a-z]")


@lru_cache(maxsize=256)
def detect_language(text: str, fallback: str) -> str:
    """The text's language as a bare code; `fallback`'s where the text doesn't show another."""
    shown = possible_languages(text, fallback)
    return shown[-1] if len(shown) == 1 else _base(fallback)


@lru_cache(maxsize=256)
def possible_languages(text: str, fallback: str) -> tuple[str, ...]:
    """Every language the text may be in: one where its words decide, several where they don't."""
    tag = _base(fallback)
    written = detect_script(text)
    if written != "latin":
        return (tag if tag in _WRITTEN_SO.get(written, {written}) else written or tag,)
    found = set(_WORD.findall(fold_lower(text)))
    hits = {code: len(found & known) for code, known in FUNCTION_WORDS.items()}
    most = max(hits.values())
    best = tuple(code for code in hits if hits[code] == most)
    return (tag,) if most == 0 or (tag in best and most > 1) else tuple(dict.fromkeys(best))


def _base(tag: str) -> str:
    return re.split("[-_]", tag.casefold())[0] or "en"


def detect_script(text: str) -> str:
    """A name for the script most letters suggest: a language's code, "latin", or "" for none."""
    counts = {name: len(pattern.findall(text)) for pattern, name in _SCRIPTS}
    if counts["ja"]:
        counts["ja"] += counts.pop("zh")
    counts["latin"] = len(_LATIN.findall(text.casefold()))
    # A Chinese character says what several Latin letters say: "我用 Kubernetes" is Chinese.
    weights = {"latin": 1, "zh": 4, "ja": 3}
    best = max(counts, key=lambda name: counts[name] * weights.get(name, 2))
    return best if counts[best] else ""
