"""Which stems a text has."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.models.index_entry import BYTES_PER_TERM
from strandline.recall.stemming import MAX_TERMS, pack_terms, stem_counts, stem_id, unpack_terms
from tests.support.laws import law

IDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("Running DOGS", "the dog runs", "en"),
        ("Café crème", "cafe creme", "fr"),
        ("préférée", "préférer", "fr-CA"),
        ("GRÖSSE Häuser", "größe Haus", "de"),
        ("canción", "canciones", "es-419"),
        ("cancion", "canción", "es"),
        ("ёлки", "елка", "ru"),
        ("ﬁne ｗｉｄｅ", "fine wide", "en"),
        ("well-being", "wellbeing well being", "en"),
        ("Ada’s", "Ada's", "en"),
    ],
)
def test_forms_of_a_word_share_their_stems(one: str, other: str, language: str) -> None:
    """Case, accents, width, ending and the kind of apostrophe don't keep words apart."""
    assert stem_counts(one, language).keys() == stem_counts(other, language).keys()


@pytest.mark.parametrize(
    ("query", "text", "language"),
    [
        ("email", "send an e-mail", "en"),
        ("mail", "send an e-mail", "en"),
        ("example", "ada@example.com", "en"),
        ("中国", "我喜欢吃中国菜", "zh-Hans"),
        ("中国", "我喜欢吃中国菜", "en"),
        ("東京", "東京タワーに行きました", "ja"),
        ("고양이", "저는 고양이를 키워요", "ko"),
        ("BTS", "BTS를 들어요", "ko"),
        ("แมว", "ฉันชอบแมว", "th"),
        ("😀", "so happy 😀", "en"),
    ],
)
def test_part_of_a_joined_or_unspaced_text_finds_the_whole(
    query: str, text: str, language: str
) -> None:
    """Every stem of the part is a stem of the whole."""
    asked = stem_counts(query, language).keys()
    assert asked
    assert asked <= stem_counts(text, language).keys()


@pytest.mark.parametrize("text", ["", " ", "?!", "the", "don't", "DON’T", "you and I", "2", "x"])
def test_a_text_that_says_nothing_has_no_stems(text: str) -> None:
    """Stop words, punctuation and lone Latin letters or digits are no terms."""
    assert stem_counts(text, "en") == {}


def test_a_lone_character_of_an_unspaced_script_stands_alone() -> None:
    """One Han character between others' scripts is a term by itself."""
    assert stem_counts("dog 狗", "en") == {stem_id("dog"): 1, stem_id("狗"): 1}


def test_occurrences_are_counted() -> None:
    """A stem counts once for each word that has it."""
    assert stem_counts("tea, Tea and teas", "en") == {stem_id("tea"): 3}


def test_an_unknown_language_goes_without_stemmer_and_stop_words() -> None:
    """Each word is then its own stem."""
    assert stem_counts("the dogs", "tlh").keys() == {stem_id("the"), stem_id("dogs")}


def test_threads_stem_alike() -> None:
    """Eight threads at once find what one finds."""
    texts = [f"running dogs jumped over {n} sleeping foxes" for n in range(200)]
    alone = [stem_counts(text, "en") for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: stem_counts(text, "en"), texts * 4)) == alone * 4


@law()
@given(st.text(), st.sampled_from(["en", "de-DE", "zh", "ko", "hi", "ar", "nb", "", "xx_YY"]))
def test_any_text_of_any_language_has_stems_that_can_be_packed(text: str, language: str) -> None:
    """Nothing a user writes raises; ids fit 32 bits and every count is at least one."""
    terms = stem_counts(text, language)
    assert all(0 <= key < 2**32 and count >= 1 for key, count in terms.items())
    assert len(pack_terms(terms)) == BYTES_PER_TERM * min(len(terms), MAX_TERMS)


@law()
@given(st.dictionaries(IDS, st.integers(1, 1000), max_size=50))
def test_packing_keeps_terms_sorted_by_id_with_counts_up_to_255(terms: dict[int, int]) -> None:
    """Unpacked ids ascend, and each has its count, capped."""
    ids, counts = unpack_terms(pack_terms(terms))
    assert ids.tolist() == sorted(terms)
    assert counts.tolist() == [min(255, terms[key]) for key in sorted(terms)]


def test_of_too_many_terms_the_most_frequent_stay() -> None:
    """Beyond the limit the rare ones go first, among equals the later ones."""
    ids, _ = unpack_terms(pack_terms({key: 2 if key == 1000 else 1 for key in range(1001)}))
    assert ids.tolist() == [*range(MAX_TERMS - 1), 1000]


def test_bytes_that_are_not_whole_terms_are_refused() -> None:
    """A cut entry is noticed, not misread."""
    with pytest.raises(ValueError, match="fives"):
        unpack_terms(b"1234567")
