"""Suppresses what the user deleted, rejected or corrected and hasn't stated again since. Pure."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType

from functions.extract.candidates.candidate import VerifiedCandidate
from functions.extract.candidates.relative_dates import number_words
from functions.extract.reconciliation.fact_comparison import RelatedMemory, states_same_fact
from strandline.language.folding import fold_lower
from strandline.language.statements import Statement, statement_fingerprints, statement_of
from strandline.language.words import split_words
from strandline.models.memory import Author, Citation, Memory
from strandline.models.turn import Role
from strandline.store.memories.suppressed_statements import Rejection

FORGOTTEN = "forgotten: the user removed this"
REJECTED = "rejected: the user said that this is wrong"
CORRECTED = "corrected: the user has put these words right"
NO_REJECTIONS: Mapping[str, Rejection] = MappingProxyType({})

REWORDED_COSINE = 0.8
"""Cosine from which a replaced turn is taken to state a rejected fact again.

Measured with all-MiniLM-L6-v2: of 21 rewordings ("lives in Oslo", "home is in Oslo") 17 reach it,
of 22 other statements nine do. Eight of the nine differ in one word ("every morning", "every
evening", 0.93); these never count as a rewording, nor do texts with different numbers. The rule
applies to another version of the same turn only, not to other turns.
"""


def suppression_reason(
    candidate: VerifiedCandidate,
    related: Iterable[RelatedMemory],
    forgotten: Mapping[str, datetime],
    rejected: Mapping[str, Rejection],
) -> str | None:
    """Returns why the user's deletions and rejections suppress the candidate; None if they don't.

    `related` are the memories it may repeat; the other parameters are those of `reconcile`.
    """
    fingerprints = statement_fingerprints(candidate)
    removed = [forgotten[each] for each in fingerprints if each in forgotten]
    if removed and not said_after(candidate, max(removed)):
        return FORGOTTEN
    rejections = [rejected[each].at for each in fingerprints if each in rejected]
    if rejections and not said_after(candidate, max(rejections)):
        return REJECTED
    statement = statement_of(candidate)
    if any(_repeats_rejected(candidate, statement, known) for known in related):
        return REJECTED
    return None


def suppressed_span_reason(
    candidate: VerifiedCandidate, related: Iterable[RelatedMemory]
) -> str | None:
    """Returns why the candidate must not be learned from the words it cites; None if it may.

    The user rejected or corrected what was learned from these words. Another reading of them is
    suppressed too, also where the turn now states the same in other words.
    """
    statement = statement_of(candidate)
    for known in related:
        rejected, corrected = known.rejected_at, _corrected_at(known)
        at = rejected or corrected
        if at is None or said_after(candidate, at):
            continue
        if _cites_same_words(candidate, known) or (
            rejected and _is_reworded(candidate, statement, known)
        ):
            return REJECTED if rejected else CORRECTED
    return None


def said_after(candidate: VerifiedCandidate, at: datetime) -> bool:
    """Whether the user has stated it since then.

    The time a turn was replaced or imported at is not the time it was said at.
    """
    return candidate.dated and any(
        c.role is Role.USER and c.said_at > at for c in candidate.evidence
    )


def same_words_cited(a: Citation, b: Citation) -> bool:
    """Whether both citations share words of the same version of a turn."""
    same = (a.turn_id, a.turn_version) == (b.turn_id, b.turn_version)
    return same and a.word_start < b.word_end and b.word_start < a.word_end


def _repeats_rejected(
    candidate: VerifiedCandidate, statement: Statement, known: RelatedMemory
) -> bool:
    """Whether it states a rejected fact that the user hasn't stated since."""
    rejected_at = known.rejected_at
    if rejected_at is None or said_after(candidate, rejected_at):
        return False
    return states_same_fact(candidate, statement, known)


def _corrected_at(known: RelatedMemory) -> datetime | None:
    return known.memory.updated_at if known.memory.author is Author.USER else None


def _cites_same_words(candidate: VerifiedCandidate, known: RelatedMemory) -> bool:
    citations = (*known.memory.evidence, *known.current_citations)
    return any(same_words_cited(a, b) for a in candidate.evidence for b in citations)


def _is_reworded(candidate: VerifiedCandidate, statement: Statement, known: RelatedMemory) -> bool:
    """Whether a replaced turn states in other words what the memory learned from it."""
    memory = known.memory
    replaced = any(
        a.turn_id == b.turn_id and a.turn_version != b.turn_version
        for a in candidate.evidence
        for b in memory.evidence
    )
    if not replaced or known.cosine < REWORDED_COSINE:
        return False
    if not _name_the_same(statement, statement_of(memory)):
        return False
    return not _differ_in_detail(candidate, memory)


def _name_the_same(a: Statement, b: Statement) -> bool:
    """Whether both have the same subject, polarity, names and signs."""
    return (
        a.subject == b.subject
        and a.polarity is b.polarity
        and a.marks == b.marks
        and a.names <= b.words
        and b.names <= a.words
    )


def _differ_in_detail(candidate: VerifiedCandidate, memory: Memory) -> bool:
    """Whether the texts differ in exactly one word, or in their numbers."""
    own, known = _tokens(candidate.text), _tokens(memory.text)
    if len(own) == len(known) and sum(a != b for a, b in zip(own, known, strict=True)) == 1:
        return True
    return _numbers(own, candidate.language) != _numbers(known, memory.language)


def _tokens(text: str) -> list[str]:
    return split_words(fold_lower(text))


def _numbers(tokens: Iterable[str], language: str) -> set[str]:
    """Returns the numbers in digits or words, without "one", which is an article as well."""
    named = number_words(language)
    found = {each: named.get(each, 0) for each in tokens}
    spelled = {str(number) for number in found.values() if number > 1}
    return spelled | {each for each in found if any(sign.isdigit() for sign in each)}
