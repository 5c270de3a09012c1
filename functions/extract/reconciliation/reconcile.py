"""What becomes of a verified candidate, seen against what is known. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from functions.extract.candidates.candidate import Verified
from functions.extract.reconciliation.decisions import (
    Add,
    Challenge,
    Decision,
    Extend,
    Known,
    Revise,
    Skip,
)
from functions.extract.reconciliation.suppression import (
    NOTHING_REJECTED,
    RelatedMemory,
    suppressed_span_reason,
    suppression_reason,
)
from strandline.language.statements import (
    Statement,
    are_opposite,
    compatible,
    is_reversed,
    one_contains_other,
    same_fact,
    statement_fingerprints,
    statement_of,
)
from strandline.models.memory import Citation, Kind, Memory, Reference
from strandline.models.memory_status import is_open_challenge, is_recallable, is_user_protected
from strandline.store.memories.rejections import Rejection

SUPPORTING = 0.45
"""Similarity, on the common scale, from which a shared topic is taken to mean the same thing.

Measured: statements with nothing in common lie at 0.1 to 0.2, changed ones ("lives in Oslo",
"lives in Bergen") at 0.6 and more.
"""

ECHOED = 0.92
"""Cosine from which the assistant's words repeat a memory."""

TOO_MUCH = "contradicts the user's own words, as too much else of the exchange does"
NEWER_KNOWN = "newer knowledge exists"
ECHO = "echo of a recalled memory"
SAME_EXCHANGE = "the same exchange says something newer of it"

MOST_CHALLENGES = 4
"""Of one exchange: each takes eleven of the hundred writes of a transaction."""

REPLACES: Mapping[Kind, frozenset[Kind]] = {
    Kind.QUESTION: frozenset(),
    Kind.PROPOSAL: frozenset({Kind.PROPOSAL}),
    Kind.DECISION: frozenset({Kind.DECISION, Kind.PROPOSAL}),
    Kind.COMMITMENT: frozenset({Kind.COMMITMENT, Kind.PROPOSAL}),
    Kind.OBSERVATION: frozenset({Kind.OBSERVATION, Kind.SUMMARY, Kind.DECISION}),
    Kind.SUMMARY: frozenset({Kind.SUMMARY}),
}
"""Which kinds a newer statement on the same topic replaces."""


def reconcile(
    candidate: Verified,
    near: Iterable[RelatedMemory],
    forgotten: Mapping[str, datetime],
    rejected: Mapping[str, Rejection] = NOTHING_REJECTED,
) -> Decision:
    """What to do with the candidate.

    `near` are memories worth comparing; `forgotten` maps fingerprints of what the user removed
    to when, `rejected` those of what the user rejected to which memory stated it. What the user
    says anew after that is learned again. Of several memories the candidate could replace, the
    most similar is revised.
    """
    told = statement_of(candidate)
    closest = sorted(near, key=lambda n: (not _shown(n), -n.similarity, n.memory.id))
    if (refused := suppression_reason(candidate, closest, forgotten, rejected)) is not None:
        return Skip(refused)
    status = [n for n in closest if n.rejected_at is None and not n.overruled]
    if not candidate.user_said_it and any(_echoes(told, n) for n in status):
        return Skip(ECHO)
    changed = [known for known in status if _changes(candidate, told, known)]
    for known in status:
        if _same(candidate, told, known) and not _outdated(known, changed):
            return _again(candidate, known.memory)
    if (refused := suppressed_span_reason(candidate, closest)) is not None:
        return Skip(refused)
    earlier = _said_before(candidate, told, closest, rejected)
    return _changed(candidate, changed, earlier) if changed else Add(earlier)


def plan_decisions(
    candidates: Sequence[Verified],
    near: Sequence[Sequence[RelatedMemory]],
    forgotten: Mapping[str, datetime],
    rejected: Mapping[str, Rejection] = NOTHING_REJECTED,
) -> list[tuple[Verified, Decision]]:
    """A decision for each candidate of one exchange, no memory touched by two of them.

    `near[i]` belongs to `candidates[i]`. Candidates are merged before (`merge_within`).
    """
    decided = [
        (candidate, reconcile(candidate, known, forgotten, rejected))
        for candidate, known in zip(candidates, near, strict=True)
    ]
    revised = {d.memory.id for _, d in decided if isinstance(d, Revise)}
    touched: set[str] = set()
    room = MOST_CHALLENGES
    planned: list[tuple[Verified, Decision]] = []
    for candidate, decided_ in decided:
        decision = _once(decided_, revised, touched)
        if isinstance(decision, Challenge):
            decision, room = (decision, room - 1) if room else (Skip(TOO_MUCH), 0)
        planned.append((candidate, decision))
    return planned


