"""Whether two texts of the same words say them the other way round.

"Prefers tea to coffee" and "prefers coffee to tea" share every word; so do "Anna owes Ben" and
"Ben owes Anna". A bag of words can't tell them apart.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from strandline.language import words
from strandline.language.content_words import content_stems
from strandline.language.data import loader
from strandline.language.folding import fold_lower

_UNSPACED = re.compile(rf"[{words.WITHOUT_BLANKS}]")


@dataclass(frozen=True, slots=True)
class WordOrder:
    """How a text's content words are ordered: `sides` are what stands between `dividers`.

    `tokens` are all its words, sorted; `listing` tells that it names several things as equals.
    """

    sequence: tuple[str, ...]
    dividers: tuple[str, ...]
    sides: tuple[frozenset[str], ...]
    tokens: tuple[str, ...]
    listing: bool

    @property
    def compares(self) -> bool:
        """Whether the text compares two things."""
        return not _comparing_words().isdisjoint((*self.sequence, *self.dividers))


def word_order(text: str, language: str) -> WordOrder:
    """The order of a text's words."""
    folded = fold_lower(text)
    dividing = loader.language(language).words.dividing
    parts: list[list[str]] = [[]]
    dividers: list[str] = []
    for word in words.split_words(folded):
        if word in dividing:
            dividers.append(word)
            parts.append([])
        else:
            parts[-1].append(word)
    return WordOrder(
        sequence=content_stems(text, language),
        dividers=tuple(dividers),
        sides=tuple(frozenset(content_stems(" ".join(part), language)) for part in parts),
        tokens=tuple(sorted(words.split_words(folded))),
        listing=_listing().search(folded) is not None,
    )


def is_swapped(a: WordOrder, b: WordOrder, names: Iterable[str]) -> bool:
    """Whether two things have changed places, in texts of the same content words.

    Around the same dividing words; or, in the very same words, two names. Where no blanks part
    the words, they are single characters, and any other order is another text.
    """
    if a.dividers and a.dividers == b.dividers:
        return _sides_swapped(a.sides, b.sides)
    if any(_UNSPACED.match(word) for word in a.sequence):
        return a.sequence != b.sequence
    if a.tokens != b.tokens or a.listing:
        return False
    return _names_in_order(a.sequence, names) != _names_in_order(b.sequence, names)


def _sides_swapped(a: Sequence[frozenset[str]], b: Sequence[frozenset[str]]) -> bool:
    """Whether one word moved forward and another backward; one alone has only been moved."""
    before, after = _side_of_each(a), _side_of_each(b)
    moved = {after[word] - at for word, at in before.items() if word in after}
    return any(way > 0 for way in moved) and any(way < 0 for way in moved)


def _side_of_each(sides: Sequence[frozenset[str]]) -> dict[str, int]:
    return {word: number for number, side in enumerate(sides) for word in side}


def _names_in_order(sequence: Iterable[str], names: Iterable[str]) -> list[str]:
    known = frozenset(names)
    return [word for word in sequence if word in known]


@cache
def _comparing_words() -> frozenset[str]:
    return loader.words(lambda each: each.words.comparing)


@cache
def _listing() -> re.Pattern[str]:
    """What shows that several things are named as equals."""
    joining = map(re.escape, sorted(loader.words(lambda each: each.words.listing)))
    return re.compile(rf",|\b(?:{'|'.join(joining) or '(?!)'})\b")
