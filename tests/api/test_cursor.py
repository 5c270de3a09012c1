"""Cursors lead on in the list they came from, and nowhere else."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.api.cursor import WrongCursor, make_cursor, read_cursor
from tests.support.laws import law

LIST = ("turns", "ada", "ses_1")
POSITIONS = st.text(min_size=1, max_size=60).filter(
    lambda text: not any("\ud800" <= c <= "\udfff" for c in text)
)


def test_no_position_is_no_cursor() -> None:
    """After the last page there is nothing to go on to, and nothing to begin after."""
    assert make_cursor(None, *LIST) is None
    assert read_cursor(None, *LIST) is None


@given(POSITIONS)
@law()
def test_a_cursor_gives_its_position_back(position: str) -> None:
    """Any sort key survives the round trip, in characters a URL takes as they are."""
    cursor = make_cursor(position, *LIST)
    assert cursor is not None
    assert set(cursor) <= set(string.ascii_letters + string.digits + "-_")
    assert read_cursor(cursor, *LIST) == position


@given(POSITIONS, st.data())
@law()
def test_any_altered_character_is_refused(position: str, data: st.DataObject) -> None:
    """No other spelling of a cursor is taken, not even one with the same bits."""
    cursor = make_cursor(position, *LIST) or ""
    at = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.characters().filter(lambda c: c != cursor[at]))
    with pytest.raises(WrongCursor):
        read_cursor(cursor[:at] + other + cursor[at + 1 :], *LIST)


@given(POSITIONS, st.data())
@law()
def test_a_longer_or_shorter_cursor_is_refused(position: str, data: st.DataObject) -> None:
    """Nothing can be added or cut off at any place."""
    cursor = make_cursor(position, *LIST) or ""
    at = data.draw(st.integers(0, len(cursor) - 1))
    for altered in (cursor[:at], cursor[:at] + cursor[at + 1 :], cursor + "=", cursor + "A"):
        with pytest.raises(WrongCursor):
            read_cursor(altered, *LIST)


@pytest.mark.parametrize(
    "other",
    [
        ("turns", "grace", "ses_1"),
        ("turns", "ada", "ses_2"),
        ("notes", "ada", "ses_1"),
        ("turns", "ada", None),
        ("turns", "ada"),
        ("turns", "ada", "ses_1", None),
    ],
)
def test_a_cursor_of_another_list_is_refused(other: tuple[str | None, ...]) -> None:
    """Account, list and filters are part of it."""
    with pytest.raises(WrongCursor):
        read_cursor(make_cursor("TURN#00000001", *LIST), *other)


@given(st.text(max_size=60))
@law()
def test_no_made_up_cursor_is_taken(text: str) -> None:
    """Arbitrary text is refused with our own error."""
    with pytest.raises(WrongCursor):
        read_cursor(text, *LIST)
