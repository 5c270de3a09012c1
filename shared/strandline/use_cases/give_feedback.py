"""Feedback: applying the user's verdict to the revision that the user has seen, exactly once."""

from collections.abc import Sequence
from datetime import datetime

from strandline import keys
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, IdempotencyKeyReused, StorageBusy
from strandline.feedback.memory_content import given_fields
from strandline.feedback.verdict import Verdict, VerdictGiven
from strandline.memories import contradictions, visibility
from strandline.memories.transaction import apply_changes
from strandline.models.memory_head import Head, HeadChanged
from strandline.models.memory_status import State
from strandline.store.accounts import idempotency
from strandline.table import ConditionFailed
from strandline.use_cases import reconciliation_jobs
from strandline.use_cases.correct_memory import Correction, cached_embedding, correction_effect
from strandline.use_cases.feedback_effect import FeedbackEffect, verdict_effect
from strandline.writes import Write

KEY_SCOPE = "verdict"
"""The kind of request for idempotency keys."""
_ATTEMPTS = 10


def apply_verdict(deps: Dependencies, account: str, verdict: Verdict) -> VerdictGiven:
    """Applies a verdict; the same request with the same idempotency key is applied once.

    Raises, in this order: NotFound, ContentExpired and ContentDeleted; IdempotencyKeyReused;
    Conflict, with the current revision, when the user has seen another one. Raises a ModelError
    when a correction can't be embedded; nothing is changed then.
    """
    correction = _requested_correction(deps, verdict)
    for _ in range(_ATTEMPTS):
        at = deps.clock()
        head = visibility.get_visible_head(deps.table, account, verdict.memory_id, at)
        if (earlier := _earlier_answer(deps, account, verdict)) is not None:
            return earlier
        _check_revision(head, verdict)
        try:
            if correction is None:
                effect = verdict_effect(deps.table, account, head, verdict.action, at)
            else:
                effect = correction_effect(deps, account, head, correction, at)
            answer = _answer(verdict, effect, at)
            also = [
                *_idempotency_writes(account, verdict, answer, at),
                *_unchanged_checks(account, head, effect),
                *effect.also,
            ]
            apply_changes(deps.table, account, effect.changes, at, also)
        except (HeadChanged, ConditionFailed):
            # A memory was changed concurrently, or the key was claimed: start over.
            continue
        if effect.memory.revision != head.memory.revision:
            reconciliation_jobs.mark_referring_stale(deps, account, head.memory.id, effect.job, at)
        return answer
    raise StorageBusy


def _requested_correction(deps: Dependencies, verdict: Verdict) -> Correction | None:
    if verdict.words is None:
        return None
    return Correction(given_fields(verdict.words), cached_embedding(deps))


def _earlier_answer(deps: Dependencies, account: str, verdict: Verdict) -> VerdictGiven | None:
    if verdict.idempotency_key is None:
        return None
    key = keys.idempotency(account, verdict.idempotency_key, KEY_SCOPE)
    record = idempotency.record_from_item(deps.table.get(key))
    if record is None:
        return None
    if record.body_sha256 != _request_hash(verdict) or record.result is None:
        raise IdempotencyKeyReused
    return VerdictGiven.model_validate_json(record.result)


def _check_revision(head: Head, verdict: Verdict) -> None:
    current = head.memory.revision
    if current != verdict.expected_revision:
        raise Conflict("The memory has another revision by now.", current_revision=current)


def _answer(verdict: Verdict, effect: FeedbackEffect, at: datetime) -> VerdictGiven:
    status, heads = effect.status, effect.contradictions.heads
    changed_states = {
        name: status.state
        for name, status in effect.resolution.statuses.items()
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
        retracted=tuple(
            sorted(n for n, state in changed_states.items() if state is State.RETRACTED)
        ),
        restored=tuple(sorted(n for n, state in changed_states.items() if state is State.ACTIVE)),
        at=at,
    )


def _idempotency_writes(
    account: str, verdict: Verdict, answer: VerdictGiven, at: datetime
) -> Sequence[Write]:
    if verdict.idempotency_key is None:
        return ()
    record = idempotency.IdempotencyRecord(
        body_sha256=_request_hash(verdict),
        made=verdict.memory_id,
        result=answer.model_dump_json(),
    )
    return [idempotency.record_write(account, verdict.idempotency_key, record, at, KEY_SCOPE)]


def _unchanged_checks(account: str, head: Head, effect: FeedbackEffect) -> Sequence[Write]:
    """Returns the check that the memory is as the answer says, if the verdict changes nothing."""
    return () if effect.changes else [contradictions.unchanged_check(account, head)]


def _request_hash(verdict: Verdict) -> str:
    """Returns the hash by which two verdicts are the same request."""
    words = given_fields(verdict.words) if verdict.words else {}
    body = {
        "action": verdict.action,
        "expected_revision": verdict.expected_revision,
        "words": words,
    }
    return idempotency.request_hash("verdict", verdict.memory_id, body)
