"""Ids: sortable by time, never twice, and turn ids that parse back."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline import ids
from strandline.errors import NotFound
from tests.support.laws import law
from tests.support.world import START

TIMES = st.integers(0, 253_402_000_000_000).map(
    lambda milliseconds: datetime.fromtimestamp(milliseconds / 1000, UTC)
)
EXAMPLES = law()


@EXAMPLES
@given(a=TIMES, b=TIMES)
def test_ids_sort_by_their_time(a: datetime, b: datetime) -> None:
    """Of two ids the one of the earlier millisecond sorts first, whichever was made first."""
    first, second = ids.new_id("mem", a), ids.new_id("mem", b)
    by_time = int(a.timestamp() * 1000), int(b.timestamp() * 1000)
    if by_time[0] != by_time[1]:
        assert (first < second) == (by_time[0] < by_time[1])
    assert ids.checked_id("mem", first) == first


def test_ids_of_one_millisecond_sort_in_the_order_of_asking() -> None:
    """The frozen clock never gives an id twice, and later ones sort later."""
    made = [ids.new_id("trn", START) for _ in range(500)]
    assert made == sorted(set(made))


def test_threads_never_get_the_same_id() -> None:
    """Four threads ask at the same frozen time."""
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda _: ids.new_id("job", START), range(800)))
    assert len(set(made)) == 800


@EXAMPLES
@given(seed=st.text(), other=st.text(), at=TIMES)
def test_derived_ids_depend_on_time_and_seed_alone(seed: str, other: str, at: datetime) -> None:
    """The same seed gives the same id, another seed another; all are ids, sorted by time."""
    made = ids.derived_id("mem", at, seed)
    assert made == ids.derived_id("mem", at, seed) == ids.checked_id("mem", made)
    assert (made == ids.derived_id("mem", at, other)) == (seed == other)
    assert made < ids.derived_id("mem", at + timedelta(milliseconds=2), other)


@EXAMPLES
@given(at=TIMES, number=st.integers(0, ids.MAX_SEQUENCE))
def test_a_turn_id_parses_back(at: datetime, number: int) -> None:
    """Session and number come back from the id that was made of them."""
    session_id = ids.new_id("ses", at)
    assert ids.parse_turn_id(ids.turn_id(session_id, number)) == (session_id, number)


GOOD_TURN = "trn_01M2ZAZZG0A1267H6DEX2FQR9R_00000001"
GOOD_JOB = "job_01M2ZAZZG0A1267H6DEX2FQR9R"


@EXAMPLES
@given(value=st.text() | st.from_regex(r"trn_[0-9A-Z]{25,27}_[0-9]{7,9}", fullmatch=True))
def test_anything_else_is_no_turn_id(value: str) -> None:
    """What doesn't come back as it was given names nothing."""
    try:
        session_id, number = ids.parse_turn_id(value)
    except NotFound:
        return
    assert ids.turn_id(session_id, number) == value


@pytest.mark.parametrize(
    "value",
    [
        "", " ", GOOD_TURN + "\n", "\n" + GOOD_TURN, GOOD_TURN + " ", GOOD_TURN.lower(),
        GOOD_TURN[:-1], GOOD_TURN + "0", GOOD_TURN.replace("_0000", "_-000"),
        GOOD_TURN.replace("trn", "ses"), GOOD_TURN.replace("A1267", "I1267"),
        GOOD_TURN.replace("01M2", "81M2"), GOOD_TURN.replace("00000001", "٠٠٠٠٠٠٠١"),
        GOOD_TURN.replace("A1267", "A#267"), "trn_" + "0" * 300, "🙂",
    ],
)  # fmt: skip
def test_a_malformed_turn_id_names_nothing(value: str) -> None:
    """Blanks, other digits, other letters, other lengths: the same answer as for a missing one."""
    assert ids.parse_turn_id(GOOD_TURN)[1] == 1
    with pytest.raises(NotFound):
        ids.parse_turn_id(value)


@pytest.mark.parametrize(
    "value",
    [
        "", "job_", "job_1", GOOD_JOB + "\n", GOOD_JOB + "A", GOOD_JOB[:-1], GOOD_JOB.lower(),
        GOOD_JOB.replace("job", "ses"), GOOD_JOB.replace("job_", "job#"),
        GOOD_JOB.replace("A1267", "%2F67"), "JOB" + GOOD_JOB[3:], "🙂",
    ],
)  # fmt: skip
def test_a_malformed_id_or_one_of_another_kind_names_nothing(value: str) -> None:
    """Only an id of the kind asked for passes."""
    assert ids.checked_id("job", GOOD_JOB) == GOOD_JOB
    with pytest.raises(NotFound):
        ids.checked_id("job", value)
