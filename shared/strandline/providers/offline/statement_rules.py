"""Rules for one's own things, plans, questions, orders and proposals, in English above all."""

import re
from dataclasses import dataclass, fields
from functools import cache

from strandline.language.data import loader
from strandline.providers.offline.finding import (
    TITLE_CHARACTERS,
    Finding,
    as_sentence,
    normalized_object,
    truncate_at_word,
)
from strandline.providers.offline.first_person import first_person_finding, says_when
from strandline.providers.offline.third_parties import third_party_finding
from strandline.providers.offline.third_person import with_their_pronouns


def without_fillers(reading: str) -> tuple[str, int]:
    """The reading without greetings and fillers in front, and how many characters they took."""
    filler = _openings().fillers.match(reading)
    length = filler.end() if filler else 0
    return reading[length:], length


def greets(reading: str) -> bool:
    """Whether the reading begins with a greeting."""
    return _openings().greetings.match(reading) is not None


def find_question(reading: str) -> Finding | None:
    """An open question about what "we" or "I" should do, or a proposal put as a question."""
    if proposal := _proposal(reading):
        return proposal
    if _patterns().open_question.match(reading) is None:
        return None
    return Finding("question", _title("question"), as_sentence(reading) + "?", 0.5)


def memo_request(reading: str) -> tuple[str, int] | None:
    """What is to be remembered and where it begins, if the clause asks for that."""
    patterns = _patterns()
    asked = patterns.remember.match(reading)
    if asked is None or patterns.reminder.match(reading):
        return None
    words = reading[asked.end() :]
    return None if patterns.no_fact.match(words) else (words, asked.end())


def as_memo(words: str) -> Finding:
    """Words to remember that no other rule knows; an order among them becomes a quotation."""
    is_order = _patterns().order.match(words) is not None
    text = _text("memo", words) if is_order else with_their_pronouns(words)
    own = _definite_thing(words)
    topic = normalized_object(own["thing"]) if own else ""
    return Finding("observation", _title("memo"), as_sentence(text), 0.7, topic=topic)


def find_statement(reading: str, known: dict[str, str], *, greeted: bool = False) -> Finding | None:
    """What the first matching rule finds in a clause.

    `known` maps "he", "she" and "they" to the person mentioned before. `greeted` tells that the
    turn began with a greeting, behind which "I'm Ada" is a name.
    """
    if greeted and (name := _openings().greeted_name.match(reading)):
        return _named(name["name"])
    when = _openings().leading_time.match(reading)
    if when and (
        dated := first_person_finding(f"{reading[when.end() :]} {_lowered(when['when'])}")
    ):
        return dated
    rules = (_name, _reminder, _decision, _proposal, first_person_finding, _due)
    for rule in rules:
        if found := rule(reading):
            return found
    return third_party_finding(reading, known) or _own(reading)


def find_suggestion(reading: str) -> Finding | None:
    """A proposal by the assistant; never a fact about the user."""
    for pattern, title, text in _suggestions():
        if match := pattern.match(reading):
            proposal = as_sentence(text.format(what=match["what"], reading=reading))
            return Finding("proposal", title, proposal, 0.3, subject="assistant")
    return None


def _lowered(phrase: str) -> str:
    return phrase[:1].lower() + phrase[1:]


def _name(reading: str) -> Finding | None:
    match = _patterns().name.match(reading)
    return _named(match["name"]) if match else None


def _named(name: str) -> Finding:
    text = _text("name", name)
    return Finding("observation", _title("name"), text, 0.8, ("name",), topic="name")


def _reminder(reading: str) -> Finding | None:
    match = _patterns().reminder.match(reading)
    if match is None:
        return None
    text = _text("reminder", with_their_pronouns(match["what"]))
    return Finding("commitment", _title("reminder"), as_sentence(text), 0.7)


def _decision(reading: str) -> Finding | None:
    match = _patterns().decided.match(reading)
    if match is None:
        return None
    text = _text("decision", with_their_pronouns(match["go"] or match["what"]))
    return Finding("decision", _title("decision"), as_sentence(text), 0.8)


