"""Locates a quote in a turn, word for word."""

import bisect
from dataclasses import dataclass
from functools import lru_cache

from strandline.language import words
from strandline.language.folding import Folded, fold_with_offsets


@dataclass(frozen=True, slots=True)
class QuoteLocation:
    """A quote in a text: words `word_start` up to `word_end`, characters `start` up to `end`."""

    word_start: int
    word_end: int
    start: int
    end: int


def locate_quote(quote: str, content: str) -> QuoteLocation | None:
    """The first place where the quote occurs in `content`, from word border to word border.

    Both are folded (NFC, white space, quotation marks) to be compared; the bounds are those of
    the content as it is. None if there is no such place, or no word in the quote.
    """
    wanted = _trim_to_words(quote)
    if not wanted:
        return None
    folded = fold_with_offsets(content)
    spans = _cached_word_spans(content)
    starts = [span.start for span in spans]
    at = folded.text.find(wanted)
    while at >= 0:
        found = _location_on_word_borders(folded, at, at + len(wanted), spans, starts)
        if found is not None:
            return found
        at = folded.text.find(wanted, _next_word(folded, at, starts))
    return None


def _next_word(folded: Folded, at: int, starts: list[int]) -> int:
    """Position in the folded text of the first word after `at`: quotes begin with words.

    Without it a long run of one letter would be tried at every letter.
    """
    following = bisect.bisect_right(starts, folded.starts[at])
    if following == len(starts):
        return len(folded.text)
    return max(at + 1, bisect.bisect_left(folded.starts, starts[following]))


@lru_cache(maxsize=4)
def _cached_word_spans(content: str) -> list[words.Span]:
    return words.word_spans(content)


def _trim_to_words(quote: str) -> str:
    """The folded quote from its first word to its last; models often add marks around it."""
    text = fold_with_offsets(quote).text
    spans = words.word_spans(text)
    return text[spans[0].start : spans[-1].end] if spans else ""


def _location_on_word_borders(
    folded: Folded, at: int, end: int, spans: list[words.Span], starts: list[int]
) -> QuoteLocation | None:
    start, stop = folded.starts[at], folded.ends[end - 1]
    first = bisect.bisect_left(starts, start)
    last = bisect.bisect_left(starts, stop) - 1
    if first >= len(spans) or spans[first].start != start or spans[last].end != stop:
        return None
    return QuoteLocation(first, last + 1, start, stop)
