"""The table of rules for what a speaker says of themselves, in English, tried in this order."""

# A table of patterns reads best with one rule a line.
# ruff: noqa: E501

import re
from dataclasses import dataclass

from strandline.providers.offline.person import ADVERBS

_A = rf"(?:(?:{ADVERBS})\s+)*"
_BE = rf"(?:'m|am|'re|are)\s+(?:not\s+)?{_A}"
_BE_YES = rf"(?:'m|am|'re|are)\s+{_A}"
_NOT = r"(?:don't|do not|didn't|did not|can't|cannot|can not|won't|never|no longer)\s+"
_HAVE = rf"(?:have|'ve got|have got|'ve|had|don't have|do not have)\s+{_A}"
_HEALTH = (
    r"(?:(?:type [12]|chronic|severe|mild|a|an|the|high|bad)\s+)*(?:diabetes|asthma|epilepsy"
    r"|migraines?|anxiety|depression|adhd|arthritis|hypertension|blood pressure"
    r"|c(?:o?e)liac disease"
    r"|cancer|insomnia|heart condition|pacemaker|celiac|eczema|hay fever)"
)
_NO_OPINION = (
    r"(?!(?:it|that|this|them|these|those|you|your|how|when|what|where|him|her|the idea|the way"
    r"|the sound|to know|to think|to say|to see|to ask|to book|to hear|an? (?:list|recipe"
    r"|summary))\b)"
)
_NO_TASK = (
    r"(?!(?:know|ask|understand|say|admit|find out|figure|see|hear|talk|tell|be honest|you"
    r"|make sure"
    r"|check something|confess|agree|think about it|try (?:it|that)|go now|clarify|be clear"
    r"|warn)\b)"
)
_NO_STATE = (
    r"(?!(?:sorry|sure|fine|good|well|ok|okay|happy|glad|tired|hungry|here|back|ready|done|afraid"
    r"|curious|confused|wondering|thinking|looking|asking|trying|going|not|just|so|interested"
    r"|aware|certain|late|busy|bored|sick of|stuck|lost|new here|excited|thankful|grateful|in\b"
    r"|on\b|at\b|about|having|getting|doing|feeling|using|saying|talking|waiting|writing|reading"
    r"|joking|kidding|serious|right|wrong|open|all\b|a bit|a little|a lot|kind of|sort of|to\b"
    r"|the one"
    r"|impressed|surprised|worried|sad|angry|mad|upset|cold|hot|sleepy|your|you|able|unable"
    r"|supposed"
    r"|and|or|but|if|that|what|how|pleased|planning|hoping|considering|testing|starting)\b)"
)
_NO_POSSESSION = (
    r"(?!(?:a|an|another|one|two|some|no|any|the|more)?\s*(?:quick\s+|few\s+|small\s+"
    r"|simple\s+)?(?:question"
    r"|idea|problem|issue|doubt|feeling|suggestion|thought|request|clue|choice|time|point|look|plan"
    r"|hunch|favou?r|bug|error|favorite|moment|minute|second|word)s?\b"
    r"|(?:to|been|never|just|already|not|heard|seen|tried|read|done|it|that|this|you|fun"
    r"|trouble)\b)"
)
_JOB_NOUN = (
    r"\w*(?:engineer|teacher|nurse|doctor|lawyer|developer|designer|writer|manager|student|chef"
    r"|cook|pilot|driver|baker|farmer|plumber|painter|carpenter|accountant|consultant|architect"
    r"|scientist|researcher|professor|lecturer|journalist|musician|photographer|programmer"
    r"|therapist"
    r"|dentist|vet|firefighter|electrician|librarian|barista|freelancer|surgeon|pharmacist"
    r"|analyst)s?"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern over what follows "I", and what it means.

    `topic` may name {object}, what the pattern caught, without the words that change nothing.
    """

    pattern: re.Pattern[str]
    title: str
    importance: float
    topic: str = ""
    labels: tuple[str, ...] = ()
    kind: str = "observation"
    dated: bool = False
    """Whether it holds only with a date or a time."""


def _rule(
    pattern: str,
    title: str,
    importance: float,
    topic: str = "",
    labels: tuple[str, ...] = (),
    **more: str | bool,
) -> Rule:
    compiled = re.compile(rf"{_A}(?:{pattern})", re.IGNORECASE | re.DOTALL)
    kind, dated = str(more.get("kind", "observation")), bool(more.get("dated", False))
    return Rule(compiled, title, importance, topic, labels, kind, dated)


_O = r"(?P<object>.+)"
_HEALTHY, _FOOD, _TASTE = ("health",), ("food",), ("preference",)

RULES = (
    _rule(rf"{_BE}(?:allergic|intolerant)\s+to\s+{_O}", "Allergy", 0.9, "allergy: {object}", _HEALTHY),
    _rule(rf"{_HAVE}an?\s+allergy\s+to\s+{_O}", "Allergy", 0.9, "allergy: {object}", _HEALTHY),
    _rule(
        rf"{_HAVE}an?\s+(?:severe\s+|bad\s+|mild\s+)?(?P<object>[\w-]+)\s+(?:allergy"
        rf"|intolerance)\b.*",
        "Allergy", 0.9, "allergy: {object}", _HEALTHY,
    ),
    _rule(rf"{_BE}(?P<object>lactose|gluten)[ -]intolerant\b.*", "Allergy", 0.9,
          "allergy: {object}", _HEALTHY),
    _rule(rf"(?:{_HAVE}|suffer from\s+|was diagnosed with\s+)(?P<object>{_HEALTH})\b.*", "Health", 0.9,
          "health: {object}", _HEALTHY),
    _rule(rf"{_BE}(?P<object>pregnant)\b.*", "Health", 0.9, "pregnancy", _HEALTHY),
    _rule(rf"{_BE}(?:afraid|scared|terrified|frightened)\s+of\s+{_O}", "Fear", 0.7, "fear of {object}"),
    _rule(rf"{_BE}(?:an?\s+)?(?:strict\s+)?(?P<object>vegan|vegetarian|pescatarian|teetotal"
          r"|gluten[- ]free|kosher|halal)\b.*", "Diet", 0.8, "diet", _FOOD),
    _rule(rf"{_NOT}(?:really\s+)?(?:eat|drink|touch)\s+(?:any\s+)?{_O}", "Diet", 0.8,
          "diet: {object}", _FOOD),
    _rule(rf"(?:avoid|gave up|stopped|quit)\s+(?:eating|drinking)\s+(?:any\s+)?{_O}", "Diet", 0.8,
          "diet: {object}", _FOOD),
    _rule(rf"(?:eat|drink)\s+{_NO_OPINION}{_O}", "Diet", 0.5, "diet: {object}", _FOOD),
    _rule(r"prefer\s+(?P<object>.+?)\s+(?:to|over|rather than)\s+(?P<other>.+)", "Preference", 0.6,
          "preference: {object} or {other}", _TASTE),
    _rule(rf"(?:{_NOT}(?:really\s+)?(?:like|love|enjoy|care for|stand|mind)|love|like|enjoy|adore"
          r"|prefer|hate|dislike|detest|loathe|loved|liked|hated|enjoyed)\s+(?:to\s+eat\s+)?"
          rf"{_NO_OPINION}{_O}", "Preference", 0.6, "opinion of {object}", _TASTE),
    _rule(rf"{_BE}(?:(?:an?\s+)?(?:big\s+|huge\s+)?fan\s+of|into|crazy about|fond of|keen on"
          rf"|sick of|interested in)\s+{_NO_OPINION}{_O}", "Preference", 0.6,
          "opinion of {object}", _TASTE),
    _rule(rf"{_BE_YES}moving\s+to\s+{_O}", "Plan", 0.7, "planned move", ("home",), kind="commitment"),
    _rule(rf"(?:{_NOT})?(?:(?:'ve|have)\s+)?(?:{_BE})?{_A}(?:live|living|moved|relocated|based"
          rf"|settled)"
          rf"\s+(?:back\s+|down\s+)?(?:in|to|near|outside|at)\s+{_O}", "Home", 0.8, "home city",
          ("home",)),
    _rule(rf"(?:{_BE}|come\s+)from\s+{_O}", "Origin", 0.6, "origin"),
    _rule(r"(?:was born|grew up)\s+(?:in|on|near)\s+.+", "Origin", 0.6, ""),
    _rule(rf"(?:{_NOT})?(?:{_BE})?(?:work|working)\s+(?:as|at|for|in|with)\s+{_NO_OPINION}{_O}", "Job",
          0.7, "job", ("work",)),
    _rule(r"(?:(?:just\s+)?(?:started|got|found|accepted|quit|lost|left)\s+(?:(?:a|my"
          r"|the)\s+)?(?:new\s+)?"
          r"(?:job|work|working)|got hired|got fired|retired)\b.*", "Job", 0.7, "job", ("work",)),
    _rule(rf"{_BE}(?:retired|unemployed|self-employed|between jobs)\b.*", "Job", 0.7, "job", ("work",)),
    _rule(rf"{_BE}an?\s+(?:[\w-]+\s+){{0,3}}?{_JOB_NOUN}\b.*", "Job", 0.7, "job", ("work",)),
    _rule(rf"(?:{_BE}called|go by)\s+{_O}", "Name", 0.8, "name"),
    _rule(rf"{_BE_YES}\d{{1,3}}(?:\s+years\s+old)?", "Age", 0.6, "age"),
    _rule(rf"(?:{_BE}|got\s+)(?:(?:happily|newly)\s+)?(?:married|single|divorced|engaged"
          rf"|widowed)\b.*",
          "Relationship", 0.7, "relationship status"),
    _rule(rf"(?:(?:'ve|have)\s+)?{_A}(?:decided|chose|chosen|picked|settled on|agreed):?\s+.+",
          "Decision", 0.8, kind="decision"),
    _rule(rf"(?:'ll|will|'m going to|'re going to)\s+{_A}(?:go with|stick with|settle on)\s+.+",
          "Decision", 0.8, kind="decision"),
    _rule(rf"{_BE_YES}going\s+with\s+.+", "Decision", 0.8, kind="decision"),
    _rule(rf"(?:have|need|'ve got|ought)\s+to\s+{_NO_TASK}.+", "To do", 0.6, kind="commitment"),
    _rule(rf"(?:must|promised|committed to)\s+{_NO_TASK}.+", "To do", 0.7, kind="commitment"),
    _rule(rf"(?:'ll|will|won't|'m going to|'re going to|'m gonna|should|plan to|'m planning to"
          rf"|'m supposed to|intend to)\s+{_NO_TASK}.+", "To do", 0.7, kind="commitment", dated=True),
    _rule(rf"(?:'m|am|'re|are)\s+{_A}\w+ing\s+.+", "To do", 0.7, kind="commitment", dated=True),
    _rule(rf"{_HAVE}(?:an?|my|the|our)\s+{_NO_POSSESSION}.+", "To do", 0.7, kind="commitment",
          dated=True),
    _rule(rf"(?:want to|hope to|plan to|'m planning to|intend to|'m hoping to"
          rf"|'d love to)\s+{_NO_TASK}.+",
          "Goal", 0.5),
    _rule(rf"{_BE_YES}(?:learning|studying|training for|saving (?:up )?for|building|writing a"
          r"|working (?:on|towards?))\s+.+", "Goal", 0.6),
    _rule(r"(?:want|need)\s+(?:an?|one|two|three|four|five|\d+|no|my|our|the|more|less)\s+"
          r"(?!(?:bit of )?(?:help|advice|information|suggestion|recommendation|idea|recipe|list"
          r"|answer"
          r"|second|minute|favou?r)s?\b).+", "Wish", 0.5),
    _rule(rf"(?:{_HAVE}|own\s+){_NO_POSSESSION}(?:an?\s+|one\s+|two\s+|three\s+|four\s+|five\s+"
          rf"|six\s+"
          rf"|\d+\s+|no\s+|some\s+|twin\s+|lots of\s+)(?P<object>[^,;]+?)(?P<more>[,;].*"
          rf"|\s+(?:named|called"
          r"|and|who|that|which|in|at|with|from)\s+.*)?", "About the user", 0.6, "has: {object}"),
    _rule(r"used to\s+.+", "In the past", 0.4),
    _rule(r"lived\s+(?:in|at|near)\s+.+", "In the past", 0.4),
    _rule(rf"(?:{_NOT})?(?P<verb>speak|play|study|drive|teach|use|collect|cook|bake|swim|ride"
          rf"|wear|practi[cs]e"
          r"|smoke|commute|paint|sing|dance|volunteer|knit|garden|run|read)(?:\s+(?P<object>"
          r"(?!(?:it|that|this|into|out|your|you|the risk|about it|through)\b).+))?", "Habit", 0.5, "habit: {verb} {object}"),
    _rule(rf"{_A}(?:went|visited|bought|sold|adopted|lost|broke|graduated|joined|signed up|won"
          rf"|met|finished"
          r"|started|got|ran|passed|failed|booked|ordered|hired|built|wrote|published|was diagnosed"
          r"|injured|celebrated|became|began|switched|signed)\s+(?!(?:it|that|this|you|to know"
          r"|the point"
          r"|an? (?:error|question))\b).+", "Event", 0.4),
    # Atomic: an adverb that was passed over must not come back as the state.
    _rule(rf"(?:'m|am|'re|are)\s+(?>(?:(?:{ADVERBS}|not)\s+)*){_NO_STATE}(?!\w+ing\b)\w.+",
          "About the user", 0.4),
)  # fmt: skip
