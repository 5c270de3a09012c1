"""Builds the revision, and its status, that a decision asks for. Pure."""

from datetime import datetime

from functions.extract.candidates.candidate import VerifiedCandidate
from strandline.language.statements import statement_fingerprints
from strandline.models.memory import Citation, Memory, Reference, inherited_turns
from strandline.models.memory_head import Head
from strandline.models.memory_status import Flag, MemoryStatus, State

MAX_EVIDENCE = 32
"""Citations that a memory keeps: its first and its newest ones."""


def first_revision(candidate: VerifiedCandidate, memory_id: str, now: datetime) -> Memory:
    """Returns a new memory in its first revision."""
    return Memory(
        id=memory_id,
        revision=1,
        kind=candidate.kind,
        title=candidate.title,
        text=candidate.text,
        importance=candidate.importance,
        labels=candidate.labels,
        subject=candidate.subject,
        topic=candidate.topic,
        language=candidate.language,
        evidence=_bounded_evidence(candidate.evidence),
        fingerprints=statement_fingerprints(candidate),
        created_at=now,
        updated_at=now,
    )


def revision_with_evidence(memory: Memory, citations: tuple[Citation, ...]) -> Memory:
    """Returns the next revision: the same text, more evidence; `updated_at` stays."""
    newest = {citation.turn_id: citation.turn_version for citation in citations}
    # An earlier version of a turn is no evidence beside the current one.
    kept = [c for c in memory.evidence if c.turn_version >= newest.get(c.turn_id, 0)]
    evidence = _bounded_evidence((*kept, *citations))
    return memory.model_copy(update={"revision": memory.revision + 1, "evidence": evidence})


def revision_with_new_text(memory: Memory, candidate: VerifiedCandidate, now: datetime) -> Memory:
    """Returns the next revision: the candidate's text and evidence, and a reference to the last."""
    revised = first_revision(candidate, memory.id, now)
    update = {
        "revision": memory.revision + 1,
        "inherited": inherited_turns(revised.evidence, [memory]),
        "topic": candidate.topic or memory.topic,
        "references": (Reference(memory_id=memory.id, revision=memory.revision),),
        "created_at": memory.created_at,
    }
    return revised.model_copy(update=update)


def as_challenge(memory: Memory, target: Memory) -> Memory:
    """Returns the memory as a challenge of `target`, which only the user may change."""
    pinned = Reference(memory_id=target.id, revision=target.revision)
    return with_predecessor(memory, pinned, target).model_copy(update={"challenges": pinned})


def with_predecessor(memory: Memory, reference: Reference, predecessor: Memory) -> Memory:
    """Returns the memory with a further reference, to the statement it follows.

    The turns that `predecessor` rests on become inherited ones, but for those it cites itself.
    """
    references = tuple(dict.fromkeys((*memory.references, reference)))
    inherited = (*memory.inherited, *inherited_turns((), [predecessor]))
    by_turn = {each.turn_id: each for each in inherited}
    own = {citation.turn_id for citation in memory.evidence}
    update = {
        "references": references,
        "inherited": tuple(each for name, each in by_turn.items() if name not in own),
    }
    return memory.model_copy(update=update)


def status_after_evidence(head: Head, memory: Memory) -> MemoryStatus:
    """Returns the status of a memory that was stated again; `memory` is its next revision.

    It is active again if it was retracted for lack of evidence. If citations of replaced turns
    have left its evidence, it is no longer stale nor flagged for them.
    """
    status = head.status
    update: dict[str, object] = {}
    if status.state is State.RETRACTED and status.retracted_by is None:
        update["state"] = State.ACTIVE
    if not set(head.memory.evidence) <= set(memory.evidence):
        update["stale_since"] = None
        update["flags"] = tuple(f for f in status.flags if f is not Flag.SOURCE_REPLACED)
    return status.model_copy(update=update)


def with_flag(status: MemoryStatus, flag: Flag) -> MemoryStatus:
    """Returns the status with the flag set; unchanged if it is set already."""
    if flag in status.flags:
        return status
    return status.model_copy(update={"flags": (*status.flags, flag)})


def _bounded_evidence(evidence: tuple[Citation, ...]) -> tuple[Citation, ...]:
    by_time = tuple(sorted(dict.fromkeys(evidence), key=lambda c: (c.said_at, c.turn_id)))
    if len(by_time) <= MAX_EVIDENCE:
        return by_time
    return by_time[:1] + by_time[1 - MAX_EVIDENCE :]
