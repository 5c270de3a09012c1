"""Rules of retention, as laws: what has expired stays so, whatever is set afterwards."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from strandline.models.retention import KEEP_ALL, KEEP_FOREVER, RetentionRule
from tests.support.laws import law
from tests.support.world import START

DAYS = st.none() | st.integers(1, 60)
STEPS = st.lists(st.tuples(st.integers(0, 100), DAYS), max_size=6)
MADE = st.integers(-100, 300)


@law(200)
@given(STEPS, MADE, st.integers(0, 100))
def test_what_has_expired_stays_so(steps: list[tuple[int, int | None]], made: int, on: int) -> None:
    """Under any sequence of rules, each at any time; and `horizon` and `expired_at` agree."""
    rule, at, was = KEEP_FOREVER, START, False
    made_at = START + timedelta(days=made)
    for wait, days in [*steps, (on, rule.days)]:
        at += timedelta(days=wait)
        for now in (rule, rule.changed(days, at)):
            expired, horizon = now.expired_at(made_at, at), now.horizon(at)
            assert (expired is not None) is (horizon is not None and made_at <= horizon)
            assert expired is None or made_at < expired <= at
            assert expired is not None or not was or made_at > at
            was = was or expired is not None
        rule = rule.changed(days, at)


@law(50)
@given(st.integers(1, 60), st.integers(0, 120))
def test_an_age_is_counted_to_the_microsecond(days: int, age: int) -> None:
    """At just that age it has expired, a microsecond before it hasn't."""
    rule = KEEP_FOREVER.changed(days, START)
    made_at = START + timedelta(days=age)
    due = made_at + timedelta(days=days)
    assert rule.expired_at(made_at, due) == due
    assert rule.expired_at(made_at, due - timedelta(microseconds=1)) is None


def test_a_rule_that_is_set_again_is_the_same() -> None:
    """So nothing that is told of it moves."""
    later: datetime = START + timedelta(days=9)
    rule = KEEP_FOREVER.changed(30, START)
    assert rule.changed(30, later) == rule
    assert rule == RetentionRule(days=30, since=START)
    assert KEEP_ALL.changed({"turn_retention_days": None}, later) == KEEP_ALL
    assert not KEEP_ALL.expires_anything
    assert KEEP_ALL.changed({"memory_retention_days": 3}, later).expires_anything
