"""Memories as clients read them: with the words they rest on, and with their use."""

from collections.abc import Sequence

from functions.chat.memory_response import MemoryView
from strandline.dependencies import Dependencies
from strandline.errors import ContentDeleted
from strandline.memories import cited_turns, visibility
from strandline.models.memory import Evidence, Memory
from strandline.models.memory_filter import MemoryFilter
from strandline.models.memory_head import Head, MemoryUsage
from strandline.models.memory_status import maturity
from strandline.store.memories import memory_heads
from strandline.store.pagination import ListPage


def read_memory_view(runtime: Dependencies, account: str, memory_id: str) -> MemoryView:
    """A memory. Raises NotFound, or ContentDeleted for one that was deleted."""
    head = memory_heads.get(runtime.table, account, memory_id)
    seen = visibility.visible_head(head, visibility.sessions_being_deleted(runtime.table, account))
    if seen is None:
        raise ContentDeleted(runtime.clock())
    return memory_views(runtime, account, [seen])[0]


def list_memory_views(
    runtime: Dependencies, account: str, wanted: MemoryFilter, limit: int, after: str | None
) -> ListPage[MemoryView]:
    """The account's memories that are wanted, newest first."""
    erased = visibility.sessions_being_deleted(runtime.table, account)

    def shown(head: Head) -> Head | None:
        seen = visibility.visible_head(head, erased)
        return seen if seen is not None and wanted.takes(seen) else None

    found = memory_heads.page(runtime.table, account, limit, after, shown)
    return ListPage(tuple(memory_views(runtime, account, found.items)), found.after)


def memory_views(runtime: Dependencies, account: str, found: Sequence[Head]) -> list[MemoryView]:
    """Those memories with quotes, standing and use."""
    quoted = quoted_evidence(runtime, account, [head.memory for head in found])
    uses = memory_heads.get_usage(runtime.table, account, [head.memory.id for head in found])
    return [_view(h, quoted[h.memory.id], uses.get(h.memory.id, MemoryUsage())) for h in found]


def quoted_evidence(
    runtime: Dependencies, account: str, found: Sequence[Memory]
) -> dict[str, tuple[Evidence, ...]]:
    """By memory id, its citations with their words as they stood in the turns."""
    cited = [citation for memory in found for citation in memory.evidence]
    there = cited_turns.read_cited_turns(runtime.table, account, cited, runtime.clock())
    return {
        memory.id: tuple(cited_turns.with_quote(citation, there) for citation in memory.evidence)
        for memory in found
    }


def _view(head: Head, quoted: tuple[Evidence, ...], used: MemoryUsage) -> MemoryView:
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
