"""The memory that a decision makes."""

from datetime import datetime

from functions.extract.candidates.candidate import Verified
from strandline.language.statements import statement_fingerprints
from strandline.models.memory import Citation, Memory, Reference, inherited_turns

MAX_EVIDENCE = 32
"""Citations a memory keeps: the first, and the newest."""


def first_revision(candidate: Verified, memory_id: str, now: datetime) -> Memory:
    """A new memory, in its first revision."""
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
        evidence=_bounded(candidate.evidence),
        fingerprints=statement_fingerprints(candidate),
        created_at=now,
        updated_at=now,
    )


def revision_with_evidence(memory: Memory, citations: tuple[Citation, ...]) -> Memory:
    """The next revision, with more evidence for the same words; `updated_at` stays."""
    newest = {citation.turn_id: citation.turn_version for citation in citations}
    # What a turn said before it was replaced is no source of what it says now.
    kept = [c for c in memory.evidence if c.turn_version >= newest.get(c.turn_id, 0)]
    evidence = _bounded((*kept, *citations))
    return memory.model_copy(update={"revision": memory.revision + 1, "evidence": evidence})


def revision_with_new_text(memory: Memory, candidate: Verified, now: datetime) -> Memory:
    """The next revision, with the candidate's words and evidence; it refers to the one before."""
    made = first_revision(candidate, memory.id, now)
    update = {
        "revision": memory.revision + 1,
        "inherited": inherited_turns(made.evidence, [memory]),
        "topic": candidate.topic or memory.topic,
        "references": (Reference(memory_id=memory.id, revision=memory.revision),),
        "created_at": memory.created_at,
    }
    return made.model_copy(update=update)


def as_challenge(memory: Memory, target: Memory) -> Memory:
    """The memory as one that contradicts the words of another, which it must not change."""
    pinned = Reference(memory_id=target.id, revision=target.revision)
    return with_predecessor(memory, pinned, target).model_copy(update={"challenges": pinned})


def with_predecessor(memory: Memory, earlier: Reference, known: Memory) -> Memory:
    """The memory with a reference to what was stated before it, beside those it has."""
    references = tuple(dict.fromkeys((*memory.references, earlier)))
    through = {each.turn_id: each for each in (*memory.inherited, *inherited_turns((), [known]))}
    own = {citation.turn_id for citation in memory.evidence}
    update = {
        "references": references,
        "inherited": tuple(each for name, each in through.items() if name not in own),
    }
    return memory.model_copy(update=update)


def _bounded(evidence: tuple[Citation, ...]) -> tuple[Citation, ...]:
    by_time = tuple(sorted(dict.fromkeys(evidence), key=lambda c: (c.said_at, c.turn_id)))
    if len(by_time) <= MAX_EVIDENCE:
        return by_time
    return by_time[:1] + by_time[1 - MAX_EVIDENCE :]
