"""Which texts say the same, word for word."""

import pytest

from strandline.language.folding import normalize_wording


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user keeps bees.", "  the user\nkeeps  bees"),
        ("Likes tea, not coffee!", "Likes tea not coffee"),
        ("Said “no”.", 'Said "no."'),
        ("Lives in Straße 5 (Köln)", "lives in STRASSE 5 Ko\u0308ln"),
        ("A well-known friend – Ada", "A well known friend Ada"),
    ],
)
def test_case_spacing_and_the_marks_of_sentences_say_nothing(one: str, other: str) -> None:
    """Both ways of writing it are one wording."""
    assert normalize_wording(one) == normalize_wording(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Weighs < 25 kg.", "Weighs > 25 kg."),
        ("Takes 1.5 pills", "Takes 1/5 pills"),
        ("Takes 1.5 pills", "Takes 15 pills"),
        ("Has the blood type A+.", "Has the blood type A-."),
        ("It is -5 outside", "It is 5 outside"),
        ("It is −5 outside", "It is 5 outside"),
        ("Writes C++", "Writes C#"),
        ("Runs ~5 km", "Runs 5 km"),
        ("Answers with 👍", "Answers with 👎"),
        ("Is 5' tall", 'Is 5" tall'),
        ("Feeds the neighbour's dogs", "Feeds the neighbours' dogs"),
        ("Owes $5", "Owes €5"),
        ("Moves to Oslo?", "Moves to Oslo."),
    ],
)
def test_signs_within_say_something(one: str, other: str) -> None:
    """Each is another qualifier."""
    assert normalize_wording(one) != normalize_wording(other)