def _once(decision: Decision, revised: set[str], touched: set[str]) -> Decision:
    """The decision, unless another candidate of the exchange has the memory already."""
    if not isinstance(decision, Extend | Revise):
        return decision
    if isinstance(decision, Extend) and decision.memory.id in revised:
        return Skip(SAME_EXCHANGE)
    if decision.memory.id in touched:
        # Two changes from one exchange stand side by side: neither is the newer.
        if isinstance(decision, Revise):
            return Add(decision.earlier)
        return Known(decision.memory)
    touched.add(decision.memory.id)
    return decision


def _said_before(
    candidate: Verified,
    told: Statement,
    closest: Iterable[RelatedMemory],
    rejected: Mapping[str, Rejection],
) -> Reference | None:
    """The rejected revision that stated what the user now says anew, if it is still there."""
    for known in closest:
        if known.rejected_at is not None and _same(candidate, told, known):
            return Reference(memory_id=known.memory.id, revision=known.memory.revision)
    there = {known.memory.id for known in closest}
    for print_ in statement_fingerprints(candidate):
        found = rejected.get(print_)
        if found is not None and found.memory_id in there:
            return Reference(memory_id=found.memory_id, revision=found.revision)
    return None


def _echoes(told: Statement, known: RelatedMemory) -> bool:
    """Whether the assistant only repeats a memory, whoever the model takes it to be about."""
    held = replace(statement_of(known.memory), subject=told.subject)
    return known.cosine >= ECHOED or same_fact(told, held)


def _same(candidate: Verified, told: Statement, known: RelatedMemory) -> bool:
    return compatible(candidate.kind, known.memory.kind) and same_fact(
        told, statement_of(known.memory)
    )


def _again(candidate: Verified, memory: Memory) -> Decision:
    """One turn is one source, however often and however long it is quoted."""
    cited = {_version(citation) for citation in memory.evidence}
    new = tuple(c for c in candidate.evidence if _version(c) not in cited)
    return Extend(memory, new) if new else Known(memory)


def _changes(candidate: Verified, told: Statement, known: RelatedMemory) -> bool:
    """Whether the candidate says something else of just what the memory is about."""
    memory = known.memory
    held = statement_of(memory)
    if told.subject != held.subject or _of_one_exchange(candidate, memory):
        return False
    if compatible(candidate.kind, memory.kind) and _contradicts(told, held):
        return candidate.kind is not Kind.QUESTION
    if not told.topic or told.topic != held.topic:
        return False
    return memory.kind in REPLACES[candidate.kind] and _supported(told, held, known)


def _contradicts(told: Statement, held: Statement) -> bool:
    """Whether both can't be so; two journeys between two places can."""
    return are_opposite(told, held) or (told.order.compares and is_reversed(told, held))


def _supported(told: Statement, held: Statement, known: RelatedMemory) -> bool:
    """Whether the words bear out that one topic means one thing.

    Feelings about different things stand side by side, whatever topic they share: who loves
    Thai food may love Chinese food too. So do allergies, and what a plural topic gathers.
    """
    if told.many and held.many and not one_contains_other(told, held):
        return False
    beyond = (told.words & held.words) - told.topic
    spelled_out = told.topic <= told.words & held.words
    return known.similarity >= SUPPORTING or bool(beyond) or spelled_out


def _of_one_exchange(candidate: Verified, memory: Memory) -> bool:
    newest = max(memory.evidence, key=lambda c: c.said_at)
    return any(_version(citation) == _version(newest) for citation in candidate.evidence)


def _version(citation: Citation) -> tuple[str, int]:
    """A replaced turn says something else: it is as good as another."""
    return citation.turn_id, citation.turn_version


def _shown(known: RelatedMemory) -> bool:
    return is_recallable(known.memory, known.status)


def _outdated(known: RelatedMemory, changed: Iterable[RelatedMemory]) -> bool:
    """Whether something that contradicts it is current while it isn't: it can't just come back.

    What waits for the user's decision may be said again.
    """
    if _shown(known) or is_open_challenge(known.memory, known.status):
        return False
    return any(_shown(other) for other in changed)


def _changed(
    candidate: Verified, changed: Sequence[RelatedMemory], earlier: Reference | None
) -> Decision:
    """What the user alone may change comes first: beside it nothing else may say otherwise.

    Then what is current, and of that the most similar. Nothing becomes current beside something
    that was said later.
    """
    first = next((n for n in changed if is_user_protected(n.memory, n.status)), changed[0])
    held = [first, *(n for n in changed if _shown(n))]
    if any(candidate.said_at < _newest(n.memory) for n in held):
        return Skip(NEWER_KNOWN)
    if is_user_protected(first.memory, first.status):
        return Challenge(first.memory, earlier)
    return Revise(first.memory, earlier)


def _newest(memory: Memory) -> datetime:
    return max(citation.said_at for citation in memory.evidence)
