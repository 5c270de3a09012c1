"""Resolves the relative dates in a memory's text to the days they stood for when they were said."""

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from strandline.language.data import loader
from strandline.language.detection import possible_languages

if TYPE_CHECKING:
    from strandline.language.data.schema import DateRule, Language, Shift

_ABSOLUTE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")


@dataclass(frozen=True, slots=True)
class _DateWords:
    """A language's rules with their compiled patterns, and the values of its words.

    `weekdays` count from Monday, which is 0.
    """

    rules: tuple[tuple[re.Pattern[str], "DateRule"], ...]
    past: re.Pattern[str]
    weekdays: dict[str, int]
    units: dict[str, str]
    numbers: dict[str, int]


def resolve_relative_dates(text: str, said_at: datetime, zone: str, language: str) -> str:
    """Returns the text with a date after each relative one: "Dentist tomorrow at 5 (2026-12-02)".

    The day is that of `said_at` in `zone` (an IANA name; UTC if it is none). A day is written
    2026-12-02, a week by its Monday, a month 2026-12, a year 2026. "Next Friday" is the Friday
    of the next week, which begins on Monday; "on Friday" is the coming one, or with a past tense
    the last one. A text that has an ISO 8601 date already is returned unchanged.
    """
    if _ABSOLUTE.search(text):
        return text
    today = local_time(said_at, zone).date()
    lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in text).replace("’", "'")
    for code in possible_languages(text, language):
        resolved = _append_dates(text, lowered, today, code)
        if resolved != text:
            return resolved
    return text


def number_words(language: str) -> dict[str, int]:
    """Returns the values of the language's words for small numbers; articles have the value 1."""
    numbers = loader.language(language).dates.numbers
    return {name: number for number, names in numbers.items() for name in names}


def local_time(at: datetime, zone: str) -> datetime:
    """Returns the local time in a zone (IANA name); in UTC if there is no such zone."""
    try:
        return at.astimezone(_zone(zone))
    except OverflowError:
        # On the calendar's first or last day an offset can lead out of its range.
        return at


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # An unknown name, a path, an empty one: the profile's zone is then the default.
        return UTC


def _append_dates(text: str, lowered: str, today: date, code: str) -> str:
    date_words = _date_words(code)
    past = date_words.past.search(lowered) is not None
    pieces: list[str] = []
    done = 0
    for match, rule in _matches(lowered, date_words):
        resolved = _iso_date(match, rule, date_words, today, past=past)
        if resolved and match.start() >= done:
            pieces.append(f"{text[done : match.end()]} ({resolved})")
            done = match.end()
    return "".join(pieces) + text[done:]


@lru_cache(maxsize=16)
def _date_words(code: str) -> _DateWords:
    data = loader.language(code)
    return _DateWords(
        rules=tuple((_compile_rule(rule, data), rule) for rule in data.dates.rules),
        past=re.compile(data.dates.past or "(?!)"),
        weekdays={name: day for day, names in enumerate(data.dates.weekdays) for name in names},
        units={name: unit for unit, names in data.dates.units.items() for name in names},
        numbers=number_words(code),
    )


def _compile_rule(rule: "DateRule", data: "Language") -> re.Pattern[str]:
    tail = f"(?:{data.dates.tail})?" if data.dates.tail else ""
    if not data.spaced:
        return re.compile(f"(?:{rule.pattern}){tail}")
    return re.compile(rf"(?<![\w-])(?:{rule.pattern}){tail}(?![\w-])")


def _matches(lowered: str, date_words: _DateWords) -> list[tuple[re.Match[str], "DateRule"]]:
    """Returns all rules' matches from left to right; of two at one place the longer first."""
    found = [(m, rule) for pattern, rule in date_words.rules for m in pattern.finditer(lowered)]
    return sorted(found, key=lambda pair: (pair[0].start(), -pair[0].end()))


def _iso_date(
    match: re.Match[str], rule: "DateRule", date_words: _DateWords, today: date, *, past: bool
) -> str | None:
    """Returns the date, week, month or year as text; None if it is out of the calendar's range."""
    try:
        if rule.shift == "days":
            return (today + timedelta(days=rule.days)).isoformat()
        # Python allows a group name only once, so a pattern has "n" and "n2".
        named = {name.rstrip("2"): value for name, value in match.groupdict().items() if value}
        if "day" in named:
            return _weekday_date(rule.shift, date_words.weekdays[named["day"]], today, past=past)
        unit = date_words.units[named["unit"]]
        if "n" in named:
            count = date_words.numbers.get(named["n"]) or int(named["n"])
            return _date_after_count(unit, count if rule.shift == "ahead" else -count, today)
        return _calendar_unit(unit, _STEPS[rule.shift], today)
    except (OverflowError, ValueError):
        return None


_STEPS: dict["Shift", int] = {"next unit": 1, "this unit": 0, "last unit": -1}


def _weekday_date(shift: "Shift", weekday: int, today: date, *, past: bool) -> str:
    ahead = (weekday - today.weekday()) % 7
    if shift == "next weekday":
        monday = today - timedelta(days=today.weekday())
        return (monday + timedelta(days=7 + weekday)).isoformat()
    if shift == "last weekday" or past:
        return (today - timedelta(days=(today.weekday() - weekday) % 7 or 7)).isoformat()
    return (today + timedelta(days=ahead)).isoformat()


def _date_after_count(unit: str, count: int, today: date) -> str:
    if unit in ("day", "week"):
        return (today + timedelta(days=count * (7 if unit == "week" else 1))).isoformat()
    year, month = divmod(
        today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1), 12
    )
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(today.day, last)).isoformat()


def _calendar_unit(unit: str, step: int, today: date) -> str:
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return f"week of {monday.isoformat()}"
    if unit == "month":
        year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
        return f"{year:04d}-{month + 1:02d}"
    return f"{date(today.year + step, 1, 1).year:04d}"
