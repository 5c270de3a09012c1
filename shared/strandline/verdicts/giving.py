"""Giving a verdict: on the revision that the user has seen, exactly once, at once in effect."""

from collections.abc import Sequence
from datetime import datetime

from strandline import keys, reconciliation
from strandline.errors import Conflict, IdempotencyKeyReused, StorageBusy
from strandline.models.standing import State
from strandline.runtime import Runtime
from strandline.store import contests, hiding, once
from strandline.store.memories import Head, HeadMoved
from strandline.store.publish import publish
from strandline.table import ConditionFailed, Write
from strandline.verdicts import correction
from strandline.verdicts.effect import Effect, judged
from strandline.verdicts.verdict import Verdict, VerdictGiven
from strandline.verdicts.words import given

KEYS_OF = "verdict"
_ATTEMPTS = 10


def give(runtime: Runtime, account: str, verdict: Verdict) -> VerdictGiven:
    """Give a verdict; the same request with the same key is given once.

    Raises NotFound and ContentDeleted before anything else; IdempotencyKeyReused; Conflict, with
    the current revision, when the user has seen another; a ModelError when a correction can't be
    embedded, with nothing changed.
    """
    embed = correction.embedder_of(runtime)
    for _ in range(_ATTEMPTS):
        at = runtime.clock()
        head = hiding.readable(runtime.table, account, verdict.memory_id, at)
        if (known := _given_before(runtime, account, verdict)) is not None:
            return known
        _check_revision(head, verdict)
        try:
            effect = _effect(runtime, account, head, verdict, embed, at)
            told = _told(verdict, effect, at)
            also = [*_taking_key(account, verdict, told, at), *_unmoved(account, head, effect)]
            publish(runtime.table, account, effect.changes, at, [*also, *effect.also])
        except (HeadMoved, ConditionFailed):
            # A memory moved, or the key was taken: looked at anew.
            continue
        if effect.memory.revision != head.memory.revision:
            reconciliation.follow(runtime, account, head.memory.id, effect.job, at)
        return told
    raise StorageBusy


def _given_before(runtime: Runtime, account: str, verdict: Verdict) -> VerdictGiven | None:
    if verdict.idempotency_key is None:
        return None
    key = keys.once(account, verdict.idempotency_key, KEYS_OF)
    request = once.of_item(runtime.table.get(key))
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
    runtime: Runtime,
    account: str,
    head: Head,
    verdict: Verdict,
    embed: correction.Embed,
    at: datetime,
) -> Effect:
    if verdict.words is None:
        return judged(runtime.table, account, head, verdict.action, at)
    return correction.effect(runtime, account, head, given(verdict.words), embed, at)


def _told(verdict: Verdict, effect: Effect, at: datetime) -> VerdictGiven:
    standing, heads = effect.standing, effect.near.heads
    moved = {
        name: standing.state
        for name, standing in effect.settled.standings.items()
        if standing.state is not heads[name].standing.state
    }
    return VerdictGiven(
        memory_id=verdict.memory_id,
        revision=effect.memory.revision,
        action=verdict.action,
        review=standing.review,
        saved=standing.saved,
        dismissed=standing.dismissed,
        state=standing.state,
        freshness=standing.freshness,
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
    request = once.Request(
        body_sha256=verdict.body_sha256,
        made=verdict.memory_id,
        result=told.model_dump_json(),
    )
    return [once.storing(account, verdict.idempotency_key, request, at, KEYS_OF)]


def _unmoved(account: str, head: Head, effect: Effect) -> Sequence[Write]:
    """Where nothing changes, the memory must still be as the answer tells it."""
    return () if effect.changes else [contests.unmoved(account, head)]
