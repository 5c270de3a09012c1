"""The effect of a correction: the user's revision, embedded anew, and what that makes stale."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from strandline.clock import Deadline
from strandline.dependencies import Dependencies
from strandline.feedback import contradiction_resolution, correction, status_transitions
from strandline.feedback.contradiction_resolution import ContradictionSet, Resolution
from strandline.feedback.verdict import Action
from strandline.language.statements import statement_fingerprints
from strandline.memories import contradictions, derivation
from strandline.memories.transaction import NewRevision
from strandline.models.memory import Memory
from strandline.models.memory_head import Head
from strandline.models.memory_status import Freshness, MemoryStatus, State, changed_fields
from strandline.store.accounts import profiles
from strandline.store.memories import rejections
from strandline.table import Table
from strandline.use_cases import reconciliation_jobs
from strandline.use_cases.feedback_effect import FeedbackEffect
from strandline.writes import Write

if TYPE_CHECKING:
    # Importing numpy is a fifth of a handler's import, and most requests never need it.
    from strandline.providers.vector_types import Vectors

Embed = Callable[[str], "Vectors"]


def correction_effect(
    deps: Dependencies,
    account: str,
    head: Head,
    words: Mapping[str, Any],
    embed: Embed,
    at: datetime,
) -> FeedbackEffect:
    """The effect of a correction. Raises HeadMoved, a ModelError."""
    from strandline.recall.index_entries import index_entry  # noqa: PLC0415  loads numpy

    table, before = deps.table, head.memory
    language = profiles.get(table, account).language
    near = contradictions.read_contradictions(table, account, head)
    challenged = near.challenged.memory if near.challenged else None
    memory = correction.corrected_revision(before, words, challenged, language, at)
    if correction.is_same_correction(before, memory) and _is_settled(head.status):
        return FeedbackEffect(before, head.status)
    status, settled = _settled(near, head, memory, at)
    others, checks = contradictions.resolution_changes(table, account, near, settled)
    entry = index_entry(memory, embed(memory.text), deps.embedder.space, language)
    names = (*correction.changed_fields(before, memory), *changed_fields(head.status, status))
    referred_to = derivation.currently_referring(table, account, [before.id])
    job = reconciliation_jobs.memory_job(before.id, at) if referred_to else None
    creating = reconciliation_jobs.creation_writes(deps, account, job) if job else []
    return FeedbackEffect(
        memory=memory,
        status=status,
        changed=names,
        changes=[NewRevision(memory, entry, head, names, status), *others],
        also=[*checks, *_learnable(table, account, before, memory, at), *creating],
        near=near,
        settled=settled,
        job=job,
    )


def cached_embedding(deps: Dependencies) -> Embed:
    """What embeds a text once, however often the correction is looked at anew."""
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
    """Whether a correction in the same words has nothing left to say."""
    return (
        status.state is State.ACTIVE
        and status.freshness is Freshness.CURRENT
        and not status.flags
        and status.reviewed is None
    )


def _settled(
    near: ContradictionSet, head: Head, memory: Memory, at: datetime
) -> tuple[MemoryStatus, Resolution]:
    """What the user's words retract, since they still contradict it, and what they free."""
    status = status_transitions.status_after(Action.CORRECT, memory, head.status, at)
    rivals = contradiction_resolution.contradicting_heads(near, head)
    taking = [r.memory.id for r in rivals if correction.contradicts(memory, r.memory)]
    held = [near.heads[name].memory for name in head.status.retracts if name in near.heads]
    freeing = [other.id for other in held if not correction.contradicts(memory, other)]
    settled = contradiction_resolution.resolve_contradictions(
        near, head, (memory, status), taking, freeing
    )
    return status.model_copy(update={"retracts": settled.retracts}), settled


def _learnable(
    table: Table, account: str, before: Memory, memory: Memory, at: datetime
) -> list[Write]:
    """The words that were corrected aren't learned again, and the new ones may be."""
    new = statement_fingerprints(memory)
    return [
        *rejections.withdrawal_writes(table, account, memory),
        *rejections.rejection_writes(account, before, at, keeping=new),
    ]
