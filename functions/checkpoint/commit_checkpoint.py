"""Committing a checkpoint: on the branch's head, covering a session's turns, exactly once."""

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
from strandline.store.conversations import checkpoints, sessions, spaces, turns
from strandline.store.memories import memory_heads
from strandline.table import ConditionFailed
from strandline.use_cases.session_context import session_context
from strandline.writes import Write

_ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Commit:
    """A checkpoint to commit, as it came in."""

    account: str
    space_id: str
    new: NewCheckpoint
    idempotency_key: str | None

    @property
    def body_sha256(self) -> str:
        """What makes two commits the same request."""
        return idempotency.request_hash("commit", self.space_id, self.new.model_dump(mode="json"))


def commit(deps: Dependencies, wanted: Commit) -> Checkpoint:
    """Commit a checkpoint; the same request with the same key is one checkpoint.

    Raises NotFound, Invalid, TooLarge before anything is written; Conflict when the branch keeps
    moving; IdempotencyKeyReused.
    """
    for _ in range(_ATTEMPTS):
        if (made := _made_before(deps, wanted)) is not None:
            return made
        space = spaces.get(deps.table, wanted.account, wanted.space_id)
        session = _session(deps, wanted)
        checkpoint = _checkpoint(deps, wanted, space, session)
        try:
            checkpoints.commit(
                deps.table, wanted.account, checkpoint, _beside(deps, wanted, checkpoint)
            )
            return checkpoint
        except ConditionFailed:
            # The head moved, the key was taken or something is gone: looked at anew.
            continue
    raise Conflict("The branch moves too fast.")


def _made_before(deps: Dependencies, wanted: Commit) -> Checkpoint | None:
    if wanted.idempotency_key is None:
        return None
    item = deps.table.get(keys.idempotency(wanted.account, wanted.idempotency_key))
    request = idempotency.record_from_item(item)
    if request is None:
        return None
    if request.body_sha256 != wanted.body_sha256:
        raise IdempotencyKeyReused
    return checkpoints.get(deps.table, wanted.account, request.made)


def _session(deps: Dependencies, wanted: Commit) -> Session | None:
    if wanted.new.session_id is None:
        return None
    session = sessions.get(deps.table, wanted.account, wanted.new.session_id)
    if session.space_id != wanted.space_id:
        raise NotFound("The session isn't in this space.")
    return session


def _checkpoint(
    deps: Dependencies, wanted: Commit, space: Space, session: Session | None
) -> Checkpoint:
    new, at = wanted.new, deps.clock()
    branch = new.branch or (session.branch if session else MAIN)
    head = space.heads.get(branch)
    if new.expected_parent_id not in (None, head):
        raise Conflict(f"The branch {branch} has another head by now.", head=head)
    _check_references(deps, wanted)
    unsealed = Checkpoint(
        **{name: getattr(new, name) for name in Content.model_fields},
        id=ids.new_id("chk", at),
        space_id=space.id,
        branch=branch,
        parent_id=head,
        merge_parent_id=new.merge_parent_id,
        author=new.author,
        source=_source(deps, wanted, session, at) if session else None,
        commit_hash="",
        created_at=at,
    )
    return with_commit_hash(unsealed)


def _check_references(deps: Dependencies, wanted: Commit) -> None:
    """What a checkpoint refers to is there: its other parent, and the memories it cites."""
    table, account, new = deps.table, wanted.account, wanted.new
    if new.merge_parent_id is not None:
        checkpoints.get_of_space(table, account, wanted.space_id, new.merge_parent_id)
    found = memory_heads.find_unexpired(table, account, [each.memory_id for each in new.memories])
    for each in new.memories:
        head = found.get(each.memory_id)
        if not isinstance(head, Head) or not 1 <= each.revision <= head.memory.revision:
            raise Invalid(f"There is no revision {each.revision} of a memory {each.memory_id}.")


def _source(deps: Dependencies, wanted: Commit, session: Session, at: datetime) -> Source:
    """The turns it covers: from where the session's window begins, to its last."""
    last = wanted.new.to_sequence
    if last is None:
        last = session.last_sequence_number
    if last > session.last_sequence_number:
        raise Invalid("to_sequence is beyond the session's last turn.")
    first = wanted.new.from_sequence
    if first is None:
        view = session_context(deps.table, wanted.account, session, session.mount)
        first = turns.first_visible_number(deps.table, wanted.account, session.id, view.window, at)
    return Source(session_id=session.id, from_sequence=first, to_sequence=last)


def _beside(deps: Dependencies, wanted: Commit, checkpoint: Checkpoint) -> Sequence[Write]:
    writes = []
    if wanted.idempotency_key is not None:
        request = idempotency.IdempotencyRecord(body_sha256=wanted.body_sha256, made=checkpoint.id)
        at = deps.clock()
        writes.append(idempotency.record_write(wanted.account, wanted.idempotency_key, request, at))
    if checkpoint.source is not None:
        writes.append(sessions.exists_check(wanted.account, checkpoint.source.session_id))
    return writes
