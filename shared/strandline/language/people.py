"""Whom a statement is about."""

import re
from dataclasses import dataclass

from strandline.language.folding import fold_lower
from strandline.language.people_words import FIRST_PERSON, HAN_RELATION, POSSESSIVES, RELATIONS

USER = "user"
ASSISTANT = "assistant"

_USER_NAMES = frozenset({"", "user", "the user", "i", "me", "myself", "human", "speaker", "用户"})
_ASSISTANT_NAMES = frozenset({"assistant", "the assistant", "ai", "model", "bot", "chatbot"})
_WORD = re.compile(r"[^\W_]+(?:['\-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Person:
    """Someone of the user's: what they are to them and, where it is said, their name."""

    relation: str
    name: str = ""


def canonical_subject(subject: str) -> str:
    """The subject with one spelling for the user and one for the assistant."""
    folded = fold_lower(subject)
    if folded in _USER_NAMES:
        return USER
    return ASSISTANT if folded in _ASSISTANT_NAMES else subject.strip()


def third_party_subject(clause: str) -> Person | None:
    """The person a clause opens with ("My brother Jack hates fish"), unless it is the user too."""
    text = " ".join(clause.replace("’", "'").split())
    han = re.search(HAN_RELATION, text)
    if han is not None:
        return Person(han[1])
    said = _WORD.findall(text)
    low = [word.casefold() for word in said]
    at = next((i for i, word in enumerate(low[:4]) if word in POSSESSIVES), None)
    if at is None or any(word in FIRST_PERSON for word in low):
        return None
    relation = next((i for i in range(at + 1, min(at + 4, len(low))) if low[i] in RELATIONS), None)
    return Person(low[relation], _name_after(said, relation)) if relation is not None else None


def mentions_person(text: str, person: Person) -> bool:
    """Whether the text names the person, or what they are to the user."""
    folded = fold_lower(text)
    return person.relation in folded or bool(person.name and person.name.casefold() in folded)


def opens_with_person(text: str, person: Person) -> bool:
    """Whether the text is a statement about the person, as far as its first words show."""
    names = "|".join(re.escape(name.casefold()) for name in (person.name, person.relation) if name)
    lead = r"\W*(?:the |die |der |le |la |el )?(?:user'?s? |用户的?|我的?)?(?:\w+ )?"
    return re.match(rf"{lead}(?:{names})", fold_lower(text)) is not None


def _name_after(said: list[str], relation: int) -> str:
    follows = said[relation + 1 : relation + 2]
    return follows[0] if follows and follows[0][:1].isupper() else ""
