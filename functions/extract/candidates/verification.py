"""Verifies that a candidate states what was said; otherwise it is dropped with a reason."""

from collections.abc import Sequence

from functions.extract.candidates.candidate import Candidate, VerifiedCandidate
from functions.extract.candidates.citations import FACT_KINDS, LocatedQuote, usable_quotes
from functions.extract.candidates.drop_reasons import NOT_GROUNDED, POLARITY, SOMEONE_ELSE
from functions.extract.candidates.relative_dates import resolve_relative_dates
from functions.extract.exchange import Exchange
from strandline.language.detection import detect_language
from strandline.language.folding import one_line, truncate
from strandline.language.grounding import is_grounded
from strandline.language.people import (
    ASSISTANT,
    USER,
    mentions_person,
    opens_with_person,
    third_party_subject,
)
from strandline.language.polarity import polarity_agrees
from strandline.models.job import Dropped
from strandline.models.memory import MAX_TITLE, Kind
from strandline.models.turn import Role


def verify_candidate(candidate: Candidate, exchange: Exchange) -> VerifiedCandidate | Dropped:
    """Returns the candidate with its citations, or the reason why it was dropped.

    The subject becomes the person the quote is about; relative dates in the text become days.
    """
    quotes, reason = usable_quotes(candidate, exchange)
    if reason is None:
        reason = _mismatch_reason(candidate, quotes, exchange)
    if reason is not None:
        return Dropped(text=candidate.text, reason=reason)
    return _verified_candidate(candidate, quotes, exchange)


def _mismatch_reason(
    candidate: Candidate, quotes: Sequence[LocatedQuote], exchange: Exchange
) -> str | None:
    """Returns why the text says something else than its quotes; None if it doesn't."""
    if not _is_grounded_in_turns(candidate, quotes, exchange):
        return NOT_GROUNDED
    sources = [clause for quote in quotes for clause in quote.clauses()]
    if candidate.kind is not Kind.QUESTION and not polarity_agrees(
        candidate.text, sources, exchange.language
    ):
        return POLARITY
    return SOMEONE_ELSE if _is_about_third_party(candidate, quotes) else None


def _is_grounded_in_turns(
    candidate: Candidate, quotes: Sequence[LocatedQuote], exchange: Exchange
) -> bool:
    """Whether the turns that may ground the candidate share a content word with its text.

    A fact about the user needs the user's turn. Only a decision or commitment that quotes both
    speakers may name what only the assistant named.
    """
    roles = {quote.turn.role for quote in quotes}
    user_fact = candidate.kind in FACT_KINDS and candidate.subject != ASSISTANT
    is_assent = candidate.kind is not Kind.OBSERVATION and len(roles) == 2
    grounding_roles = [Role.USER] if user_fact and not is_assent else list(Role)
    source = " ".join(exchange.turn(role).content for role in grounding_roles)
    quoted = " ".join(clause for quote in quotes for clause in quote.clauses())
    return is_grounded(candidate.text, source, quoted=quoted, language=exchange.language)


def _is_about_third_party(candidate: Candidate, quotes: Sequence[LocatedQuote]) -> bool:
    """Whether an observation about the user quotes only what was said about other people."""
    if candidate.kind is not Kind.OBSERVATION or candidate.subject != USER:
        return False
    people = [third_party_subject(quote.clauses()[0]) for quote in quotes if quote.clauses()]
    return bool(people) and all(
        person is not None and not mentions_person(candidate.text, person) for person in people
    )


def _verified_candidate(
    candidate: Candidate, quotes: Sequence[LocatedQuote], exchange: Exchange
) -> VerifiedCandidate:
    language = detect_language(candidate.text, exchange.language)
    said_at = min(quote.turn.created_at for quote in quotes)
    return VerifiedCandidate(
        kind=candidate.kind,
        title=_title(candidate, exchange.language),
        text=resolve_relative_dates(candidate.text, said_at, exchange.time_zone, exchange.language),
        importance=candidate.importance,
        labels=candidate.labels,
        subject=_subject(candidate, quotes),
        topic=candidate.topic,
        language=language,
        evidence=tuple(dict.fromkeys(quote.citation() for quote in quotes)),
        dated=exchange.dated,
    )


def _title(candidate: Candidate, language: str) -> str:
    """Returns the model's title, or the text where their polarities differ."""
    if polarity_agrees(candidate.title, [candidate.text], language):
        return candidate.title
    return truncate(one_line(candidate.text), MAX_TITLE)


def _subject(candidate: Candidate, quotes: Sequence[LocatedQuote]) -> str:
    """Returns who the memory is about, as the quotes tell it."""
    if all(quote.turn.role is Role.ASSISTANT for quote in quotes):
        return ASSISTANT
    if candidate.subject != USER:
        return candidate.subject
    for clause in (quote.clauses()[0] for quote in quotes if quote.clauses()):
        person = third_party_subject(clause)
        if person is not None and opens_with_person(candidate.text, person):
            return person.name or person.relation
    return USER
