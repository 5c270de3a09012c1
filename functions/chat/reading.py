"""Memories as clients read them: with the words they rest on, and with their use."""

from collections.abc import Sequence
from dataclasses import dataclass

from strandline import words
from strandline.errors import ContentDeleted
from strandline.models.memory import Citation, Evidence, Kind, Memory, MemoryView
from strandline.models.turn import Turn
from strandline.runtime import Runtime
from strandline.store import hiding, memories, turns
from strandline.store.lists import Slice
from strandline.store.memories import Used


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are wanted."""

    kind: Kind | None = None
    label: str | None = None
    session_id: str | None = None

    def takes(self, memory: Memory) -> bool:
        """Whether a memory is wanted."""
        of_session = self.session_id is None or any(
            turns.session_of(citation.turn_id) == self.session_id for citation in memory.evidence
        )
        return (
            of_session
            and self.kind in (None, memory.kind)
            and (self.label is None or self.label in memory.labels)
        )


def one(runtime: Runtime, account: str, memory_id: str) -> MemoryView:
    """A memory. Raises NotFound, or ContentDeleted for one that was deleted."""
    head = memories.get(runtime.table, account, memory_id)
    erased = hiding.being_erased(runtime.table, account)
    memory = hiding.visible(head.memory, erased)
    if memory is None:
        raise ContentDeleted(runtime.clock())
    return views(runtime, account, [memory])[0]


def page(
    runtime: Runtime, account: str, wanted: Filter, limit: int, after: str | None
) -> Slice[MemoryView]:
    """The account's memories that are wanted, newest first."""
    erased = hiding.being_erased(runtime.table, account)

    def shown(memory: Memory) -> Memory | None:
        seen = hiding.visible(memory, erased)
        return seen if seen is not None and wanted.takes(seen) else None

    found = memories.page(runtime.table, account, limit, after, shown)
    return Slice(tuple(views(runtime, account, found.items)), found.after)


def views(runtime: Runtime, account: str, found: Sequence[Memory]) -> list[MemoryView]:
    """Those memories with quotes and use."""
    quoted = evidence(runtime, account, found)
    uses = memories.uses(runtime.table, account, [memory.id for memory in found])
    return [_view(memory, quoted[memory.id], uses.get(memory.id, Used())) for memory in found]


def evidence(
    runtime: Runtime, account: str, found: Sequence[Memory]
) -> dict[str, tuple[Evidence, ...]]:
    """By memory id, its citations with their words as they stand in the turns."""
    cited = {citation.turn_id for memory in found for citation in memory.evidence}
    there = turns.get_many(runtime.table, account, cited, runtime.clock())
    return {
        memory.id: tuple(
            _quoted(citation, there.get(citation.turn_id)) for citation in memory.evidence
        )
        for memory in found
    }


def _quoted(citation: Citation, turn: Turn | None) -> Evidence:
    quote = words.quote(turn.content, citation.word_start, citation.word_end) if turn else None
    return Evidence(**citation.model_dump(), quote=quote)


def _view(memory: Memory, quoted: tuple[Evidence, ...], used: Used) -> MemoryView:
    same = MemoryView.model_fields.keys() & Memory.model_fields.keys() - {"evidence"}
    return MemoryView(
        **{name: getattr(memory, name) for name in same},
        evidence=quoted,
        access_count=used.access_count,
        last_accessed_at=used.last_accessed_at,
    )
