"""Rules for the other things said in English: one's own things, plans, questions, orders."""

import re

from strandline.providers.offline.dates import LEADING, says_when
from strandline.providers.offline.finding import (
    TITLE_CHARACTERS,
    Finding,
    sentence,
    shortened,
    thing,
)
from strandline.providers.offline.first_person import first_person
from strandline.providers.offline.openings import RELATIONS
from strandline.providers.offline.person import others
from strandline.providers.offline.third_parties import third_party

_FILLER = re.compile(
    r"^(?:(?:oh|well|so|and|but|also|actually|btw|by the way|ok|okay|yes|yeah|yep|hi|hello|hey"
    r"|hi there|hello there|honestly|to be honest|please|fyi|for the record|just so you know"
    r"|as i said|in fact|sure|anyway|thanks|thank you|unfortunately|sadly|luckily|personally|hmm|um"
    r"|then|plus|guess what|i think|i guess|i mean|you know|the thing is|good morning|good evening"
    r"|no(?=,))(?:,\s*|:\s*|\s+))+",
    re.IGNORECASE,
)
_GREETING = re.compile(r"^(?:hi|hello|hey|good morning|good evening)\b", re.IGNORECASE)
_REMEMBER = re.compile(
    r"^(?:please\s+)?(?:remember|note|don't forget|do not forget|keep in mind|bear in mind|memorize"
    r"|make a note|for future reference)(?:\s+that\b|\s*:|,)?\s+(?=\S)",
    re.IGNORECASE,
)
_NO_FACT_AFTER = re.compile(
    r"^(?:when|how|what|why|where|who|me|us|the time|this|that)\b", re.IGNORECASE
)
_REMINDER = re.compile(
    r"^(?:please\s+)?(?:(?:remind me|don't let me forget)\s+(?=(?:to|about|of|that|at|on|in"
    r"|tomorrow)\b)"
    r"|(?:remember|don't forget|do not forget)\s+(?=to\b))(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_ORDER = re.compile(
    r"^(?:always|never|ignore|reveal|disregard|you (?:must|should|will|are)|from now on|act|pretend"
    r"|respond|reply|answer|speak|say|do|don't|use|tell|show|print|output|forget|stop|be|system"
    r"|assistant|user|override)\b|^\W",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"^(?:my (?:full |first )?name(?: is|'s)|(?:you can "
    r"|please )?call me)\s+(?P<name>[\w'-]+(?: [A-Z][\w'-]+)*)",
    re.IGNORECASE,
)
_GREETED_NAME = re.compile(r"^(?i:i'm|i am|this is)\s+(?P<name>[A-Z][a-z'-]+)$")
_OWN = re.compile(
    r"^(?:my|our)\s+(?P<thing>[^\W_][\w' -]{0,60}?)\s+(?P<be>(?:is|are|was|were|isn't|aren't"
    r"|is not|are not"
    r"|has|have|will be|starts?|ends?|costs?))\s+(?P<value>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_NO_THING = re.compile(
    r"^(?:(?:code|server|app|program|script|tests?|build)$"
    r"|(?:query|question|problem|point|guess|bad|idea|understanding|concern|issue|request|goal here"
    r"|error|code below|thought|apologies|pleasure|turn|first question|next question)\b)",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"^(?:the|our|my)\s+(?P<thing>[\w' -]{1,60}?)\s+(?:is|are|will be)\s+(?:due|scheduled"
    r"|planned|on|at|in|by)\b.+$"
    r"|^(?:the|our|my)\s+(?P<deadline>(?:[\w'-]+\s+){0,3}?deadline)\s+is\s+.+$",
    re.IGNORECASE | re.DOTALL,
)
_DECIDED = re.compile(
    r"^(?:let's|let us)\s+(?:just\s+)?(?P<go>(?:go with|use|choose|pick|stick with|settle on"
    r"|take|go for)\s+.+)$"
    r"|^(?:going with|decision:|the decision is(?: to)?|it's decided[:,]?)\s+(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_PROPOSED = re.compile(
    r"^(?:(?:maybe|perhaps)\s+)?(?:let's|let us|we could|we should|we might|maybe we"
    r"|how about(?: we)?"
    r"|what about(?: we)?|why don't we|why not|shall we|could we|i suggest(?: that)?(?: we)?"
    r"|i propose(?: that)?(?: we)?|i recommend(?: that)?(?: we)?|i'd suggest(?: that)?(?: we)?)\s+"
    r"(?!(?:see|start|talk|begin|continue|move on|do (?:it|that|this)|go$|say|you)\b)(?P<what>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_OPEN_QUESTION = re.compile(
    r"^(?:(?:should|shall|will|must) (?:we|i)\b|do we (?:need|want|have|go|use|keep|take)\b"
    r"|(?:which|when|where|who|how|what)\b.{0,40}?\b(?:should|do|will|shall) we\b"
    r"|which\b.{0,40}?\b(?:should|do) i\b).+$",
    re.IGNORECASE | re.DOTALL,
)
_RELATION = re.compile(rf"^(?:[\w-]+\s+){{0,2}}?(?:{RELATIONS})s?\b(?!')", re.IGNORECASE)


