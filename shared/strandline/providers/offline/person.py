"""From the first person to the third: "I don't eat my greens" → "Doesn't eat their greens"."""

import re

from strandline.providers.offline.finding import sentence

ADVERBS = (
    "really|absolutely|just|still|now|also|actually|currently|always|usually|recently|mostly"
    "|generally|definitely|truly|totally|personally|especially|particularly|already|only|even"
    "|often|sometimes|normally|never|no longer|rarely|seldom|both|finally|first|so|quite|very"
    "|completely|deathly|severely|pretty|slightly|hardly|simply|honestly|secretly|kind of|sort of"
)
_VERBS = {
    "'m": "is", "am": "is", "'re": "is", "are": "is", "aren't": "isn't", "were": "was",
    "weren't": "wasn't", "'ve": "has", "have": "has", "haven't": "hasn't", "'ll": "will",
    "'d": "would", "do": "does", "don't": "doesn't", "go": "goes", "study": "studies",
    "carry": "carries", "fly": "flies", "teach": "teaches", "practise": "practises",
    "watch": "watches", "wish": "wishes", "coach": "coaches",
}  # fmt: skip
_ADD_S_WORDS = (
    "adore avoid bake collect commute come cook dance detest dislike drink drive eat enjoy garden"
    " hate hope intend knit know like live loathe look love need own paint plan play prefer read"
    " ride run sing sleep smoke speak suffer swim take tend train travel use volunteer walk want"
    " wear work write"
)
_ADD_S = frozenset(_ADD_S_WORDS.split())
_PRONOUNS = {
    "i'm": "they're", "i've": "they've", "i'll": "they'll", "i'd": "they'd", "i": "they",
    "we": "they", "we're": "they're", "we've": "they've", "we'll": "they'll", "my": "their",
    "our": "their", "me": "them", "us": "them", "mine": "theirs", "ours": "theirs",
    "myself": "themselves", "ourselves": "themselves", "am": "are",
}  # fmt: skip
_PRONOUN = re.compile(
    rf"(?<![\w'.-])(?:{'|'.join(sorted(_PRONOUNS, key=len, reverse=True))})(?![\w'-])",
    re.IGNORECASE,
)
_HEAD = re.compile(
    rf"(?P<adverbs>(?:(?:{ADVERBS})\s+)*)(?P<verb>'?[\w']+)(?P<rest>.*)", re.IGNORECASE | re.DOTALL
)


def third_person(predicate: str) -> str:
    """What follows "I", said of someone: a sentence without its subject."""
    head = _HEAD.fullmatch(predicate.strip())
    if head is None:
        return sentence(others(predicate))
    return sentence(head["adverbs"] + _third(head["verb"]) + others(head["rest"]))


def others(phrase: str) -> str:
    """`phrase` with the speaker's pronouns turned into "they" and "their"."""
    return _PRONOUN.sub(_other, phrase)


def _other(match: re.Match[str]) -> str:
    # "US" is a country; only "us" and "Us" are the speaker.
    return match[0] if match[0] == "US" else _PRONOUNS[match[0].lower()]


def _third(verb: str) -> str:
    low = verb.lower()
    if low in _ADD_S:
        return f"{low}s"
    return _VERBS.get(low, low)
