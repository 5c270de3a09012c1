"""Whether a phrase says when."""

import re

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_WHEN = re.compile(
    rf"\b(?:today|tonight|tomorrow|{_DAY}s?|(?:this|next)\s+(?:week|weekend|month|year|morning"
    r"|afternoon|evening|spring|summer|autumn|fall|winter|quarter)"
    r"|in\s+(?:an?|one|two|three|four|five|six|ten|\d+|a few|a couple of)\s+(?:minute|hour|day|week"
    r"|month|year)s?|at\s+\d{1,2}(?::\d\d)?\s*(?:a\.?m|p\.?m|o'clock)?|at noon|at midnight"
    rf"|\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}(?:[./]\d{{2,4}})?|(?:{_MONTH})\.?\s+\d{{1,2}}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})|(?:in|by|before|until)\s+(?:{_MONTH})"
    r"|on the \d{1,2}(?:st|nd|rd|th)?|by the end of|by noon)\b",
    re.IGNORECASE,
)

LEADING = re.compile(
    rf"^(?P<when>(?:(?:on|this|next|last|by)\s+(?:{_DAY}|week|weekend|month|year|summer|winter"
    rf"|spring|autumn|fall|morning|evening|night)|tomorrow(?:\s+at\s+\d{{1,2}}(?::\d\d)?\s*(?:am"
    rf"|pm)?)?"
    r"|yesterday|today|tonight|in\s+\d{4}|(?:two|three|four|\d+|a few|a couple of)\s+"
    rf"(?:days|weeks|months|years)\s+ago|(?:in|since)\s+(?:{_MONTH})))\b,?\s+(?=\S)",
    re.IGNORECASE,
)
"""A date before the subject: "Last week I moved to Oslo"."""


def says_when(phrase: str) -> bool:
    """Whether the phrase holds a date or a time to come, or one without a year."""
    return _WHEN.search(phrase) is not None
