"""A quote stands in its turn word for word, or not at all."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.language import words
from strandline.language.folding import fold_with_offsets
from strandline.language.quotes import QuoteLocation, locate_quote
from tests.support.laws import law


@pytest.mark.parametrize(
    ("content", "quote", "verbatim"),
    [
        ("Well, I  moved\nto Oslo.", "I moved to Oslo", "I  moved\nto Oslo"),
        ("I moved to Oslo.", "“I moved to Oslo.”", "I moved to Oslo"),
        ("I moved to Oslo.", "...moved to Oslo…", "moved to Oslo"),
        ("I don’t eat pork", "I don't eat pork", "I don’t eat pork"),
        ("I don't eat pork", "I don’t eat pork", "I don't eat pork"),
        ("Un cafe\u0301 noir", "caf\u00e9 noir", "cafe\u0301 noir"),
        ("Un caf\u00e9 noir", "cafe\u0301", "caf\u00e9"),
        ("각 회의", unicodedata.normalize("NFD", "각 회의"), "각 회의"),
        ("我不吃猪肉，谢谢", "不吃猪肉", "不吃猪肉"),
        ("I love 🍜 and 👩‍💻 work", "🍜 and 👩‍💻", "🍜 and 👩‍💻"),
        ("אני גר באוסלו", "גר באוסלו", "גר באוסלו"),
        ("start art", "art", "art"),
    ],
)
def test_a_quote_is_found_and_its_bounds_are_of_the_turn_as_it_is(content, quote, verbatim):
    """Composition, white space and quotation marks may differ; what is cited is the turn's own."""
    found = locate_quote(quote, content)
    assert found is not None
    assert words.quote_words(content, found.word_start, found.word_end) == verbatim
    assert content[found.start : found.end] == verbatim


@pytest.mark.parametrize(
    ("content", "quote"),
    [
        ("start", "art"), ("well-known", "well"), ("It costs 3.55", "3.5"),
        ("I like tea", "I Like tea"),
        ("I like tea", ""), ("I like tea", "…"), ("", "tea"), ("café", "caf"),
        ("cafe\u0301", "cafe"),
        ("I like green tea", "I like tea"), ("👩‍💻", "👩"),
    ],
)  # fmt: skip
def test_half_words_and_other_words_are_no_quote(content, quote):
    """A quote begins and ends where words do, and leaves none out."""
    assert locate_quote(quote, content) is None


TEXTS = st.text(
    alphabet=st.sampled_from("ab I 'é’e\u0301不吃。,.-3 \n\t“”🙂\u200d한ᄒ\u1161ضא"), max_size=40
)


@law()
@given(TEXTS, st.integers(0, 12), st.integers(1, 12), st.sampled_from(["NFC", "NFD"]))
def test_any_run_of_words_is_found_in_its_own_text(content, first, count, form):
    """Law: what is cited from a text is found in it, in either normal form, word for word."""
    quote = words.quote_words(content, first, first + count)
    found = locate_quote(unicodedata.normalize(form, quote), content)
    if not words.split_words(fold_with_offsets(quote).text):
        assert found is None
    elif found is not None:
        cited = words.quote_words(content, found.word_start, found.word_end)
        assert words.split_words(fold_with_offsets(cited).text) == words.split_words(
            fold_with_offsets(quote).text
        )
    else:
        # Composition may join a mark to the word before the quote; then it isn't that word.
        assert not unicodedata.is_normalized("NFC", content)


@law()
@given(TEXTS, TEXTS)
def test_a_found_quote_is_verbatim(quote, content):
    """Law: the cited words, folded, are the folded quote's words: nothing more, nothing else."""
    found = locate_quote(quote, content)
    if found is not None:
        cited = words.quote_words(content, found.word_start, found.word_end)
        assert cited == content[found.start : found.end]
        assert words.split_words(fold_with_offsets(cited).text) == words.split_words(
            fold_with_offsets(quote).text
        )
        assert words.split_words(cited)


@law()
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_folding_is_nfc_and_keeps_track_of_where_everything_was(text):
    """Law: folded text is NFC text with its white space folded, and its offsets run upwards."""
    folded = fold_with_offsets(text)
    whole = fold_with_offsets(unicodedata.normalize("NFC", text)).text
    assert folded.text == whole
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert list(folded.starts) == sorted(folded.starts)
    assert all(a < b <= len(text) for a, b in zip(folded.starts, folded.ends, strict=True))


def test_of_a_run_of_one_letter_only_the_word_itself_is_quoted() -> None:
    """A hundred thousand places hold the letters, and one of them is a word."""
    found = locate_quote("aaa", f"{'a' * 100_000} aaaa aaa")
    assert found == QuoteLocation(2, 3, 100_006, 100_009)
    assert locate_quote("aaa", "a" * 100_000) is None
