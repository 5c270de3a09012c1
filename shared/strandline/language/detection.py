"""Which language a text is in, as far as its script and its function words show."""

import re
from functools import cache, lru_cache

from strandline.language.data import loader
from strandline.language.folding import fold_lower

LATIN = "latin"
"""The script of a text in Latin letters, which several languages share."""

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[a-z]")


@lru_cache(maxsize=256)
def detect_language(text: str, fallback: str) -> str:
    """The text's language as a bare code; `fallback`'s where the text doesn't show another."""
    shown = possible_languages(text, fallback)
    return shown[-1] if len(shown) == 1 else _primary_subtag(fallback)


@lru_cache(maxsize=256)
def possible_languages(text: str, fallback: str) -> tuple[str, ...]:
    """Every language the text may be in: one where its words decide, several where they don't."""
    tag = _primary_subtag(fallback)
    script = detect_script(text)
    if script != LATIN:
        written = loader.language(script).script.languages | {script}
        return (tag if tag in written else script or tag,)
    found = set(_WORD.findall(fold_lower(text)))
    hits = {code: len(found & known) for code, known in _function_words().items()}
    most = max(hits.values(), default=0)
    best = tuple(code for code in hits if hits[code] == most)
    return (tag,) if most == 0 or (tag in best and most > 1) else best


def detect_script(text: str) -> str:
    """A name for the script most letters suggest: a language's code, "latin", or "" for none."""
    counts = {code: len(pattern.findall(text)) for code, pattern in _scripts().items()}
    for code, others in _included_scripts().items():
        if counts.get(code):
            counts[code] += sum(counts.pop(other, 0) for other in others)
    counts[LATIN] = len(_LATIN.findall(text.casefold()))
    # A Chinese character says what several Latin letters say: "我用 Kubernetes" is Chinese.
    best = max(counts, key=lambda code: counts[code] * _weight(code))
    return best if counts[best] else ""


def _primary_subtag(tag: str) -> str:
    return re.split("[-_]", tag.casefold())[0] or loader.DEFAULT


def _weight(code: str) -> int:
    return 1 if code == LATIN else loader.language(code).script.weight


@cache
def _function_words() -> dict[str, frozenset[str]]:
    return {each.code: each.words.function for each in loader.languages() if each.words.function}


@cache
def _scripts() -> dict[str, re.Pattern[str]]:
    return {
        each.code: re.compile(f"[{each.script.characters}]")
        for each in loader.languages()
        if each.script.characters
    }


@cache
def _included_scripts() -> dict[str, frozenset[str]]:
    written = (each for each in loader.languages() if each.script.includes)
    return {each.code: each.script.includes for each in written}
