"""Queries for memories: lists, heads and revisions."""

from functions.diagnostics import memory_views
from functions.diagnostics.responses import MemoryHead, RevisionView
from strandline.dependencies import Dependencies
from strandline.errors import NotFound
from strandline.memories import visibility
from strandline.models.memory import Memory
from strandline.models.memory_filter import MemoryFilter
from strandline.models.memory_head import Head
from strandline.store.memories import memory_revisions
from strandline.store.pagination import ListPage, PageRequest


def get_head(deps: Dependencies, account: str, memory_id: str) -> Head:
    """Returns a memory's head without citations of sessions that are being deleted.

    Raises NotFound, or ContentDeleted for a memory that was deleted.
    """
    return visibility.get_visible_part(deps.table, account, memory_id, deps.clock())


def list_heads(
    deps: Dependencies, account: str, wanted: MemoryFilter, request: PageRequest
) -> ListPage[MemoryHead]:
    """Returns a page of the memories that match the filter, newest first."""
    found = visibility.page(deps.table, account, wanted, request)
    return ListPage(tuple(memory_views.head_view(head) for head in found.items), found.after)


def list_revisions(
    deps: Dependencies, account: str, memory_id: str, request: PageRequest
) -> ListPage[RevisionView]:
    """Returns a page of a memory's revisions, newest first. Raises NotFound, ContentDeleted."""
    current = get_head(deps, account, memory_id).memory.revision
    deleting = visibility.sessions_being_deleted(deps.table, account)
    found = memory_revisions.page(deps.table, account, memory_id, request)
    numbers = [memory.revision for memory in found.items]
    reviews = memory_revisions.get_reviews(deps.table, account, memory_id, numbers)
    visible = (visibility.visible_memory(memory, deleting) for memory in found.items)
    items = tuple(
        memory_views.revision_view(
            memory, reviews.get(memory.revision), current=memory.revision == current
        )
        for memory in visible
        if memory is not None
    )
    return ListPage(items, found.after)


def get_revision(deps: Dependencies, account: str, memory_id: str, number: int) -> RevisionView:
    """Returns one revision of a memory.

    Raises NotFound, also for a revision that was removed, and ContentDeleted.
    """
    current = get_head(deps, account, memory_id).memory.revision
    if not 1 <= number <= current:
        # A number with a thousand digits would make an invalid key.
        raise NotFound
    memory = get_revision_content(deps, account, memory_id, number)
    reviews = memory_revisions.get_reviews(deps.table, account, memory_id, [number])
    return memory_views.revision_view(memory, reviews.get(number), current=number == current)


def get_revision_content(deps: Dependencies, account: str, memory_id: str, number: int) -> Memory:
    """Returns the content of one revision, if it may be read. Raises NotFound."""
    found = memory_revisions.get_revisions(deps.table, account, [(memory_id, number)])
    deleting = visibility.sessions_being_deleted(deps.table, account)
    memory = found.get((memory_id, number))
    visible = visibility.visible_memory(memory, deleting) if memory else None
    if visible is None:
        raise NotFound
    return visible
