"""Memories that contradict each other: read together and changed in one transaction.

A challenger contradicts words that only the user may change. A decision of the user about one of
the two is a decision about both (strandline.feedback.contradiction_resolution).
"""

from collections.abc import Iterable
from datetime import datetime

from strandline import keys
from strandline.errors import StorageBusy
from strandline.feedback.contradiction_resolution import (
    ContradictionSet,
    Decision,
    Resolution,
    head_in_force,
    resolve_contradictions,
)
from strandline.memories import index_placement, visibility
from strandline.memories.transaction import StatusChange, apply_changes
from strandline.models.memory import Memory
from strandline.models.memory_head import Head, HeadChanged
from strandline.models.memory_status import changed_fields, is_recallable
from strandline.store.memories import incoming_references, memory_heads, memory_revisions
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, check

MAX_RESOLVED = 8
"""The most other memories that one decision changes."""
_ATTEMPTS = 10
_CONTENT_FIELDS = ("kind", "title", "text", "subject", "topic")


def read_contradictions(table: Table, account: str, head: Head) -> ContradictionSet:
    """Reads the memories that a change of this one may affect; for most memories, none."""
    heads: dict[str, Head] = {}
    own_challengers = _read_challengers(table, account, head)
    in_force = {each.memory.id for each in own_challengers if head_in_force(each)}
    todo = sorted(_linked_ids(head) | in_force)
    while todo and len(heads) < MAX_RESOLVED:
        found = _read_visible(table, account, todo[: MAX_RESOLVED - len(heads)])
        heads |= found
        # A released memory may itself not be in force: then what it retracted is released too.
        further = {name for each in found.values() for name in each.status.retracts}
        todo = sorted(further - heads.keys() - {head.memory.id})
    challengers = {name: _read_challengers(table, account, each) for name, each in heads.items()}
    challengers[head.memory.id] = own_challengers
    reference = head.memory.challenges
    target = heads.get(reference.memory_id) if reference else None
    is_current = target and _challenging_current_words(table, account, target, [head])
    return ContradictionSet(heads, challengers, target if is_current else None)


def resolution_changes(
    table: Table, account: str, contradictions: ContradictionSet, resolution: Resolution
) -> tuple[list[StatusChange], list[Write]]:
    """Returns the changes of other memories, and checks that what they depend on is unchanged.

    Raises HeadChanged.
    """
    pairs = [(contradictions.heads[name], new) for name, new in resolution.statuses.items()]
    moving = [head for head, new in pairs if head.recallable != is_recallable(head.memory, new)]
    entries = index_placement.read_entries(table, account, moving) if moving else {}
    changes = [
        StatusChange(head, new, changed_fields(head.status, new), entries.get(head.memory.id))
        for head, new in pairs
    ]
    return changes, [unchanged_check(account, head) for head in resolution.unchanged]


def changes_on_deletion(
    table: Table, account: str, head: Head
) -> tuple[list[StatusChange], list[Write]]:
    """Returns how a memory's deletion changes others: those it retracted are in force again.

    With checks, as `resolution_changes`. Raises HeadChanged.
    """
    if not head.status.retracts and head.memory.challenges is None:
        return [], []
    contradictions = read_contradictions(table, account, head)
    releases = head.status.retracts if head_in_force(head) else ()
    resolution = resolve_contradictions(contradictions, Decision(head, None, releases=releases))
    return resolution_changes(table, account, contradictions, resolution)


def changes_on_expiry(
    table: Table, account: str, head: Head
) -> tuple[list[StatusChange], list[Write]]:
    """Returns how a memory's expiry changes others: its open challenge ends.

    What it retracted stays retracted, because the user didn't withdraw that decision. With
    checks, as `resolution_changes`. Raises HeadChanged.
    """
    if head.memory.challenges is None:
        return [], []
    contradictions = read_contradictions(table, account, head)
    resolution = resolve_contradictions(contradictions, Decision(head, None))
    return resolution_changes(table, account, contradictions, resolution)


def release_contradicted(table: Table, account: str, head: Head, at: datetime) -> None:
    """Applies `changes_on_deletion` for a hidden memory that is about to be removed."""
    for _ in range(_ATTEMPTS):
        try:
            changes, checks = changes_on_deletion(table, account, head)
            if changes:
                apply_changes(table, account, changes, at, checks)
            return
        except (HeadChanged, ConditionFailed):
            continue
    raise StorageBusy


def unchanged_check(account: str, head: Head) -> Write:
    """Returns the check that a head is as it was read."""
    key = keys.memory(account, head.memory.id)
    return check(key, "#change = :seen", names={"#change": "change"}, values={":seen": head.change})


def _read_visible(table: Table, account: str, memory_ids: Iterable[str]) -> dict[str, Head]:
    deleted_sessions = visibility.sessions_being_deleted(table, account)
    heads = memory_heads.find_heads(table, account, memory_ids)
    return {
        name: head
        for name, head in heads.items()
        if visibility.visible_head(head, deleted_sessions)
    }


def _linked_ids(head: Head) -> set[str]:
    """Returns the ids of the memories that a head retracts, is retracted by or challenges."""
    status, challenged = head.status, head.memory.challenges
    linked = {*status.retracts}
    linked |= {status.retracted_by.memory_id} if status.retracted_by else set()
    linked |= {challenged.memory_id} if challenged else set()
    return linked - {head.memory.id}


def _read_challengers(table: Table, account: str, target: Head) -> tuple[Head, ...]:
    """Reads the memories whose current revision challenges the target's current words."""
    incoming = incoming_references.list_incoming(table, account, target.memory.id)
    sources = {(each.source, each.revision) for each in incoming if each.challenges}
    heads = memory_heads.find_heads(table, account, {source for source, _ in sources})
    current = [head for name, head in heads.items() if (name, head.memory.revision) in sources]
    return tuple(_challenging_current_words(table, account, target, current))


def _challenging_current_words(
    table: Table, account: str, target: Head, challengers: Iterable[Head]
) -> list[Head]:
    """Returns the challengers of the target's current words, without those of earlier words.

    If the challenged revision was removed, it may have had the current words: then the challenger
    counts.
    """
    challenges = [(each, each.memory.challenges) for each in challengers if each.memory.challenges]
    current_revision = (target.memory.id, target.memory.revision)
    wanted = {(target.memory.id, each.revision) for _, each in challenges} - {current_revision}
    earlier = memory_revisions.get_revisions(table, account, wanted) if wanted else {}
    return [
        head
        for head, challenged in challenges
        if _content(earlier.get((target.memory.id, challenged.revision), target.memory))
        == _content(target.memory)
    ]


def _content(memory: Memory) -> tuple[object, ...]:
    return tuple(getattr(memory, name) for name in _CONTENT_FIELDS)
