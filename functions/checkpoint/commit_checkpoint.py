"""Commits a checkpoint on its branch's head, exactly once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.checkpoint.requests import NewCheckpoint
from strandline import ids, keys
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, IdempotencyKeyReused, Invalid, NotFound
from strandline.models.checkpoint import MAIN, Checkpoint, Content, Source, with_commit_hash
from strandline.models.memory_head import Head
from strandline.models.session import Session
from strandline.models.space import Space
from strandline.store.accounts import idempotency
from strandline.store.conversations import checkpoints, sessions, spaces, turn_queries
from strandline.store.memories import memory_heads
from strandline.table import ConditionFailed
from strandline.use_cases.session_context import session_context
from strandline.writes import Write

_ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """A client's request to commit a checkpoint."""

    account: str
    space_id: str
    new: NewCheckpoint
    idempotency_key: str | None

    @property
    def body_sha256(self) -> str:
        """Returns the hash that tells whether a repeated key has the same body."""
        return idempotency.request_hash("commit", self.space_id, self.new.model_dump(mode="json"))


def commit(deps: Dependencies, request: CommitRequest) -> Checkpoint:
    """Commits a checkpoint; a repeated request with the same key returns the first one's.

    Raises NotFound, Invalid, TooLarge before anything is written; Conflict when the branch keeps
    moving; IdempotencyKeyReused for the same key with another body.
    """
    for _ in range(_ATTEMPTS):
        if (earlier := _earlier_result(deps, request)) is not None:
            return earlier
        space = spaces.get(deps.table, request.account, request.space_id)
        session = _session_of_space(deps, request)
        checkpoint = _new_checkpoint(deps, request, space, session)
        try:
            checkpoints.commit(
                deps.table,
                request.account,
                checkpoint,
                _accompanying_writes(deps, request, checkpoint),
            )
            return checkpoint
        except ConditionFailed:
            # The head moved, the key was used or something was deleted: read all again.
            continue
    raise Conflict("The branch moves too fast.")


def _earlier_result(deps: Dependencies, request: CommitRequest) -> Checkpoint | None:
    """Returns the checkpoint that the same request made before, if it did."""
    if request.idempotency_key is None:
        return None
    item = deps.table.get(keys.idempotency(request.account, request.idempotency_key))
    record = idempotency.record_from_item(item)
    if record is None:
        return None
    if record.body_sha256 != request.body_sha256:
        raise IdempotencyKeyReused
    return checkpoints.get(deps.table, request.account, record.made)


def _session_of_space(deps: Dependencies, request: CommitRequest) -> Session | None:
    if request.new.session_id is None:
        return None
    session = sessions.get(deps.table, request.account, request.new.session_id)
    if session.space_id != request.space_id:
        raise NotFound("The session isn't in this space.")
    return session


def _new_checkpoint(
    deps: Dependencies, request: CommitRequest, space: Space, session: Session | None
) -> Checkpoint:
    new, at = request.new, deps.clock()
    branch = new.branch or (session.branch if session else MAIN)
    head = space.heads.get(branch)
    if new.expected_parent_id not in (None, head):
        raise Conflict(f"The branch {branch} has another head by now.", head=head)
    _check_references(deps, request)
    unsealed = Checkpoint(
        **{name: getattr(new, name) for name in Content.model_fields},
        id=ids.new_id("chk", at),
        space_id=space.id,
        branch=branch,
        parent_id=head,
        merge_parent_id=new.merge_parent_id,
        author=new.author,
        source=_source_range(deps, request, session, at) if session else None,
        commit_hash="",
        created_at=at,
    )
    return with_commit_hash(unsealed)


def _check_references(deps: Dependencies, request: CommitRequest) -> None:
    """Raises NotFound, Invalid if its merge parent or a memory it cites doesn't exist."""
    table, account, new = deps.table, request.account, request.new
    if new.merge_parent_id is not None:
        checkpoints.get_of_space(table, account, request.space_id, new.merge_parent_id)
    found = memory_heads.find_unexpired(table, account, [each.memory_id for each in new.memories])
    for each in new.memories:
        head = found.get(each.memory_id)
        if not isinstance(head, Head) or not 1 <= each.revision <= head.memory.revision:
            raise Invalid(f"There is no revision {each.revision} of a memory {each.memory_id}.")


def _source_range(
    deps: Dependencies, request: CommitRequest, session: Session, at: datetime
) -> Source:
    """Returns the turns it covers: without other bounds, the session's whole window."""
    last = request.new.to_sequence
    if last is None:
        last = session.last_sequence_number
    if last > session.last_sequence_number:
        raise Invalid("to_sequence is beyond the session's last turn.")
    first = request.new.from_sequence
    if first is None:
        context = session_context(deps.table, request.account, session, session.mount)
        first = turn_queries.first_visible_number(
            deps.table, request.account, session.id, context.window, at
        )
    return Source(session_id=session.id, from_sequence=first, to_sequence=last)


def _accompanying_writes(
    deps: Dependencies, request: CommitRequest, checkpoint: Checkpoint
) -> Sequence[Write]:
    """Returns the writes of the same transaction: the idempotency record, the session's check."""
    writes = []
    if request.idempotency_key is not None:
        record = idempotency.IdempotencyRecord(body_sha256=request.body_sha256, made=checkpoint.id)
        at = deps.clock()
        writes.append(
            idempotency.record_write(request.account, request.idempotency_key, record, at)
        )
    if checkpoint.source is not None:
        writes.append(sessions.exists_check(request.account, checkpoint.source.session_id))
    return writes
