"""Memories as clients read them: with their quotes, status and usage."""

from collections.abc import Sequence

from functions.chat.responses import MemoryView
from strandline.dependencies import Dependencies
from strandline.memories import cited_turns, visibility
from strandline.models.memory import Evidence, Memory
from strandline.models.memory_filter import MemoryFilter
from strandline.models.memory_head import Head, MemoryUsage
from strandline.models.memory_status import maturity
from strandline.store.memories import memory_heads
from strandline.store.pagination import ListPage, PageRequest


def read_memory_view(deps: Dependencies, account: str, memory_id: str) -> MemoryView:
    """Returns a memory. Raises NotFound, or ContentDeleted for one that was deleted."""
    visible = visibility.get_visible_part(deps.table, account, memory_id, deps.clock())
    return memory_views(deps, account, [visible])[0]


def list_memory_views(
    deps: Dependencies, account: str, wanted: MemoryFilter, request: PageRequest
) -> ListPage[MemoryView]:
    """Returns a page of the memories that match the filter, newest first."""
    found = visibility.page(deps.table, account, wanted, request)
    return ListPage(tuple(memory_views(deps, account, found.items)), found.after)


def memory_views(deps: Dependencies, account: str, found: Sequence[Head]) -> list[MemoryView]:
    """Returns those memories with their quotes, status and usage."""
    quoted = quoted_evidence(deps, account, [head.memory for head in found])
    usage = memory_heads.get_usage(deps.table, account, [head.memory.id for head in found])
    return [_view(h, quoted[h.memory.id], usage.get(h.memory.id, MemoryUsage())) for h in found]


def quoted_evidence(
    deps: Dependencies, account: str, found: Sequence[Memory]
) -> dict[str, tuple[Evidence, ...]]:
    """Returns by memory id its citations, each with the words of the turn it cites."""
    cited = [citation for memory in found for citation in memory.evidence]
    turns_by_version = cited_turns.read_cited_turns(deps.table, account, cited, deps.clock())
    return {
        memory.id: tuple(
            cited_turns.with_quote(citation, turns_by_version) for citation in memory.evidence
        )
        for memory in found
    }


def _view(head: Head, quoted: tuple[Evidence, ...], usage: MemoryUsage) -> MemoryView:
    memory, status = head.memory, head.status
    copied = MemoryView.model_fields.keys() & Memory.model_fields.keys() - {"evidence"}
    return MemoryView(
        **{name: getattr(memory, name) for name in copied},
        state=status.state,
        maturity=maturity(memory, status),
        freshness=status.freshness,
        review=status.review,
        saved=status.saved,
        dismissed=status.dismissed,
        flags=status.flags,
        evidence=quoted,
        access_count=usage.access_count,
        last_accessed_at=usage.last_accessed_at,
    )
