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


def read_memory_view(deps: Dependencies, account: str, memory_id: str) -> MemoryView:
    """A memory. Raises NotFound, or ContentDeleted for one that was deleted."""
    head = memory_heads.get(deps.table, account, memory_id)
    seen = visibility.visible_head(head, visibility.sessions_being_deleted(deps.table, account))
    if seen is None:
        raise ContentDeleted(deps.clock())
    return memory_views(deps, account, [seen])[0]


def list_memory_views(
    deps: Dependencies, account: str, wanted: MemoryFilter, limit: int, after: str | None
) -> ListPage[MemoryView]:
    """The account's memories that are wanted, newest first."""
    erased = visibility.sessions_being_deleted(deps.table, account)

    def shown(head: Head) -> Head | None:
        seen = visibility.visible_head(head, erased)
        return seen if seen is not None and wanted.matches(seen) else None

    found = memory_heads.page(deps.table, account, limit, after, shown)
    return ListPage(tuple(memory_views(deps, account, found.items)), found.after)


def memory_views(deps: Dependencies, account: str, found: Sequence[Head]) -> list[MemoryView]:
    """Those memories with quotes, standing and use."""
    quoted = quoted_evidence(deps, account, [head.memory for head in found])
    uses = memory_heads.get_usage(deps.table, account, [head.memory.id for head in found])
    return [_view(h, quoted[h.memory.id], uses.get(h.memory.id, MemoryUsage())) for h in found]


def quoted_evidence(
    deps: Dependencies, account: str, found: Sequence[Memory]
) -> dict[str, tuple[Evidence, ...]]:
    """By memory id, its citations with their words as they stood in the turns."""
    cited = [citation for memory in found for citation in memory.evidence]
    there = cited_turns.read_cited_turns(deps.table, account, cited, deps.clock())
    return {
        memory.id: tuple(cited_turns.with_quote(citation, there) for citation in memory.evidence)
        for memory in found
    }


def _view(head: Head, quoted: tuple[Evidence, ...], used: MemoryUsage) -> MemoryView:
    memory, status = head.memory, head.status
    same = MemoryView.model_fields.keys() & Memory.model_fields.keys() - {"evidence"}
    return MemoryView(
        **{name: getattr(memory, name) for name in same},
        state=status.state,
        maturity=maturity(memory, status),
        freshness=status.freshness,
        review=status.review,
        saved=status.saved,
        dismissed=status.dismissed,
        flags=status.flags,
        evidence=quoted,
        access_count=used.access_count,
        last_accessed_at=used.last_accessed_at,
    )
