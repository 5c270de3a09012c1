"""How languages name days relative to the present one.

Patterns run over lower-case text of unchanged length. Names: `n` a number, `unit` a unit,
`day` a weekday. Each shift says what the pattern stands for; see `dates`.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class Shift(StrEnum):
    """What a relative date stands for."""

    DAYS = "days"
    AHEAD = "ahead"
    AGO = "ago"
    NEXT_UNIT = "next unit"
    THIS_UNIT = "this unit"
    LAST_UNIT = "last unit"
    NEXT_WEEKDAY = "next weekday"
    COMING_WEEKDAY = "coming weekday"
    LAST_WEEKDAY = "last weekday"


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, what it stands for, and by how many days where it says no number."""

    pattern: str
    shift: Shift
    days: int = 0


@dataclass(frozen=True, slots=True)
class DateWords:
    """One language's words. `tail` is a time of day that may follow; `past` marks past tense."""

    rules: tuple[Rule, ...]
    weekdays: dict[str, int] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    tail: str = ""
    past: str = "(?!)"
    spaced: bool = True


def _days(*pairs: tuple[str, int]) -> tuple[Rule, ...]:
    return tuple(Rule(pattern, Shift.DAYS, days) for pattern, days in pairs)


_CLOCK = r"\d{1,2}(?:[:.h]\d{0,2})?"

_NOT_A_MORNING = r"(?<!guten )(?<!am )(?<!jeden )(?<!diesen )"