def _proposal(reading: str) -> Finding | None:
    match = _patterns().proposed.match(reading)
    if match is None:
        return None
    text = _text("proposal", with_their_pronouns(match["what"]))
    return Finding("proposal", _title("proposal"), as_sentence(text), 0.4)


def _due(reading: str) -> Finding | None:
    match = _patterns().due.match(reading)
    if match is None or not says_when(reading):
        return None
    topic = normalized_object(match["thing"] or match["deadline"])
    text = as_sentence(reading.partition(" ")[2])
    return Finding("commitment", _title("date"), text, 0.7, topic=topic)


def _own(reading: str) -> Finding | None:
    patterns = _patterns()
    match = patterns.own.match(reading)
    if match is None or patterns.no_thing.match(match["thing"]):
        return None
    if patterns.third_party.match(match["thing"]):
        return None
    topic = normalized_object(match["thing"])
    for spelling, usual in loader.language("en").offline.restated.spellings.items():
        topic = re.sub(rf"\b{spelling}\b", usual, topic)
    text = as_sentence(f"{match['thing']} {match['be']} {with_their_pronouns(match['value'])}")
    title = truncate_at_word(as_sentence(match["thing"]), TITLE_CHARACTERS)
    kind = "commitment" if says_when(match["value"]) else "observation"
    return Finding(kind, title, text, 0.6, topic=topic)


def _definite_thing(words: str) -> re.Match[str] | None:
    """Matches a statement about "the …" as if it were about "my …"."""
    known = loader.language("en").offline.restated
    if not known.own_article or not words.lower().startswith(known.own_article):
        return None
    return _patterns().own.match(known.own_possessive + words[len(known.own_article) :])


def _title(name: str) -> str:
    return loader.language("en").offline.restated.titles[name]


def _text(name: str, what: str) -> str:
    return loader.language("en").offline.restated.texts[name].format(what=what)


@dataclass(frozen=True, slots=True)
class _Openings:
    fillers: re.Pattern[str]
    greetings: re.Pattern[str]
    greeted_name: re.Pattern[str]
    leading_time: re.Pattern[str]


@cache
def _openings() -> _Openings:
    fillers = loader.alternatives(lambda each: each.offline.openings.fillers)
    greetings = loader.alternatives(lambda each: each.offline.openings.greetings)
    leading = loader.alternatives(lambda each: each.offline.times.leading)
    return _Openings(
        fillers=re.compile(rf"^(?:(?:{fillers})(?:,\s*|:\s*|\s+))+", re.IGNORECASE),
        greetings=re.compile(rf"^(?:{greetings})\b", re.IGNORECASE),
        # A name is told by its capital.
        greeted_name=re.compile(loader.language("en").offline.restated.greeted_name or "(?!)"),
        leading_time=re.compile(rf"^(?P<when>(?:{leading}))\b,?\s+(?=\S)", re.IGNORECASE),
    )


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of the same names in the section `offline.restated`."""

    remember: re.Pattern[str]
    no_fact: re.Pattern[str]
    reminder: re.Pattern[str]
    order: re.Pattern[str]
    name: re.Pattern[str]
    own: re.Pattern[str]
    no_thing: re.Pattern[str]
    third_party: re.Pattern[str]
    due: re.Pattern[str]
    decided: re.Pattern[str]
    proposed: re.Pattern[str]
    open_question: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    known = loader.language("en").offline.restated
    flags = re.IGNORECASE | re.DOTALL
    names = [each.name for each in fields(_Patterns)]
    return _Patterns(**{name: re.compile(getattr(known, name) or "(?!)", flags) for name in names})


@cache
def _suggestions() -> tuple[tuple[re.Pattern[str], str, str], ...]:
    """Of each language that has one: a pattern, a title and a template of the text."""
    given = (each.offline.suggestion for each in loader.languages())
    flags = re.IGNORECASE | re.DOTALL
    return tuple(
        (re.compile(each.pattern, flags), each.title, each.text) for each in given if each.pattern
    )
