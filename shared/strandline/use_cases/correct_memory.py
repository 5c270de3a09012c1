"""Corrections: the user's own revision of a memory and its effect on other memories."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from strandline.clock import Deadline
from strandline.dependencies import Dependencies
from strandline.feedback import contradiction_resolution, correction, status_transitions
from strandline.feedback.contradiction_resolution import ContradictionSet, Decision, Resolution
from strandline.feedback.verdict import Action
from strandline.language.statements import statement_fingerprints
from strandline.memories import contradictions, derivation_walk
from strandline.memories.transaction import NewRevision
from strandline.models.job import Job
from strandline.models.memory import Memory
from strandline.models.memory_head import Head
from strandline.models.memory_status import Freshness, MemoryStatus, State, changed_fields
from strandline.store.accounts import profiles
from strandline.store.memories import suppressed_statements
from strandline.table import Table
from strandline.use_cases import reconciliation_jobs
from strandline.use_cases.feedback_effect import FeedbackEffect
from strandline.writes import Write

if TYPE_CHECKING:
    # Importing numpy is a fifth of a handler's import, and most requests never need it.
    from strandline.providers.vector_types import Vectors

Embed = Callable[[str], "Vectors"]
"""Returns the embedding of a text. Raises a ModelError."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The fields of a memory that a correction replaces, and the function that embeds its text."""

    content: Mapping[str, Any]
    embed: Embed


def correction_effect(
    deps: Dependencies, account: str, head: Head, requested: Correction, at: datetime
) -> FeedbackEffect:
    """Returns the effect of a correction. Raises HeadChanged, a ModelError."""
    from strandline.recall.index_entries import index_entry  # noqa: PLC0415  loads numpy

    table, before = deps.table, head.memory
    language = profiles.get(table, account).language
    related = contradictions.read_contradictions(table, account, head)
    challenged = related.challenged.memory if related.challenged else None
    memory = correction.corrected_revision(before, requested.content, challenged, language, at)
    if correction.is_same_correction(before, memory) and _is_settled(head.status):
        return FeedbackEffect(before, head.status)
    status, resolution = _resolve(related, head, memory, at)
    others, checks = contradictions.resolution_changes(table, account, related, resolution)
    vector = requested.embed(memory.text)
    entry = index_entry(memory, vector, deps.embedder.space, language)
    changed = (*correction.changed_fields(before, memory), *changed_fields(head.status, status))
    job, job_writes = _reconciliation_job(deps, account, before.id, at)
    return FeedbackEffect(
        memory=memory,
        status=status,
        changed=changed,
        changes=[NewRevision(memory, entry, head, changed, status), *others],
        also=[*checks, *_suppression_writes(table, account, before, memory, at), *job_writes],
        contradictions=related,
        resolution=resolution,
        job=job,
    )


def cached_embedding(deps: Dependencies) -> Embed:
    """Returns a function that embeds each text once, so that retries need no second model call."""
    known: dict[str, Vectors] = {}

    def embed(text: str) -> "Vectors":
        from strandline.recall.vectors import checked_vectors  # noqa: PLC0415  loads numpy

        if text not in known:
            deadline = Deadline.after(deps.settings.embedding_timeout_seconds)
            vectors = deps.embedder.embed([text], deadline=deadline)
            known[text] = checked_vectors(vectors, 1, deps.embedder.space)[0]
        return known[text]

    return embed


def _is_settled(status: MemoryStatus) -> bool:
    """Whether a correction with the same words would change nothing of a status."""
    return (
        status.state is State.ACTIVE
        and status.freshness is Freshness.CURRENT
        and not status.flags
        and status.reviewed is None
    )


def _resolve(
    related: ContradictionSet, head: Head, memory: Memory, at: datetime
) -> tuple[MemoryStatus, Resolution]:
    """Returns the corrected memory's status and the effect on the memories it contradicts.

    It retracts what its new words contradict, and releases what they no longer contradict.
    """
    status = status_transitions.status_after(Action.CORRECT, memory, head.status, at)
    rivals = contradiction_resolution.contradicting_heads(related, head)
    retracted = [related.heads[n].memory for n in head.status.retracts if n in related.heads]
    decision = Decision(
        before=head,
        after=(memory, status),
        retracts=[r.memory.id for r in rivals if correction.contradicts(memory, r.memory)],
        releases=[each.id for each in retracted if not correction.contradicts(memory, each)],
    )
    resolution = contradiction_resolution.resolve_contradictions(related, decision)
    return status.model_copy(update={"retracts": resolution.retracts}), resolution


def _reconciliation_job(
    deps: Dependencies, account: str, memory_id: str, at: datetime
) -> tuple[Job | None, list[Write]]:
    """Returns the job for the memories that refer to this one, with its writes, if any do."""
    if not derivation_walk.find_referring(deps.table, account, [memory_id]):
        return None, []
    job = reconciliation_jobs.memory_job(memory_id, at)
    return job, reconciliation_jobs.creation_writes(deps, account, job)


def _suppression_writes(
    table: Table, account: str, before: Memory, memory: Memory, at: datetime
) -> list[Write]:
    """Returns the writes that suppress the corrected words and allow the new ones."""
    allowed = statement_fingerprints(memory)
    return [
        *suppressed_statements.withdrawal_writes(table, account, memory),
        *suppressed_statements.rejection_writes(account, before, at, allowed=allowed),
    ]