DATE_WORDS: dict[str, DateWords] = {
    "en": DateWords(
        rules=(
            *_days(
                (r"(?:the )?day after tomorrow", 2),
                (r"(?:the )?day before yesterday", -2),
                (r"tomorrow(?:'s)?(?: (?:morning|afternoon|evening|night))?", 1),
                (r"yesterday(?:'s)?(?: (?:morning|afternoon|evening))?", -1),
                (r"last night", -1),
                (r"today(?:'s)?|tonight(?:'s)?|this (?:morning|afternoon|evening)", 0),
            ),
            Rule(r"in (?P<n>N) (?P<unit>U)|(?P<n2>N) (?P<unit2>U) from (?:now|today)", Shift.AHEAD),
            Rule(r"(?P<n>N) (?P<unit>U) ago", Shift.AGO),
            Rule(r"next (?P<unit>week|month|year)", Shift.NEXT_UNIT),
            Rule(r"this (?P<unit>week|month|year)", Shift.THIS_UNIT),
            Rule(r"last (?P<unit>week|month|year)", Shift.LAST_UNIT),
            Rule(r"(?:on )?next (?P<day>D)", Shift.NEXT_WEEKDAY),
            Rule(r"(?:on )?last (?P<day>D)", Shift.LAST_WEEKDAY),
            Rule(r"(?:on|by|until|till|before|this|coming|for) (?P<day>D)", Shift.COMING_WEEKDAY),
        ),
        weekdays={
            name: number
            for number, names in enumerate(
                ("monday mon", "tuesday tue", "wednesday wed", "thursday thu", "friday fri",
                 "saturday", "sunday")
            )
            for name in names.split()
        },
        units={
            **dict.fromkeys(("day", "days"), "day"), **dict.fromkeys(("week", "weeks"), "week"),
            **dict.fromkeys(("month", "months"), "month"),
            **dict.fromkeys(("year", "years"), "year"),
        },
        numbers={
            "a": 1, "an": 1, "one": 1, "two": 2, "a couple of": 2, "three": 3, "four": 4, "five": 5,
            "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
        },
        tail=rf"(?:,? at (?:noon|midnight|{_CLOCK}(?: ?(?:[ap]m|[ap]\.m\.))?))",
        past=r"\b(?:was|were|had|went|met|saw|did|ate|bought|got|came|left|took|told|said|gave|"
        r"[a-z]{3,}ed)\b",
    ),
    "de": DateWords(
        rules=(
            *_days(
                ("übermorgen", 2), ("vorgestern", -2),
                (r"heute(?: (?:morgen|früh|mittag|nachmittag|abend|nacht))?", 0),
                (r"gestern(?: (?:morgen|abend|nachmittag))?", -1),
                (rf"{_NOT_A_MORNING}morgen(?: (?:früh|mittag|nachmittag|abend))?", 1),
            ),
            Rule(r"in (?P<n>N) (?P<unit>U)", Shift.AHEAD),
            Rule(r"vor (?P<n>N) (?P<unit>U)", Shift.AGO),
            Rule(r"nächste[rsnm]? (?P<unit>woche|monat|jahr)", Shift.NEXT_UNIT),
            Rule(r"diese[rsnm]? (?P<unit>woche|monat|jahr)", Shift.THIS_UNIT),
            Rule(r"letzte[rsnm]? (?P<unit>woche|monat|jahr)", Shift.LAST_UNIT),
            Rule(r"(?:am )?nächsten (?P<day>D)", Shift.NEXT_WEEKDAY),
            Rule(r"(?:am )?letzten (?P<day>D)", Shift.LAST_WEEKDAY),
            Rule(r"(?:am|bis|diesen|kommenden) (?P<day>D)", Shift.COMING_WEEKDAY),
        ),
        weekdays={
            "montag": 0, "dienstag": 1, "mittwoch": 2, "donnerstag": 3, "freitag": 4,
            "samstag": 5, "sonnabend": 5, "sonntag": 6,
        },
        units={
            **dict.fromkeys(("tag", "tage", "tagen"), "day"),
            **dict.fromkeys(("woche", "wochen"), "week"),
            **dict.fromkeys(("monat", "monate", "monaten"), "month"),
            **dict.fromkeys(("jahr", "jahre", "jahren"), "year"),
        },
        numbers={
            **dict.fromkeys(("ein", "eine", "einem", "einer"), 1),
            "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
        },
        tail=rf"(?: um {_CLOCK}(?: uhr)?)",
        past=r"\b(?:war|hatte|ging|kam|traf|ge\w+[tn])\b",
    ),
    "fr": DateWords(
        rules=(
            *_days(
                ("après-demain", 2), ("avant-hier", -2),
                (r"demain(?: (?:matin|midi|après-midi|soir))?", 1),
                (r"hier(?: (?:matin|soir))?", -1),
                (r"aujourd'hui|ce (?:matin|soir)", 0),
            ),
            Rule(r"dans (?P<n>N) (?P<unit>U)", Shift.AHEAD),
            Rule(r"il y a (?P<n>N) (?P<unit>U)", Shift.AGO),
            Rule(r"(?:la |le )?(?P<unit>semaine|mois|année) prochaine?", Shift.NEXT_UNIT),
            Rule(r"(?:la |le )?(?P<unit>semaine|mois|année) derni(?:er|ère)", Shift.LAST_UNIT),
            Rule(r"(?P<day>D) prochain", Shift.NEXT_WEEKDAY),
            Rule(r"(?P<day>D) dernier", Shift.LAST_WEEKDAY),
        ),
        weekdays={
            "lundi": 0, "mardi": 1, "mercredi": 2, "jeudi": 3, "vendredi": 4, "samedi": 5,
            "dimanche": 6,
        },
        units={
            **dict.fromkeys(("jour", "jours"), "day"),
            **dict.fromkeys(("semaine", "semaines"), "week"), "mois": "month",
            **dict.fromkeys(("an", "ans", "année", "années"), "year"),
        },
        numbers={"un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5},
        tail=rf"(?: à (?:midi|minuit|{_CLOCK}(?: ?h(?:eures?)?)?))",
    ),
    "es": DateWords(
        rules=(
            *_days(
                ("pasado mañana", 2), ("anteayer", -2),
                (r"(?<!la )(?<!esta )(?<!cada )mañana(?: por la (?:mañana|tarde|noche))?", 1),
                (r"ayer(?: por la (?:mañana|tarde|noche))?|anoche", -1),
                (r"hoy|esta (?:mañana|tarde|noche)", 0),
            ),
            Rule(r"(?:en|dentro de) (?P<n>N) (?P<unit>U)", Shift.AHEAD),
            Rule(r"hace (?P<n>N) (?P<unit>U)", Shift.AGO),
            Rule(r"(?:la |el )?próxim[oa] (?P<unit>semana|mes|año)", Shift.NEXT_UNIT),
            Rule(r"(?:la |el )?(?P<unit>semana|mes|año) (?:que viene|próxim[oa])", Shift.NEXT_UNIT),
            Rule(r"(?:la |el )?(?P<unit>semana|mes|año) pasad[oa]", Shift.LAST_UNIT),
            Rule(r"(?:el )?próximo (?P<day>D)", Shift.NEXT_WEEKDAY),
            Rule(r"el (?P<day>D) pasado", Shift.LAST_WEEKDAY),
        ),
        weekdays={
            "lunes": 0, "martes": 1, "miércoles": 2, "jueves": 3, "viernes": 4, "sábado": 5,
            "domingo": 6,
        },
        units={
            **dict.fromkeys(("día", "días"), "day"), **dict.fromkeys(("semana", "semanas"), "week"),
            **dict.fromkeys(("mes", "meses"), "month"), **dict.fromkeys(("año", "años"), "year"),
        },
        numbers={"un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5},
        tail=rf"(?: a las? {_CLOCK})",
    ),
    "it": DateWords(rules=_days(("dopodomani", 2), ("domani", 1), ("ieri", -1), ("oggi", 0))),
    "pt": DateWords(
        rules=_days(("depois de amanhã", 2), ("amanhã", 1), ("ontem", -1), ("hoje", 0))
    ),
    "nl": DateWords(
        rules=_days(("overmorgen", 2), ("(?<!goede )morgen", 1), ("gisteren", -1), ("vandaag", 0))
    ),
    "sv": DateWords(
        rules=_days(
            ("i övermorgon", 2), ("i morgon|imorgon", 1), ("igår|i går", -1), ("idag|i dag", 0)
        )
    ),
    "zh": DateWords(
        rules=(
            *_days(
                ("大后天|大後天", 3), ("后天|後天", 2), ("明天|明晚|明早", 1), ("昨天|昨晚", -1),
                ("前天", -2), ("今天|今晚|今早", 0),
            ),
            Rule("下(?:个|個)?(?:周|週|星期|礼拜)(?P<day>[一二三四五六日天])", Shift.NEXT_WEEKDAY),
            Rule("上(?:个|個)?(?:周|週|星期|礼拜)(?P<day>[一二三四五六日天])", Shift.LAST_WEEKDAY),
        ),
        weekdays={name: "一二三四五六日天".index(name) for name in "一二三四五六日"} | {"天": 6},
        tail=r"(?:(?:早上|上午|中午|下午|晚上)?\d{1,2}(?:点|點)半?)",
        spaced=False,
    ),
    "ja": DateWords(
        rules=_days(("明後日", 2), ("明日", 1), ("昨日", -1), ("一昨日", -2), ("今日|今晩", 0)),
        spaced=False,
    ),
}  # fmt: skip

UNITS_BY_NAME = {
    "week": "week", "month": "month", "year": "year", "woche": "week", "monat": "month",
    "jahr": "year", "semaine": "week", "mois": "month", "année": "year", "semana": "week",
    "mes": "month", "año": "year",
}  # fmt: skip
"""The units of "next week" and the like, in every language at once."""
