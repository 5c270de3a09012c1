"""Reading memories: lists, heads and revisions."""

from functions.diagnostics import views
from functions.diagnostics.responses import MemoryHead, RevisionView
from strandline.errors import ContentDeleted, NotFound
from strandline.models.memory import Memory
from strandline.runtime import Runtime
from strandline.selection import Selection
from strandline.store import hiding, memories
from strandline.store.lists import Slice
from strandline.store.memories import Head


def head(runtime: Runtime, account: str, memory_id: str) -> Head:
    """A memory's head without what is being erased. Raises NotFound, ContentDeleted."""
    found = memories.get(runtime.table, account, memory_id)
    seen = hiding.visible_head(found, hiding.being_erased(runtime.table, account))
    if seen is None:
        raise ContentDeleted(runtime.clock())
    return seen


def page(
    runtime: Runtime, account: str, wanted: Selection, limit: int, after: str | None
) -> Slice[MemoryHead]:
    """The memories that are asked for, newest first."""
    erased = hiding.being_erased(runtime.table, account)

    def shown(found: Head) -> Head | None:
        seen = hiding.visible_head(found, erased)
        return seen if seen is not None and wanted.takes(seen) else None

    found = memories.page(runtime.table, account, limit, after, shown)
    return Slice(tuple(views.head(each) for each in found.items), found.after)


def revisions(
    runtime: Runtime, account: str, memory_id: str, limit: int, after: str | None
) -> Slice[RevisionView]:
    """A memory's history, newest first. Raises NotFound, ContentDeleted."""
    current = head(runtime, account, memory_id).memory.revision
    erased = hiding.being_erased(runtime.table, account)
    found = memories.history_page(runtime.table, account, memory_id, limit, after)
    judged = memories.reviews(runtime.table, account, memory_id, [m.revision for m in found.items])
    seen = [visible for each in found.items if (visible := hiding.visible(each, erased))]
    items = [
        views.revision(each, judged.get(each.revision), current=each.revision == current)
        for each in seen
    ]
    return Slice(tuple(items), found.after)


def revision(runtime: Runtime, account: str, memory_id: str, number: int) -> RevisionView:
    """One revision. Raises NotFound, also for one that is gone; ContentDeleted."""
    current = head(runtime, account, memory_id).memory.revision
    if not 1 <= number <= current:
        # A number of a thousand digits would make no key.
        raise NotFound
    memory = pinned(runtime, account, memory_id, number)
    judged = memories.reviews(runtime.table, account, memory_id, [number])
    return views.revision(memory, judged.get(number), current=number == current)


def pinned(runtime: Runtime, account: str, memory_id: str, number: int) -> Memory:
    """The words of one revision of a memory that may be read. Raises NotFound."""
    found = memories.revisions(runtime.table, account, [(memory_id, number)])
    erased = hiding.being_erased(runtime.table, account)
    memory = found.get((memory_id, number))
    seen = hiding.visible(memory, erased) if memory else None
    if seen is None:
        raise NotFound
    return seen
