"""The subject of a statement: the user, the assistant or someone of the user's."""

import re
from dataclasses import dataclass
from functools import cache

from strandline.language.data import loader
from strandline.language.folding import fold_lower

USER = "user"
ASSISTANT = "assistant"

_WORD = re.compile(r"[^\W_]+(?:['\-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Person:
    """Someone of the user's: the relation and, if the text gives one, the name."""

    relation: str
    name: str = ""


def canonical_subject(subject: str) -> str:
    """The subject with one spelling for the user and one for the assistant."""
    folded = fold_lower(subject)
    known = _people_words()
    if not folded or folded in known.user_names:
        return USER
    return ASSISTANT if folded in known.assistant_names else subject.strip()


def is_about_user(text: str) -> bool:
    """Whether the text says what the user does or is, as far as its first words show."""
    return _user_subject().match(fold_lower(text)) is not None


def third_party_subject(clause: str) -> Person | None:
    """The person a clause opens with ("My brother Jack hates fish"), unless it is the user too."""
    text = " ".join(clause.replace("’", "'").split())
    for pattern in _relation_patterns():
        if match := pattern.search(text):
            return Person(match["relation"])
    known = _people_words()
    said = _WORD.findall(text)
    low = [word.casefold() for word in said]
    at = next((i for i, word in enumerate(low[:4]) if word in known.possessives), None)
    if at is None or any(word in known.first_person for word in low):
        return None
    near = range(at + 1, min(at + 4, len(low)))
    relation = next((i for i in near if low[i] in known.relations), None)
    return Person(low[relation], _name_after(said, relation)) if relation is not None else None


def mentions_person(text: str, person: Person) -> bool:
    """Whether the text names the person, or what they are to the user."""
    folded = fold_lower(text)
    return person.relation in folded or bool(person.name and person.name.casefold() in folded)


def opens_with_person(text: str, person: Person) -> bool:
    """Whether the text is a statement about the person, as far as its first words show."""
    names = "|".join(re.escape(name.casefold()) for name in (person.name, person.relation) if name)
    return re.match(rf"{_lead()}(?:{names})", fold_lower(text)) is not None


def _name_after(said: list[str], relation: int) -> str:
    follows = said[relation + 1 : relation + 2]
    return follows[0] if follows and follows[0][:1].isupper() else ""


@dataclass(frozen=True, slots=True)
class _PeopleWords:
    relations: frozenset[str]
    possessives: frozenset[str]
    first_person: frozenset[str]
    user_names: frozenset[str]
    assistant_names: frozenset[str]


@cache
def _people_words() -> _PeopleWords:
    return _PeopleWords(
        relations=loader.words(lambda each: each.people.relations),
        possessives=loader.words(lambda each: each.people.possessives),
        first_person=loader.words(lambda each: each.people.first_person),
        user_names=loader.words(lambda each: each.people.user_names),
        assistant_names=loader.words(lambda each: each.people.assistant_names),
    )


@cache
def _relation_patterns() -> tuple[re.Pattern[str], ...]:
    given = (each.people.relation for each in loader.languages())
    return tuple(re.compile(pattern) for pattern in given if pattern)


@cache
def _lead() -> str:
    """What may stand before a person at the beginning of a statement: "The user's older"."""
    articles = "|".join(sorted(loader.words(lambda each: each.people.articles))) or "(?!)"
    owner = loader.alternatives(lambda each: each.people.user_owner)
    return rf"\W*(?:(?:{articles}) )?(?:{owner})?(?:\w+ )?"


@cache
def _user_subject() -> re.Pattern[str]:
    leads = loader.alternatives(lambda each: each.people.subject_leads)
    subjects = loader.alternatives(lambda each: each.people.user_subjects)
    others = loader.alternatives(lambda each: each.people.not_subject)
    return re.compile(rf"\W*(?:{leads})?(?:{subjects})\b(?!{others})")
