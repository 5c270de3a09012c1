"""Whether a candidate is what was said. What isn't is dropped, with the reason."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from functions.extract.candidates.candidate import Candidate, Quote, Verified
from functions.extract.candidates.relative_dates import resolve_relative_dates
from functions.extract.exchange import Exchange
from functions.extract.model_call.instructions import EXAMPLES
from strandline.language.content_words import content_stems, count_shared
from strandline.language.detection import detect_language, detect_script, possible_languages
from strandline.language.folding import fold_lower, one_line, truncate
from strandline.language.modality import is_hypothetical, is_question
from strandline.language.people import (
    ASSISTANT,
    USER,
    mentions_person,
    opens_with_person,
    third_party_subject,
)
from strandline.language.polarity import polarity_agrees
from strandline.language.quotes import QuoteLocation, locate_quote
from strandline.language.sentences import spans_near, split_clauses
from strandline.models.job import Dropped
from strandline.models.memory import MAX_TITLE, Citation, Kind
from strandline.models.turn import Role, Turn

FACTS = frozenset({Kind.OBSERVATION, Kind.DECISION, Kind.COMMITMENT})
"""Kinds that say something is so, or will be."""

OF_THE_ASSISTANT = frozenset({Kind.PROPOSAL, Kind.SUMMARY, Kind.QUESTION, Kind.COMMITMENT})
"""Kinds that the assistant's words alone can ground; a commitment only when it is its own."""

NO_TEXT = "no text"
FROM_INSTRUCTIONS = "it repeats an example from the instructions"
NO_QUOTE = "it quotes nothing"
NOT_IN_TURN = "the quote is not in the turn"
OTHER_SPEAKER = "the quote is the other speaker's"
HYPOTHETICAL = "hypothetical: the quoted words only suppose it"
ONLY_ASKED = "a question states no fact"
ASSISTANT_SAID = "the assistant's words are no fact about the user"
NOT_GROUNDED = "not grounded: it shares no word with what was said"
POLARITY = "the text and its quote disagree on yes and no"
SOMEONE_ELSE = "the quote is about someone else"

_ABOUT_USER = re.compile(
    r"\W*(?:the )?(?:user|you|i|用户)\b(?! (?:was|were|got|could|might|should|may) )(?!'s\b)"
)
_EXAMPLE_TEXTS = frozenset(
    fold_lower(text) for example in EXAMPLES for text in (example.said, example.memory)
)


@dataclass(frozen=True, slots=True)
class LocatedQuote:
    """A quote that stands in a turn."""

    turn: Turn
    found: QuoteLocation

    def citation(self) -> Citation:
        """The quote as a memory keeps it."""
        return Citation(
            turn_id=self.turn.id,
            turn_version=self.turn.version,
            role=self.turn.role,
            word_start=self.found.word_start,
            word_end=self.found.word_end,
            said_at=self.turn.created_at,
        )

    def clauses(self) -> tuple[str, ...]:
        """The clauses of the turn that the quote touches, whole."""
        touched = spans_near(split_clauses(self.turn.content), self.found.start, self.found.end)
        return tuple(clause.text for clause in touched)


def verify_candidate(candidate: Candidate, exchange: Exchange) -> Verified | Dropped:
    """The candidate with its citations, or why it was dropped.

    Its citations are the quotes that hold; its subject is the person the quote is about; its
    text has the days behind relative dates.
    """
    cited, reason = _citations(candidate, exchange)
    if reason is None:
        reason = _fault(candidate, cited, exchange)
    if reason is not None:
        return Dropped(text=candidate.text, reason=reason)
    return _verified(candidate, cited, exchange)


def _citations(candidate: Candidate, exchange: Exchange) -> tuple[list[LocatedQuote], str | None]:
    """The quotes that can ground this kind of memory; a reason if none is left."""
    if not candidate.text.strip():
        return [], NO_TEXT
    if fold_lower(candidate.text).rstrip(".") in {text.rstrip(".") for text in _EXAMPLE_TEXTS}:
        return [], FROM_INSTRUCTIONS
    kept: list[LocatedQuote] = []
    reason = NO_QUOTE
    for quote in candidate.quotes:
        cited = _found(quote, exchange)
        fault = cited if isinstance(cited, str) else _unfit(candidate.kind, cited)
        if isinstance(cited, LocatedQuote) and fault is None:
            kept.append(cited)
        elif isinstance(fault, str):
            reason = fault
    return _of_the_right_speaker(candidate, kept, reason)


def _of_the_right_speaker(
    candidate: Candidate, cited: list[LocatedQuote], reason: str
) -> tuple[list[LocatedQuote], str | None]:
    by_user = [c for c in cited if c.turn.role is Role.USER]
    if not cited:
        return [], reason
    if by_user:
        of_user = candidate.kind is Kind.OBSERVATION and candidate.subject != ASSISTANT
        return (by_user if of_user else cited), None
    own = candidate.kind is not Kind.COMMITMENT or candidate.subject == ASSISTANT
    if (
        candidate.kind not in OF_THE_ASSISTANT
        or not own
        or _ABOUT_USER.match(fold_lower(candidate.text))
    ):
        return [], reason if reason in (HYPOTHETICAL, ONLY_ASKED) else ASSISTANT_SAID
    return cited, None