def opened(reading: str) -> tuple[str, int]:
    """The reading without greetings and fillers in front, and how many characters they took."""
    filler = _FILLER.match(reading)
    length = filler.end() if filler else 0
    return reading[length:], length


def question(reading: str) -> Finding | None:
    """An open question about what "we" or "I" should do, or a proposal put as a question."""
    if proposal := _proposal(reading):
        return proposal
    if _OPEN_QUESTION.match(reading) is None:
        return None
    return Finding("question", "Open question", sentence(reading) + "?", 0.5)


def remembered(reading: str) -> tuple[str, int] | None:
    """What is to be remembered and where it begins, if the clause asks for that."""
    asked = _REMEMBER.match(reading)
    if asked is None or _REMINDER.match(reading) or _NO_FACT_AFTER.match(reading[asked.end() :]):
        return None
    return reading[asked.end() :], asked.end()


def as_data(words: str) -> Finding:
    """Words that no rule knows, kept because it was asked for; an order is kept as a quotation."""
    text = f"Asked to remember: “{words}”" if _ORDER.match(words) else others(words)
    own = _OWN.match(f"my {words[4:]}") if words.lower().startswith("the ") else None
    topic = thing(own["thing"]) if own else ""
    return Finding("observation", "To remember", sentence(text), 0.7, topic=topic)


def statement(reading: str, known: dict[str, str], *, greeted: bool = False) -> Finding | None:
    """What a clause says, by the first rule that fits.

    `known` maps "he", "she" and "they" to the third party spoken of before; it is not changed.
    """
    if greeted and (name := _GREETED_NAME.match(reading)):
        return _named(name["name"])
    when = LEADING.match(reading)
    if when and (dated := first_person(f"{reading[when.end() :]} {_lowered(when['when'])}")):
        return dated
    rules = (_name, _reminder, _decision, _proposal, first_person, _due)
    for rule in rules:
        if found := rule(reading):
            return found
    return third_party(reading, known) or _own(reading)


def greets(reading: str) -> bool:
    """Whether it begins with a greeting."""
    return _GREETING.match(reading) is not None


def _lowered(phrase: str) -> str:
    return phrase[:1].lower() + phrase[1:]


def _name(reading: str) -> Finding | None:
    match = _NAME.match(reading)
    return _named(match["name"]) if match else None


def _named(name: str) -> Finding:
    return Finding("observation", "Name", f"Is called {name}", 0.8, ("name",), topic="name")


def _reminder(reading: str) -> Finding | None:
    match = _REMINDER.match(reading)
    if match is None:
        return None
    text = sentence(f"wants a reminder {others(match['what'])}")
    return Finding("commitment", "Reminder", text, 0.7)


def _decision(reading: str) -> Finding | None:
    match = _DECIDED.match(reading)
    if match is None:
        return None
    text = sentence(f"decided: {others(match['go'] or match['what'])}")
    return Finding("decision", "Decision", text, 0.8)


def _proposal(reading: str) -> Finding | None:
    match = _PROPOSED.match(reading)
    if match is None:
        return None
    return Finding("proposal", "Proposal", sentence(f"proposed: {others(match['what'])}"), 0.4)


def _due(reading: str) -> Finding | None:
    match = _DUE.match(reading)
    if match is None or not says_when(reading):
        return None
    topic = thing(match["thing"] or match["deadline"])
    text = sentence(reading.partition(" ")[2])
    return Finding("commitment", "Date", text, 0.7, topic=topic)


def _own(reading: str) -> Finding | None:
    match = _OWN.match(reading)
    if match is None or _NO_THING.match(match["thing"]) or _RELATION.match(match["thing"]):
        return None
    topic = re.sub(r"\bfavorite\b", "favourite", thing(match["thing"]))
    topic = re.sub(r"\bcolour\b", "color", topic)
    text = sentence(f"{match['thing']} {match['be']} {others(match['value'])}")
    title = shortened(sentence(match["thing"]), TITLE_CHARACTERS)
    kind = "commitment" if says_when(match["value"]) else "observation"
    return Finding(kind, title, text, 0.6, topic=topic)
