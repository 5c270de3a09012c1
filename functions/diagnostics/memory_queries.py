"""Reading memories: lists, heads and revisions."""

from functions.diagnostics import memory_views
from functions.diagnostics.responses import MemoryHead, RevisionView
from strandline.dependencies import Dependencies
from strandline.errors import ContentDeleted, NotFound
from strandline.memories import visibility
from strandline.models.memory import Memory
from strandline.models.memory_filter import MemoryFilter
from strandline.models.memory_head import Head
from strandline.store.memories import memory_heads
from strandline.store.pagination import ListPage


def head(deps: Dependencies, account: str, memory_id: str) -> Head:
    """A memory's head without what is being erased. Raises NotFound, ContentDeleted."""
    found = memory_heads.get(deps.table, account, memory_id)
    seen = visibility.visible_head(found, visibility.sessions_being_deleted(deps.table, account))
    if seen is None:
        raise ContentDeleted(deps.clock())
    return seen


def page(
    deps: Dependencies, account: str, wanted: MemoryFilter, limit: int, after: str | None
) -> ListPage[MemoryHead]:
    """The memories that are asked for, newest first."""
    erased = visibility.sessions_being_deleted(deps.table, account)

    def shown(found: Head) -> Head | None:
        seen = visibility.visible_head(found, erased)
        return seen if seen is not None and wanted.matches(seen) else None

    found = memory_heads.page(deps.table, account, limit, after, shown)
    return ListPage(tuple(memory_views.head(each) for each in found.items), found.after)


def revisions(
    deps: Dependencies, account: str, memory_id: str, limit: int, after: str | None
) -> ListPage[RevisionView]:
    """A memory's history, newest first. Raises NotFound, ContentDeleted."""
    current = head(deps, account, memory_id).memory.revision
    erased = visibility.sessions_being_deleted(deps.table, account)
    found = memory_heads.history_page(deps.table, account, memory_id, limit, after)
    judged = memory_heads.reviews(deps.table, account, memory_id, [m.revision for m in found.items])
    seen = [visible for each in found.items if (visible := visibility.visible_memory(each, erased))]
    items = [
        memory_views.revision(each, judged.get(each.revision), current=each.revision == current)
        for each in seen
    ]
    return ListPage(tuple(items), found.after)


def revision(deps: Dependencies, account: str, memory_id: str, number: int) -> RevisionView:
    """One revision. Raises NotFound, also for one that is gone; ContentDeleted."""
    current = head(deps, account, memory_id).memory.revision
    if not 1 <= number <= current:
        # A number of a thousand digits would make no key.
        raise NotFound
    memory = pinned(deps, account, memory_id, number)
    judged = memory_heads.reviews(deps.table, account, memory_id, [number])
    return memory_views.revision(memory, judged.get(number), current=number == current)


def pinned(deps: Dependencies, account: str, memory_id: str, number: int) -> Memory:
    """The words of one revision of a memory that may be read. Raises NotFound."""
    found = memory_heads.revisions(deps.table, account, [(memory_id, number)])
    erased = visibility.sessions_being_deleted(deps.table, account)
    memory = found.get((memory_id, number))
    seen = visibility.visible_memory(memory, erased) if memory else None
    if seen is None:
        raise NotFound
    return seen
