"""The window: the newest whole pairs within two limits, exactly kept."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.context.history import HistoryLimits, select_history
from strandline.models.receipt import LeftOut
from strandline.models.turn import Role, Turn, TurnStatus
from tests.support.laws import law

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
SIZES = st.integers(1, 30)
EXCHANGES = st.lists(st.tuples(SIZES, SIZES | st.none()), max_size=12)


def turn(number: int, role: Role, size: int, status: TurnStatus) -> Turn:
    """A turn of that many characters."""
    return Turn(
        id=f"trn_{SESSION}_{number:08d}",
        session_id=f"ses_{SESSION}",
        sequence_number=number,
        role=role,
        content="x" * size,
        created_at=AT,
        status=status,
    )


def turns(exchanges: list[tuple[int, int | None]]) -> list[Turn]:
    """Questions with their answers, or without."""
    made = []
    for index, (asked, answered) in enumerate(exchanges):
        status = TurnStatus.UNANSWERED if answered is None else TurnStatus.ANSWERED
        made.append(turn(2 * index + 1, Role.USER, asked, status))
        if answered is not None:
            made.append(turn(2 * index + 2, Role.ASSISTANT, answered, TurnStatus.COMPLETE))
    return made


@given(EXCHANGES, st.integers(0, 20), st.integers(0, 200), st.randoms())
@law(200)
def test_the_newest_whole_pairs_that_fit_go_in_oldest_first(
    exchanges: list[tuple[int, int | None]], most_turns: int, characters: int, random: object
) -> None:
    """Both limits are kept, no pair is parted, none is skipped, and one more would not fit."""
    given_turns = turns(exchanges)
    shuffled = list(given_turns)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    window = select_history(shuffled, HistoryLimits(most_turns, characters))
    pairs = [(2 * i + 1, a + b) for i, (a, b) in enumerate(exchanges) if b is not None]
    fitting: list[int] = []
    used = 0
    for number, size in reversed(pairs):
        if 2 * (len(fitting) + 1) > most_turns or used + size > characters:
            break
        fitting.insert(0, number)
        used += size
    expected = [n for number in fitting for n in (number, number + 1)]
    assert [t.sequence_number for t in window.turns] == expected
    assert len(window.turns) <= most_turns
    assert sum(len(t.content) for t in window.turns) <= characters


@given(EXCHANGES, st.integers(0, 20), st.integers(0, 200))
@law()
def test_every_turn_is_in_the_window_or_told_as_left_out(
    exchanges: list[tuple[int, int | None]], most_turns: int, characters: int
) -> None:
    """Each question is accounted for once: in a pair that went in, left out, or unanswered."""
    window = select_history(turns(exchanges), HistoryLimits(most_turns, characters))
    went_in = {t.sequence_number for t in window.turns if t.role is Role.USER}
    unanswered = {left.from_sequence for left in window.left_out if left.reason == "unanswered"}
    cut = [left for left in window.left_out if left.reason != "unanswered"]
    assert unanswered == {2 * i + 1 for i, (_, b) in enumerate(exchanges) if b is None}
    answered = {2 * i + 1 for i, (_, b) in enumerate(exchanges) if b is not None}
    told = {
        n
        for n in answered
        for left in cut
        if (left.from_sequence or 0) <= n <= (left.to_sequence or 0)
    }
    assert (went_in | told, went_in & told) == (answered, set())
    assert sum(left.turns or 0 for left in cut) == 2 * len(told)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (HistoryLimits(2, 1_000), "turn_limit"),
        (HistoryLimits(3, 1_000), "turn_limit"),
        (HistoryLimits(9, 25), "character_budget"),
    ],
)
def test_what_was_cut_is_told_with_its_range(limits: HistoryLimits, reason: str) -> None:
    """From the oldest question to the last answer that stayed out."""
    window = select_history(turns([(5, 5), (5, 5), (10, 10)]), limits)
    assert [t.sequence_number for t in window.turns] == [5, 6]
    assert window.left_out == (
        LeftOut(what="history", reason=reason, from_sequence=1, to_sequence=4, turns=4),
    )


def test_what_was_never_read_is_told_too() -> None:
    """The caller reads only the newest part; when all of that fits, there was still more."""
    window = select_history(turns([(5, 5)]), HistoryLimits(10, 100), more_before=True)
    assert len(window.turns) == 2
    assert window.left_out == (LeftOut(what="history", reason="turn_limit"),)


def test_an_answer_whose_question_wasnt_read_stays_out() -> None:
    """The oldest turn read may be the second half of a pair."""
    window = select_history(turns([(5, 5), (5, 5)])[1:], HistoryLimits(10, 100), more_before=True)
    assert [t.sequence_number for t in window.turns] == [3, 4]


def test_no_turns_are_no_window() -> None:
    """Nothing in, nothing left out."""
    window = select_history([], HistoryLimits(10, 100))
    assert (window.turns, window.left_out) == ((), ())
