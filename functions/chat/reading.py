"""Memories as clients read them: with the words they rest on, and with their use."""

from collections.abc import Sequence

from strandline import sources
from strandline.errors import ContentDeleted
from strandline.models.memory import Evidence, Memory
from strandline.models.memory_view import MemoryView
from strandline.models.standing import maturity
from strandline.runtime import Runtime
from strandline.selection import Selection
from strandline.store import hiding, memories
from strandline.store.lists import Slice
from strandline.store.memories import Head, Used


def one(runtime: Runtime, account: str, memory_id: str) -> MemoryView:
    """A memory. Raises NotFound, or ContentDeleted for one that was deleted."""
    head = memories.get(runtime.table, account, memory_id)
    seen = hiding.visible_head(head, hiding.being_erased(runtime.table, account))
    if seen is None:
        raise ContentDeleted(runtime.clock())
    return views(runtime, account, [seen])[0]


def page(
    runtime: Runtime, account: str, wanted: Selection, limit: int, after: str | None
) -> Slice[MemoryView]:
    """The account's memories that are wanted, newest first."""
    erased = hiding.being_erased(runtime.table, account)

    def shown(head: Head) -> Head | None:
        seen = hiding.visible_head(head, erased)
        return seen if seen is not None and wanted.takes(seen) else None

    found = memories.page(runtime.table, account, limit, after, shown)
    return Slice(tuple(views(runtime, account, found.items)), found.after)


def views(runtime: Runtime, account: str, found: Sequence[Head]) -> list[MemoryView]:
    """Those memories with quotes, standing and use."""
    quoted = evidence(runtime, account, [head.memory for head in found])
    uses = memories.uses(runtime.table, account, [head.memory.id for head in found])
    return [_view(h, quoted[h.memory.id], uses.get(h.memory.id, Used())) for h in found]


def evidence(
    runtime: Runtime, account: str, found: Sequence[Memory]
) -> dict[str, tuple[Evidence, ...]]:
    """By memory id, its citations with their words as they stood in the turns."""
    cited = [citation for memory in found for citation in memory.evidence]
    there = sources.of_citations(runtime.table, account, cited, runtime.clock())
    return {
        memory.id: tuple(sources.quoted(citation, there) for citation in memory.evidence)
        for memory in found
    }


def _view(head: Head, quoted: tuple[Evidence, ...], used: Used) -> MemoryView:
    memory, standing = head.memory, head.standing
    same = MemoryView.model_fields.keys() & Memory.model_fields.keys() - {"evidence"}
    return MemoryView(
        **{name: getattr(memory, name) for name in same},
        state=standing.state,
        maturity=maturity(memory, standing),
        freshness=standing.freshness,
        review=standing.review,
        saved=standing.saved,
        dismissed=standing.dismissed,
        flags=standing.flags,
        evidence=quoted,
        access_count=used.access_count,
        last_accessed_at=used.last_accessed_at,
    )
