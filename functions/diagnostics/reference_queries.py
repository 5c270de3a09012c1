"""References both ways: what a revision refers to, and what refers to a memory."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from functions.diagnostics import memory_queries
from functions.diagnostics.pinned_cursors import PinnedRevision, RevisionQuery
from functions.diagnostics.responses import ReferencedBy
from strandline.api.paging import Page
from strandline.dependencies import Dependencies
from strandline.memories import visibility
from strandline.models.memory import Reference
from strandline.models.memory_head import Head, Tombstone
from strandline.store.memories import incoming_references, memory_heads
from strandline.store.pagination import ListPage

MARKS_TOGETHER = 99
"""One batch reads the heads of as many memories, and the profile with them."""
MOST_READS = 8


@dataclass(frozen=True, slots=True)
class Incoming:
    """Which references to a memory are wanted."""

    target_revision: int | None = None
    history: bool = False

    def may_take(self, mark: incoming_references.IncomingReference) -> bool:
        """Whether that revision is, as far as can be told without its memory."""
        return self.target_revision is None or self.target_revision in mark.targets

    def takes(self, mark: incoming_references.IncomingReference, head: Head) -> bool:
        """Whether that revision is; `head` is its memory's."""
        current = mark.revision == head.memory.revision
        return self.may_take(mark) and (self.history or current)


def references(
    deps: Dependencies, asked: RevisionQuery, pin: PinnedRevision, limit: int
) -> Page[Reference]:
    """What a revision refers to, in its own order; also what has expired, which reads as that."""
    every, begin = pin.memory.references, int(pin.after or 0)
    erased = visibility.sessions_being_deleted(deps.table, asked.account)
    names = {each.memory_id for each in every}
    found = memory_heads.find_unexpired(deps.table, asked.account, names)
    expired = {n for n, each in found.items() if isinstance(each, Tombstone) and each.expired}
    there = _visible(found, erased).keys() | expired
    part = every[begin : begin + limit]
    more = str(begin + limit) if begin + limit < len(every) else None
    shown = tuple(each for each in part if each.memory_id in there)
    return Page(items=shown, cursor=asked.cursor(pin, more))


def referenced_by(
    deps: Dependencies,
    account: str,
    memory_id: str,
    wanted: Incoming,
    page: tuple[int, str | None],
) -> ListPage[ReferencedBy]:
    """The revisions that refer to a memory, by referring memory. Raises as `reading.head`.

    `page` is how many, and after which mark.
    """
    memory_queries.head(deps, account, memory_id)
    limit, after = page
    erased = visibility.sessions_being_deleted(deps.table, account)
    kept: list[ReferencedBy] = []
    for _ in range(MOST_READS):
        marks = incoming_references.page(deps.table, account, memory_id, MARKS_TOGETHER, after)
        sources = {mark.source for mark in marks.items if wanted.may_take(mark)}
        heads = readable(deps, account, sources, erased)
        for mark in marks.items:
            head = heads.get(mark.source)
            if head is not None and wanted.takes(mark, head):
                if len(kept) == limit:
                    return ListPage(tuple(kept), after)
                kept.append(_incoming(mark, head))
            after = incoming_references.list_position(mark)
        after = marks.after
        if after is None:
            break
    return ListPage(tuple(kept), after)


def readable(
    deps: Dependencies, account: str, names: Collection[str], erased: frozenset[str]
) -> Mapping[str, Head]:
    """Those of these memories that may be read, without what rests on the erased sessions."""
    if not names:
        return {}
    return _visible(memory_heads.find_unexpired(deps.table, account, names), erased)


def _visible(found: Mapping[str, Head | Tombstone], erased: frozenset[str]) -> Mapping[str, Head]:
    seen = (
        visibility.visible_head(head, erased)
        for head in memory_heads.readable_heads(found).values()
    )
    return {head.memory.id: head for head in seen if head is not None}


def _incoming(mark: incoming_references.IncomingReference, head: Head) -> ReferencedBy:
    return ReferencedBy(
        memory_id=mark.source,
        revision=mark.revision,
        current=mark.revision == head.memory.revision,
        target_revisions=mark.targets,
    )
