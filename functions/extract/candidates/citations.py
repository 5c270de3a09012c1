"""Locates a candidate's quotes in the exchange, and keeps those that can ground its kind."""

from dataclasses import dataclass

from functions.extract.candidates.candidate import Candidate, Quote
from functions.extract.candidates.drop_reasons import (
    ASSISTANT_SAID,
    FROM_INSTRUCTIONS,
    HYPOTHETICAL,
    NO_QUOTE,
    NO_TEXT,
    NOT_IN_TURN,
    ONLY_ASKED,
    OTHER_SPEAKER,
)
from functions.extract.exchange import Exchange
from functions.extract.model_call.instructions import EXAMPLES
from strandline.language.folding import fold_lower
from strandline.language.modality import is_hypothetical, is_question
from strandline.language.people import ASSISTANT, is_about_user
from strandline.language.quotes import QuoteLocation, locate_quote
from strandline.language.sentences import spans_near, split_clauses
from strandline.models.memory import Citation, Kind
from strandline.models.turn import Role, Turn

FACT_KINDS = frozenset({Kind.OBSERVATION, Kind.DECISION, Kind.COMMITMENT})
"""Kinds that state that something is so, or will be."""

ASSISTANT_KINDS = frozenset({Kind.PROPOSAL, Kind.SUMMARY, Kind.QUESTION, Kind.COMMITMENT})
"""Kinds that the assistant's words alone can ground; a commitment only when it is its own."""

_EXAMPLE_TEXTS = frozenset(
    fold_lower(text).rstrip(".")
    for example in EXAMPLES
    for text in (example.utterance, example.memory)
)


@dataclass(frozen=True, slots=True)
class LocatedQuote:
    """A quote and where it occurs in a turn."""

    turn: Turn
    location: QuoteLocation

    def citation(self) -> Citation:
        """Returns the quote as a memory's evidence."""
        return Citation(
            turn_id=self.turn.id,
            turn_version=self.turn.version,
            role=self.turn.role,
            word_start=self.location.word_start,
            word_end=self.location.word_end,
            said_at=self.turn.created_at,
        )

    def clauses(self) -> tuple[str, ...]:
        """Returns the whole clauses of the turn that the quote overlaps."""
        clauses = split_clauses(self.turn.content)
        touched = spans_near(clauses, self.location.start, self.location.end)
        return tuple(clause.text for clause in touched)


def usable_quotes(
    candidate: Candidate, exchange: Exchange
) -> tuple[list[LocatedQuote], str | None]:
    """Returns the quotes that can ground the candidate, or none and the reason why."""
    if not candidate.text.strip():
        return [], NO_TEXT
    if fold_lower(candidate.text).rstrip(".") in _EXAMPLE_TEXTS:
        return [], FROM_INSTRUCTIONS
    kept: list[LocatedQuote] = []
    reason = NO_QUOTE
    for quote in candidate.quotes:
        located = _locate(quote, exchange)
        if isinstance(located, str):
            reason = located
        elif (unusable := _unusable_reason(candidate.kind, located)) is not None:
            reason = unusable
        else:
            kept.append(located)
    return _quotes_of_allowed_speaker(candidate, kept, reason)


def _quotes_of_allowed_speaker(
    candidate: Candidate, quotes: list[LocatedQuote], reason: str
) -> tuple[list[LocatedQuote], str | None]:
    """Returns the quotes of the speakers that can ground the candidate, or none and why."""
    if not quotes:
        return [], reason
    by_user = [quote for quote in quotes if quote.turn.role is Role.USER]
    if by_user:
        about_user = candidate.kind is Kind.OBSERVATION and candidate.subject != ASSISTANT
        return (by_user if about_user else quotes), None
    own = candidate.kind is not Kind.COMMITMENT or candidate.subject == ASSISTANT
    if candidate.kind not in ASSISTANT_KINDS or not own or is_about_user(candidate.text):
        return [], reason if reason in (HYPOTHETICAL, ONLY_ASKED) else ASSISTANT_SAID
    return quotes, None


def _locate(quote: Quote, exchange: Exchange) -> LocatedQuote | str:
    """Returns where the quote occurs, or the reason why it counts for nothing."""
    roles = [quote.turn] if quote.turn else [Role.USER, Role.ASSISTANT]
    for role in roles:
        location = locate_quote(quote.text, exchange.turn(role).content)
        if location is not None:
            return LocatedQuote(exchange.turn(role), location)
    others = [role for role in Role if role not in roles]
    if any(locate_quote(quote.text, exchange.turn(role).content) for role in others):
        return OTHER_SPEAKER
    return NOT_IN_TURN if quote.text.strip() else NO_QUOTE


def _unusable_reason(kind: Kind, quote: LocatedQuote) -> str | None:
    """Returns why a quote can't ground this kind: what the user supposes or asks is no fact."""
    if quote.turn.role is not Role.USER or kind in (Kind.QUESTION, Kind.PROPOSAL):
        return None
    span = (quote.turn.content, quote.location.start, quote.location.end)
    if is_hypothetical(*span):
        return HYPOTHETICAL
    return ONLY_ASKED if kind in FACT_KINDS and is_question(*span) else None
