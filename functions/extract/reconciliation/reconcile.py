"""Decides what happens to verified candidates, given the related memories. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from functions.extract.candidates.candidate import VerifiedCandidate
from functions.extract.reconciliation.decisions import (
    AddEvidence,
    AddMemory,
    AlreadyKnown,
    ChallengeMemory,
    Decision,
    ReviseMemory,
    SkipCandidate,
)
from functions.extract.reconciliation.fact_comparison import (
    RelatedMemory,
    contradicts_memory,
    echoes_memory,
    last_said_at,
    states_same_fact,
    turn_version,
)
from functions.extract.reconciliation.suppression import (
    NO_REJECTIONS,
    suppressed_span_reason,
    suppression_reason,
)
from strandline.language.statements import Statement, statement_fingerprints, statement_of
from strandline.models.memory import Memory, Reference
from strandline.models.memory_status import is_open_challenge, is_user_protected
from strandline.store.memories.suppressed_statements import Rejection

TOO_MANY_CHALLENGES = "contradicts the user's own words, as too much else of the exchange does"
NEWER_KNOWN = "newer knowledge exists"
ECHO = "echo of a recalled memory"
SAME_EXCHANGE = "the same exchange says something newer of it"

MAX_CHALLENGES = 4
"""Per exchange: each takes eleven of the hundred writes of a transaction."""


def reconcile(
    candidate: VerifiedCandidate,
    related: Iterable[RelatedMemory],
    forgotten: Mapping[str, datetime],
    rejected: Mapping[str, Rejection] = NO_REJECTIONS,
) -> Decision:
    """Returns what to do with one candidate.

    `related` are the memories to compare it with. `forgotten` maps fingerprints of statements the
    user removed to the time of that, `rejected` those of statements the user rejected to the
    rejection. What the user states again later is learned again. Of several memories that the
    candidate contradicts, the most similar is revised.
    """
    statement = statement_of(candidate)
    closest = sorted(related, key=lambda n: (not n.recallable, -n.similarity, n.memory.id))
    if (suppressed := suppression_reason(candidate, closest, forgotten, rejected)) is not None:
        return SkipCandidate(suppressed)
    accepted = [n for n in closest if n.rejected_at is None and not n.overruled]
    if not candidate.user_said_it and any(echoes_memory(statement, n) for n in accepted):
        return SkipCandidate(ECHO)
    contradicted = [n for n in accepted if contradicts_memory(candidate, statement, n)]
    same = (n for n in accepted if states_same_fact(candidate, statement, n))
    if (known := next((n for n in same if not _is_superseded(n, contradicted)), None)) is not None:
        return _evidence_decision(candidate, known.memory)
    if (suppressed := suppressed_span_reason(candidate, closest)) is not None:
        return SkipCandidate(suppressed)
    predecessor = _rejected_predecessor(candidate, statement, closest, rejected)
    if contradicted:
        return _change_decision(candidate, contradicted, predecessor)
    return AddMemory(predecessor)


def plan_decisions(
    candidates: Sequence[VerifiedCandidate],
    related: Sequence[Sequence[RelatedMemory]],
    forgotten: Mapping[str, datetime],
    rejected: Mapping[str, Rejection] = NO_REJECTIONS,
) -> list[tuple[VerifiedCandidate, Decision]]:
    """Returns a decision for each candidate of one exchange; no memory is changed by two of them.

    `related[i]` belongs to `candidates[i]`. The candidates are already deduplicated
    (`merge_duplicates`).
    """
    decided = [
        (candidate, reconcile(candidate, memories, forgotten, rejected))
        for candidate, memories in zip(candidates, related, strict=True)
    ]
    revised_ids = {d.memory.id for _, d in decided if isinstance(d, ReviseMemory)}
    changed_ids: set[str] = set()
    challenges_left = MAX_CHALLENGES
    planned: list[tuple[VerifiedCandidate, Decision]] = []
    for candidate, own in decided:
        decision = _one_change_per_memory(own, revised_ids, changed_ids)
        if isinstance(decision, ChallengeMemory):
            if challenges_left:
                challenges_left -= 1
            else:
                decision = SkipCandidate(TOO_MANY_CHALLENGES)
        planned.append((candidate, decision))
    return planned


def _one_change_per_memory(
    decision: Decision, revised_ids: set[str], changed_ids: set[str]
) -> Decision:
    """Returns the decision, or another one if a candidate before it changes the memory already.

    Adds the memory that the decision changes to `changed_ids`.
    """
    if not isinstance(decision, AddEvidence | ReviseMemory):
        return decision
    if isinstance(decision, AddEvidence) and decision.memory.id in revised_ids:
        return SkipCandidate(SAME_EXCHANGE)
    if decision.memory.id in changed_ids:
        # Of two changes from one exchange neither is the newer: both are kept side by side.
        if isinstance(decision, ReviseMemory):
            return AddMemory(decision.predecessor)
        return AlreadyKnown(decision.memory)
    changed_ids.add(decision.memory.id)
    return decision


def _rejected_predecessor(
    candidate: VerifiedCandidate,
    statement: Statement,
    closest: Iterable[RelatedMemory],
    rejected: Mapping[str, Rejection],
) -> Reference | None:
    """Returns the rejected revision of what the user now states again, if it still exists."""
    for known in closest:
        if known.rejected_at is not None and states_same_fact(candidate, statement, known):
            return Reference(memory_id=known.memory.id, revision=known.memory.revision)
    existing = {known.memory.id for known in closest}
    for fingerprint in statement_fingerprints(candidate):
        found = rejected.get(fingerprint)
        if found is not None and found.memory_id in existing:
            return Reference(memory_id=found.memory_id, revision=found.revision)
    return None


def _evidence_decision(candidate: VerifiedCandidate, memory: Memory) -> Decision:
    """Returns AddEvidence for turns the memory doesn't cite yet; one turn is one source."""
    cited = {turn_version(citation) for citation in memory.evidence}
    new = tuple(c for c in candidate.evidence if turn_version(c) not in cited)
    return AddEvidence(memory, new) if new else AlreadyKnown(memory)


def _is_superseded(known: RelatedMemory, contradicted: Iterable[RelatedMemory]) -> bool:
    """Whether the memory isn't current while one that contradicts the candidate is.

    Then stating it again must not simply make it current. A challenge that waits for the user's
    decision may be stated again.
    """
    if known.recallable or is_open_challenge(known.memory, known.status):
        return False
    return any(other.recallable for other in contradicted)


def _change_decision(
    candidate: VerifiedCandidate,
    contradicted: Sequence[RelatedMemory],
    predecessor: Reference | None,
) -> Decision:
    """Returns how the candidate changes the memories it contradicts.

    A memory that only the user may change comes first, then the current and most similar one.
    Nothing becomes current beside a statement that was made later.
    """
    protected = (n for n in contradicted if is_user_protected(n.memory, n.status))
    first = next(protected, contradicted[0])
    current = [first, *(n for n in contradicted if n.recallable)]
    if any(candidate.said_at < last_said_at(n.memory) for n in current):
        return SkipCandidate(NEWER_KNOWN)
    if is_user_protected(first.memory, first.status):
        return ChallengeMemory(first.memory, predecessor)
    return ReviseMemory(first.memory, predecessor)
