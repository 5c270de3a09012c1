"""Relative dates in a memory's text, with the day they meant when they were said."""

import calendar
import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from functions.extract.candidates.date_words import (
    DATE_WORDS,
    UNITS_BY_NAME,
    DateWords,
    Rule,
    Shift,
)
from strandline.language.detection import possible_languages

_ABSOLUTE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")


def resolve_relative_dates(text: str, said_at: datetime, zone: str, language: str) -> str:
    """The text, with the date behind each relative one: "Dentist tomorrow at 5 (2026-12-02)".

    The day is that of `said_at` in `zone` (an IANA name; UTC if it is none). A day is written
    2026-12-02, a week by its Monday, a month 2026-12, a year 2026. "Next Friday" is the Friday
    of the next week, weeks beginning on Monday; "on Friday" the coming one, or with a past tense
    the one that was. A text that holds an ISO date already is left alone.
    """
    if _ABSOLUTE.search(text):
        return text
    today = local_time(said_at, zone).date()
    known = [code for code in possible_languages(text, language) if code in DATE_WORDS]
    low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text).replace("’", "'")
    for code in known:
        resolved = _resolved(text, low, today, code)
        if resolved != text:
            return resolved
    return text


def local_time(at: datetime, zone: str) -> datetime:
    """The time as clocks show it in that zone; in UTC where there is no such zone."""
    try:
        return at.astimezone(_zone(zone))
    except OverflowError:
        # The calendar's first or last day, which some zones push out of it.
        return at


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # An unknown name, a path, an empty one: the profile's zone is then the default.
        return UTC


def _resolved(text: str, low: str, today: date, code: str) -> str:
    words = DATE_WORDS[code]
    past = re.search(words.past, low) is not None
    pieces: list[str] = []
    done = 0
    for match, rule in _matches(low, code):
        meant = _meant(match, rule, words, today, past=past)
        if meant and match.start() >= done:
            pieces.append(f"{text[done : match.end()]} ({meant})")
            done = match.end()
    return "".join(pieces) + text[done:]


def _matches(low: str, code: str) -> list[tuple[re.Match[str], Rule]]:
    """Every rule's matches from left to right, the longest first where two begin together."""
    found = [(m, rule) for pattern, rule in _compiled(code) for m in pattern.finditer(low)]
    return sorted(found, key=lambda pair: (pair[0].start(), -pair[0].end()))


@lru_cache(maxsize=16)
def _compiled(code: str) -> tuple[tuple[re.Pattern[str], Rule], ...]:
    words = DATE_WORDS[code]
    slots = {
        "N": r"(?:\d{1,3}|" + _any_of(words.numbers) + ")",
        "U": f"(?:{_any_of(words.units)})",
        "D": f"(?:{_any_of(words.weekdays)})",
    }
    return tuple((_pattern(rule.pattern, slots, words), rule) for rule in words.rules)


def _pattern(pattern: str, slots: dict[str, str], words: DateWords) -> re.Pattern[str]:
    for slot, alternatives in slots.items():
        pattern = pattern.replace(f">{slot})", f">{alternatives})")
    tail = f"{words.tail}?" if words.tail else ""
    if not words.spaced:
        return re.compile(f"(?:{pattern}){tail}")
    return re.compile(rf"(?<![\w-])(?:{pattern}){tail}(?![\w-])")


def _any_of(names: dict[str, int] | dict[str, str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True)) or "(?!)"


def _meant(
    match: re.Match[str], rule: Rule, words: DateWords, today: date, *, past: bool
) -> str | None:
    """The date in words of ISO 8601; None where it lies outside the calendar."""
    try:
        if rule.shift is Shift.DAYS:
            return (today + timedelta(days=rule.days)).isoformat()
        named = {name.rstrip("2"): value for name, value in match.groupdict().items() if value}
        if "day" in named:
            return _weekday(rule.shift, words.weekdays[named["day"]], today, past=past)
        if "n" in named:
            count = words.numbers.get(named["n"]) or int(named["n"])
            unit = words.units[named["unit"]]
            return _counted(unit, count if rule.shift is Shift.AHEAD else -count, today)
        return _unit(UNITS_BY_NAME[named["unit"]], _STEPS[rule.shift], today)
    except (OverflowError, ValueError):
        return None


_STEPS = {Shift.NEXT_UNIT: 1, Shift.THIS_UNIT: 0, Shift.LAST_UNIT: -1}


def _weekday(shift: Shift, weekday: int, today: date, *, past: bool) -> str:
    ahead = (weekday - today.weekday()) % 7
    if shift is Shift.NEXT_WEEKDAY:
        monday = today - timedelta(days=today.weekday())
        return (monday + timedelta(days=7 + weekday)).isoformat()
    if shift is Shift.LAST_WEEKDAY or past:
        return (today - timedelta(days=(today.weekday() - weekday) % 7 or 7)).isoformat()
    return (today + timedelta(days=ahead)).isoformat()


def _counted(unit: str, count: int, today: date) -> str:
    if unit in ("day", "week"):
        return (today + timedelta(days=count * (7 if unit == "week" else 1))).isoformat()
    year, month = divmod(
        today.year * 12 + today.month - 1 + count * (12 if unit == "year" else 1), 12
    )
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(today.day, last)).isoformat()


def _unit(unit: str, step: int, today: date) -> str:
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
        return f"week of {monday.isoformat()}"
    if unit == "month":
        year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
        return f"{year:04d}-{month + 1:02d}"
    return f"{date(today.year + step, 1, 1).year:04d}"
