"""Giving a verdict: on the revision that the user has seen, exactly once, at once in effect."""

from collections.abc import Sequence
from datetime import datetime

from strandline import keys
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, IdempotencyKeyReused, StorageBusy
from strandline.feedback.memory_content import given_fields
from strandline.feedback.verdict import Verdict, VerdictGiven
from strandline.memories import contradictions, visibility
from strandline.memories.transaction import apply_changes
from strandline.models.memory_head import Head, HeadMoved
from strandline.models.memory_status import State
from strandline.store.accounts import idempotency
from strandline.table import ConditionFailed
from strandline.use_cases import correct_memory, reconciliation_jobs
from strandline.use_cases.feedback_effect import FeedbackEffect, verdict_effect
from strandline.writes import Write

KEYS_OF = "verdict"
_ATTEMPTS = 10


def apply_verdict(deps: Dependencies, account: str, verdict: Verdict) -> VerdictGiven:
    """Give a verdict; the same request with the same key is given once.

    Raises NotFound and ContentDeleted before anything else; IdempotencyKeyReused; Conflict, with
    the current revision, when the user has seen another; a ModelError when a correction can't be
    embedded, with nothing changed.
    """
    embed = correct_memory.cached_embedding(deps)
    for _ in range(_ATTEMPTS):
        at = deps.clock()
        head = visibility.get_visible_head(deps.table, account, verdict.memory_id, at)
        if (known := _given_before(deps, account, verdict)) is not None:
            return known
        _check_revision(head, verdict)
        try:
            effect = _effect(deps, account, head, verdict, embed, at)
            told = _told(verdict, effect, at)
            also = [*_taking_key(account, verdict, told, at), *_unmoved(account, head, effect)]
            apply_changes(deps.table, account, effect.changes, at, [*also, *effect.also])
        except (HeadMoved, ConditionFailed):
            # A memory moved, or the key was taken: looked at anew.
            continue
        if effect.memory.revision != head.memory.revision:
            reconciliation_jobs.mark_referring_stale(deps, account, head.memory.id, effect.job, at)
        return told
    raise StorageBusy


def _given_before(deps: Dependencies, account: str, verdict: Verdict) -> VerdictGiven | None:
    if verdict.idempotency_key is None:
        return None
    key = keys.idempotency(account, verdict.idempotency_key, KEYS_OF)
    request = idempotency.record_from_item(deps.table.get(key))
    if request is None:
        return None
    if request.body_sha256 != verdict.body_sha256 or request.result is None:
        raise IdempotencyKeyReused
    return VerdictGiven.model_validate_json(request.result)


def _check_revision(head: Head, verdict: Verdict) -> None:
    current = head.memory.revision
    if current != verdict.expected_revision:
        raise Conflict("The memory has another revision by now.", current_revision=current)


def _effect(
    deps: Dependencies,
    account: str,
    head: Head,
    verdict: Verdict,
    embed: correct_memory.Embed,
    at: datetime,
) -> FeedbackEffect:
    if verdict.words is None:
        return verdict_effect(deps.table, account, head, verdict.action, at)
    return correct_memory.correction_effect(
        deps, account, head, given_fields(verdict.words), embed, at
    )


def _told(verdict: Verdict, effect: FeedbackEffect, at: datetime) -> VerdictGiven:
    status, heads = effect.status, effect.near.heads
    moved = {
        name: status.state
        for name, status in effect.settled.statuses.items()
        if status.state is not heads[name].status.state
    }
    return VerdictGiven(
        memory_id=verdict.memory_id,
        revision=effect.memory.revision,
        action=verdict.action,
        review=status.review,
        saved=status.saved,
        dismissed=status.dismissed,
        state=status.state,
        freshness=status.freshness,
        changed=effect.changed,
        retracted=tuple(sorted(n for n, state in moved.items() if state is State.RETRACTED)),
        restored=tuple(sorted(n for n, state in moved.items() if state is State.ACTIVE)),
        at=at,
    )


def _taking_key(
    account: str, verdict: Verdict, told: VerdictGiven, at: datetime
) -> Sequence[Write]:
    if verdict.idempotency_key is None:
        return ()
    request = idempotency.IdempotencyRecord(
        body_sha256=verdict.body_sha256,
        made=verdict.memory_id,
        result=told.model_dump_json(),
    )
    return [idempotency.record_write(account, verdict.idempotency_key, request, at, KEYS_OF)]


def _unmoved(account: str, head: Head, effect: FeedbackEffect) -> Sequence[Write]:
    """Where nothing changes, the memory must still be as the answer tells it."""
    return () if effect.changes else [contradictions.unchanged_check(account, head)]
