"""Relative dates get the day they meant."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.extract.candidates.relative_dates import resolve_relative_dates
from tests.support.laws import law

TUESDAY_LATE = datetime(2026, 12, 1, 22, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("Dentist tomorrow at 5", "Dentist tomorrow at 5 (2026-12-02)"),
        ("Dentist tomorrow at 5pm.", "Dentist tomorrow at 5pm (2026-12-02)."),
        ("Tomorrow’s dentist", "Tomorrow’s (2026-12-02) dentist"),
        ("Ran yesterday", "Ran yesterday (2026-11-30)"),
        ("Cooks tonight", "Cooks tonight (2026-12-01)"),
        ("Leaves the day after tomorrow", "Leaves the day after tomorrow (2026-12-03)"),
        ("Call by Friday", "Call by Friday (2026-12-04)"),
        ("Met Sam on Friday", "Met Sam on Friday (2026-11-27)"),
        ("Haircut next Friday", "Haircut next Friday (2026-12-11)"),
        ("Saw it last Tuesday", "Saw it last Tuesday (2026-11-24)"),
        ("Flies in two weeks", "Flies in two weeks (2026-12-15)"),
        ("In 3 days and today", "In 3 days (2026-12-04) and today (2026-12-01)"),
        ("Moved a year ago", "Moved a year ago (2025-12-01)"),
        ("Starts next month", "Starts next month (2027-01)"),
        ("Busy next week", "Busy next week (week of 2026-12-07)"),
        ("Married last year", "Married last year (2025)"),
        ("Zahnarzt morgen um 17 Uhr", "Zahnarzt morgen um 17 Uhr (2026-12-02)"),
        ("Rendez-vous demain à 17h", "Rendez-vous demain à 17h (2026-12-02)"),
        ("Cita mañana a las 5", "Cita mañana a las 5 (2026-12-02)"),
        ("明天下午5点看牙医", "明天下午5点 (2026-12-02)看牙医"),
        ("后天开会", "后天 (2026-12-03)开会"),
    ],
)
def test_a_relative_date_is_followed_by_the_date(text, resolved):
    """Said on Tuesday, 1 December 2026, at 23:30 in Oslo."""
    assert resolve_relative_dates(text, TUESDAY_LATE, "Europe/Oslo", "en") == resolved


@pytest.mark.parametrize(
    "text",
    [
        "Meeting on Mondays", "Runs every Friday", "Jeden Morgen Kaffee", "Guten Morgen",
        "Come avena por la mañana", "Due 2026-12-05, not tomorrow", "Likes tea", "",
        "Met on 2026-12", "A two-tomorrow-plan",
    ],
)  # fmt: skip
def test_what_is_no_single_day_or_has_its_date_stays(text):
    """Habits, greetings and texts with an ISO date are left alone."""
    assert (
        resolve_relative_dates(text, TUESDAY_LATE, "Europe/Oslo", "de" if "orgen" in text else "en")
        == text
    )


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Europe/Oslo", "2026-12-02"), ("Asia/Tokyo", "2026-12-03"), ("UTC", "2026-12-02"),
        ("America/Los_Angeles", "2026-12-02"), ("Nowhere/City", "2026-12-02"), ("", "2026-12-02"),
        ("../../etc/passwd", "2026-12-02"),
    ],
)  # fmt: skip
def test_the_day_is_that_of_the_users_zone(zone, day):
    """What is no zone counts as UTC."""
    assert resolve_relative_dates("tomorrow", TUESDAY_LATE, zone, "en") == f"tomorrow ({day})"


@law()
@given(
    st.integers(0, 10**6).map(
        lambda hours: datetime(1990, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
    ),
    st.sampled_from(["Europe/Oslo", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe"]),
)
def test_tomorrow_is_always_one_calendar_day_on(at, zone):
    """Law: clocks may change, days may be skipped; tomorrow is the next date of the calendar."""
    today = at.astimezone(ZoneInfo(zone)).date()
    expected = f"tomorrow ({today + timedelta(days=1)})"
    assert resolve_relative_dates("tomorrow", at, zone, "en") == expected


@law()
@given(
    st.text(max_size=30),
    st.sampled_from(["in 999 years", "next year", "999 months ago", "next friday", "tomorrow"]),
    st.sampled_from([1, 9999]),
    st.sampled_from(["Asia/Tokyo", "America/New_York"]),
)
def test_the_ends_of_the_calendar_are_no_failure(text, phrase, year, zone):
    """Law: what lies outside the calendar is left as it was said; nothing is ever taken away."""
    end = (1, 1) if year == 1 else (12, 31, 23, 59)
    at = datetime(year, *end, tzinfo=UTC)
    resolved = resolve_relative_dates(f"{text} {phrase}", at, zone, "en")
    assert len(resolved) >= len(f"{text} {phrase}")
