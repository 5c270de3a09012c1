"""References both ways: what a revision refers to, and what refers to a memory."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from functions.diagnostics import reading
from functions.diagnostics.pins import Asked, Pinned
from functions.diagnostics.responses import ReferencedBy
from strandline.api.paging import Page
from strandline.models.memory import Reference
from strandline.runtime import Runtime
from strandline.store import hiding, links, memories
from strandline.store.lists import Slice
from strandline.store.memories import Head

MARKS_TOGETHER = 100
"""One batch reads the heads of as many memories."""
MOST_READS = 8


@dataclass(frozen=True, slots=True)
class Incoming:
    """Which references to a memory are wanted."""

    target_revision: int | None = None
    history: bool = False

    def takes(self, mark: links.Incoming, head: Head) -> bool:
        """Whether that revision is; `head` is its memory's."""
        if self.target_revision is not None and self.target_revision not in mark.targets:
            return False
        return self.history or mark.revision == head.memory.revision


def references(runtime: Runtime, asked: Asked, pin: Pinned, limit: int) -> Page[Reference]:
    """What a revision refers to, in its own order."""
    every, begin = pin.memory.references, int(pin.after or 0)
    there = readable(runtime, asked.account, {each.memory_id for each in every})
    part = every[begin : begin + limit]
    more = str(begin + limit) if begin + limit < len(every) else None
    shown = tuple(each for each in part if each.memory_id in there)
    return Page(items=shown, cursor=asked.cursor(pin, more))


def referenced_by(
    runtime: Runtime, account: str, memory_id: str, wanted: Incoming, page: tuple[int, str | None]
) -> Slice[ReferencedBy]:
    """The revisions that refer to a memory, by referring memory. Raises as `reading.head`.

    `page` is how many, and after which mark.
    """
    reading.head(runtime, account, memory_id)
    limit, after = page
    kept: list[ReferencedBy] = []
    for _ in range(MOST_READS):
        marks = links.page(runtime.table, account, memory_id, MARKS_TOGETHER, after)
        heads = readable(runtime, account, {mark.source for mark in marks.items})
        for mark in marks.items:
            head = heads.get(mark.source)
            if head is not None and wanted.takes(mark, head):
                if len(kept) == limit:
                    return Slice(tuple(kept), after)
                kept.append(_incoming(mark, head))
            after = links.place(mark)
        after = marks.after
        if after is None:
            break
    return Slice(tuple(kept), after)


def readable(runtime: Runtime, account: str, names: Collection[str]) -> Mapping[str, Head]:
    """Those of these memories that may be read, without what is being erased."""
    if not names:
        return {}
    found = memories.live(memories.find_many(runtime.table, account, names))
    return _visible(found.values(), hiding.being_erased(runtime.table, account))


def _visible(heads: Iterable[Head], erased: frozenset[str]) -> Mapping[str, Head]:
    seen = (hiding.visible_head(head, erased) for head in heads)
    return {head.memory.id: head for head in seen if head is not None}


def _incoming(mark: links.Incoming, head: Head) -> ReferencedBy:
    return ReferencedBy(
        memory_id=mark.source,
        revision=mark.revision,
        current=mark.revision == head.memory.revision,
        target_revisions=mark.targets,
    )