def _found(quote: Quote, exchange: Exchange) -> LocatedQuote | str:
    roles = [quote.turn] if quote.turn else [Role.USER, Role.ASSISTANT]
    for role in roles:
        found = locate_quote(quote.text, exchange.turn(role).content)
        if found is not None:
            return LocatedQuote(exchange.turn(role), found)
    others = [role for role in Role if role not in roles]
    if any(locate_quote(quote.text, exchange.turn(role).content) for role in others):
        return OTHER_SPEAKER
    return NOT_IN_TURN if quote.text.strip() else NO_QUOTE


def _unfit(kind: Kind, cited: LocatedQuote) -> str | None:
    """Why this quote can't ground this kind: what the user supposes or asks is no fact."""
    if cited.turn.role is not Role.USER or kind in (Kind.QUESTION, Kind.PROPOSAL):
        return None
    place = (cited.turn.content, cited.found.start, cited.found.end)
    if is_hypothetical(*place):
        return HYPOTHETICAL
    return ONLY_ASKED if kind in FACTS and is_question(*place) else None


def _fault(candidate: Candidate, cited: Sequence[LocatedQuote], exchange: Exchange) -> str | None:
    if not _grounded(candidate, cited, exchange):
        return NOT_GROUNDED
    sources = [clause for c in cited for clause in c.clauses()]
    if candidate.kind is not Kind.QUESTION and not polarity_agrees(
        candidate.text, sources, exchange.language
    ):
        return POLARITY
    return SOMEONE_ELSE if _about_someone_else(candidate, cited) else None


def _grounded(candidate: Candidate, cited: Sequence[LocatedQuote], exchange: Exchange) -> bool:
    """Whether the text shares a content word with what it may rest on.

    A fact about the user rests on the user's turn; only a decision or commitment that quotes
    both speakers may say yes to what the assistant named. A text in another language or script
    than its source can't be compared by words.
    """
    roles = {c.turn.role for c in cited}
    own = candidate.kind in FACTS and candidate.subject != ASSISTANT
    assent = candidate.kind is not Kind.OBSERVATION and len(roles) == 2
    bases = [Role.USER] if own and not assent else list(Role)
    said = " ".join(exchange.turn(role).content for role in bases)
    quoted = " ".join(clause for c in cited for clause in c.clauses())
    if detect_script(candidate.text) != detect_script(quoted):
        return bool(candidate.text.strip())
    spoken = possible_languages(quoted, exchange.language)
    written = possible_languages(candidate.text, exchange.language)
    if len(spoken) == len(written) == 1 and spoken != written:
        return True
    language = written[0] if written[0] in spoken else spoken[0]
    return count_shared(content_stems(candidate.text, language), content_stems(said, language)) > 0


def _about_someone_else(candidate: Candidate, cited: Sequence[LocatedQuote]) -> bool:
    if candidate.kind is not Kind.OBSERVATION or candidate.subject != USER:
        return False
    people = [third_party_subject(c.clauses()[0]) for c in cited if c.clauses()]
    return bool(people) and all(
        person is not None and not mentions_person(candidate.text, person) for person in people
    )


def _verified(candidate: Candidate, cited: Sequence[LocatedQuote], exchange: Exchange) -> Verified:
    language = detect_language(candidate.text, exchange.language)
    said_at = min(c.turn.created_at for c in cited)
    return Verified(
        kind=candidate.kind,
        title=_title(candidate, exchange.language),
        text=resolve_relative_dates(candidate.text, said_at, exchange.time_zone, exchange.language),
        importance=candidate.importance,
        labels=candidate.labels,
        subject=_subject(candidate, cited),
        topic=candidate.topic,
        language=language,
        evidence=tuple(dict.fromkeys(c.citation() for c in cited)),
        dated=exchange.dated,
    )


def _title(candidate: Candidate, language: str) -> str:
    """The model's title, unless it says no where the text says yes, or the other way round."""
    if polarity_agrees(candidate.title, [candidate.text], language):
        return candidate.title
    return truncate(one_line(candidate.text), MAX_TITLE)


def _subject(candidate: Candidate, cited: Sequence[LocatedQuote]) -> str:
    if all(c.turn.role is Role.ASSISTANT for c in cited):
        return ASSISTANT
    if candidate.subject != USER:
        return candidate.subject
    for clause in (c.clauses()[0] for c in cited if c.clauses()):
        person = third_party_subject(clause)
        if person is not None and opens_with_person(candidate.text, person):
            return person.name or person.relation
    return USER
