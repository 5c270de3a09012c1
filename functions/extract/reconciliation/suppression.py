"""What isn't learned again: statements the user removed or rejected and hasn't said anew. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from functions.extract.candidates.candidate import Verified
from functions.extract.candidates.relative_dates import number_words
from strandline.language.folding import fold_lower
from strandline.language.statements import (
    Statement,
    compatible,
    same_fact,
    statement_fingerprints,
    statement_of,
)
from strandline.language.words import split_words
from strandline.models.memory import Author, Citation, Memory
from strandline.models.memory_status import NEW_STATUS, MemoryStatus, Review
from strandline.models.turn import Role
from strandline.store.memories.rejections import Rejection

FORGOTTEN = "forgotten: the user removed this"
REJECTED = "rejected: the user said that this is wrong"
CORRECTED = "corrected: the user has put these words right"
NOTHING_REJECTED: Mapping[str, Rejection] = MappingProxyType({})

REWORDED = 0.8
"""Cosine from which a replaced turn is taken to say a rejected thing again.

Measured with all-MiniLM-L6-v2: of 21 rewordings ("lives in Oslo", "home is in Oslo") 17 lie at it
or above, of 22 other statements nine do. Eight of the nine have one word put for another ("every
morning", "every evening", 0.93), which is never taken for a rewording, as no other number is.
Only what a turn says in another version is held to this, not what another turn says.
"""


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    """A current memory near the candidate: `cosine` raw, `similarity` on the common scale.

    `places` are where words that it cites stand since their turn was replaced.
    """

    memory: Memory
    cosine: float
    similarity: float
    status: MemoryStatus = NEW_STATUS
    places: tuple[Citation, ...] = ()

    @property
    def rejected_at(self) -> datetime | None:
        """When the user rejected it."""
        reviewed = self.status.reviewed
        rejected = reviewed is not None and reviewed.review is Review.REJECTED
        return reviewed.at if reviewed is not None and rejected else None

    @property
    def overruled(self) -> bool:
        """Whether the user decided for another memory that contradicts it."""
        return self.status.retracted_by is not None


def suppression_reason(
    candidate: Verified,
    near: Iterable[RelatedMemory],
    forgotten: Mapping[str, datetime],
    rejected: Mapping[str, Rejection],
) -> str | None:
    """Why the candidate isn't to be learned, if it isn't.

    `near` are the memories that it may repeat; the others as for `reconcile`.
    """
    prints = statement_fingerprints(candidate)
    removed = [forgotten[each] for each in prints if each in forgotten]
    if removed and not said_after(candidate, max(removed)):
        return FORGOTTEN
    refused = [rejected[each].at for each in prints if each in rejected]
    if refused and not said_after(candidate, max(refused)):
        return REJECTED
    told = statement_of(candidate)
    if any(_same_again(candidate, told, known) for known in near):
        return REJECTED
    return None


def suppressed_span_reason(candidate: Verified, near: Iterable[RelatedMemory]) -> str | None:
    """Why the candidate isn't to be learned from just these words, if it isn't.

    The user rejected what was read in them, or has put it right: another reading of them doesn't
    count against that, nor does it when they stand in the turn in other words now.
    """
    told = statement_of(candidate)
    for known in near:
        rejected, corrected = known.rejected_at, _corrected_at(known)
        at = rejected or corrected
        if at is None or said_after(candidate, at):
            continue
        if _of_its_words(candidate, known) or (rejected and _reworded(candidate, told, known)):
            return REJECTED if rejected else CORRECTED
    return None


def said_after(candidate: Verified, at: datetime) -> bool:
    """Whether the user has said it since then.

    Neither when a turn was replaced nor when it was imported is when it was said.
    """
    return candidate.dated and any(
        c.role is Role.USER and c.said_at > at for c in candidate.evidence
    )


def same_words_cited(a: Citation, b: Citation) -> bool:
    """Whether both quote some of the same words of the same version of a turn."""
    same = (a.turn_id, a.turn_version) == (b.turn_id, b.turn_version)
    return same and a.word_start < b.word_end and b.word_start < a.word_end


def _same_again(candidate: Verified, told: Statement, known: RelatedMemory) -> bool:
    """Whether it states a rejected fact that the user hasn't stated since."""
    at, memory = known.rejected_at, known.memory
    if at is None or said_after(candidate, at):
        return False
    return compatible(candidate.kind, memory.kind) and same_fact(told, statement_of(memory))


def _corrected_at(known: RelatedMemory) -> datetime | None:
    return known.memory.updated_at if known.memory.author is Author.USER else None


def _of_its_words(candidate: Verified, known: RelatedMemory) -> bool:
    places = (*known.memory.evidence, *known.places)
    return any(same_words_cited(mine, its) for mine in candidate.evidence for its in places)


def _reworded(candidate: Verified, told: Statement, known: RelatedMemory) -> bool:
    """Whether a turn says in another version, in other words, what was read in it before."""
    memory = known.memory
    replaced = any(
        mine.turn_id == its.turn_id and mine.turn_version != its.turn_version
        for mine in candidate.evidence
        for its in memory.evidence
    )
    if not replaced or known.cosine < REWORDED:
        return False
    return _of_the_same(told, statement_of(memory)) and not _differ_in_detail(candidate, memory)


def _of_the_same(told: Statement, held: Statement) -> bool:
    """Whether both name the same: what differs in a name or a sign is another statement."""
    return (
        told.subject == held.subject
        and told.polarity is held.polarity
        and told.marks == held.marks
        and told.names <= held.words
        and held.names <= told.words
    )


def _differ_in_detail(candidate: Verified, memory: Memory) -> bool:
    """Whether they are told alike but for one word, or name other numbers."""
    mine, its = _tokens(candidate.text), _tokens(memory.text)
    if len(mine) == len(its) and sum(a != b for a, b in zip(mine, its, strict=True)) == 1:
        return True
    return _numbers(mine, candidate.language) != _numbers(its, memory.language)


def _tokens(text: str) -> list[str]:
    return split_words(fold_lower(text))


def _numbers(tokens: Iterable[str], language: str) -> set[str]:
    """Numbers in digits or words, but for the one that is an article as well."""
    named = number_words(language)
    found = {each: named.get(each, 0) for each in tokens}
    spelled = {str(number) for number in found.values() if number > 1}
    return spelled | {each for each in found if any(sign.isdigit() for sign in each)}
