"""The turns that a revision rests on, its own and on request those of its references."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from functions.diagnostics.pinned_cursors import PinnedRevision, RevisionQuery
from functions.diagnostics.reference_queries import readable_heads
from functions.diagnostics.responses import EvidenceItem, EvidencePage, Quotation, SourceView
from strandline.dependencies import Dependencies
from strandline.memories import cited_turns, visibility
from strandline.memories.cited_turns import CitedTurn, TurnVersion
from strandline.models.base import rfc3339
from strandline.models.memory import Citation, Memory, Reference
from strandline.store.memories import memory_revisions
from strandline.store.pagination import MAX_PAGE_BYTES

TURNS_PER_READ = 25
"""A turn may hold 100 KB and is read whole for its quotes, so a page reads a few at a time."""

RevisionKey = tuple[str, int]
"""A memory's id and a revision number."""
LoadRevisions = Callable[[Sequence[RevisionKey]], Mapping[RevisionKey, Memory]]
"""Returns those of the revisions that may be read."""


@dataclass(frozen=True, slots=True)
class ExpansionBounds:
    """How many levels of references to follow, and how many revisions to read at most."""

    depth: int
    node_budget: int


@dataclass(frozen=True, slots=True)
class Node:
    """A revision that was reached, and the shortest path to it from the root."""

    memory: Memory
    path: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Expansion:
    """The revisions reached, nearest first; `truncated` when the bounds left others out."""

    nodes: tuple[Node, ...]
    truncated: bool


CitingNode = tuple[Node, tuple[Citation, ...]]
"""A revision and its citations of one turn."""


def expand_references(root: Memory, bounds: ExpansionBounds, load: LoadRevisions) -> Expansion:
    """Follows references breadth-first from a revision and returns each revision once.

    The root counts towards the node budget.
    """
    nodes = [Node(root, (_reference_to(root),))]
    visited: set[RevisionKey] = {(root.id, root.revision)}
    level = list(nodes)
    for _ in range(bounds.depth):
        paths = _unvisited_references(level, visited)
        followed = list(paths)[: bounds.node_budget - len(nodes)]
        loaded = load(followed)
        level = [
            Node(loaded[key], (*paths[key], _reference_to(loaded[key])))
            for key in followed
            if key in loaded
        ]
        nodes += level
        visited.update(followed)
    return Expansion(tuple(nodes), truncated=bool(_unvisited_references(nodes, visited)))


def read_evidence(
    deps: Dependencies,
    query: RevisionQuery,
    pin: PinnedRevision,
    bounds: ExpansionBounds,
    limit: int,
) -> EvidencePage:
    """Returns a page of the turns that a revision rests on, each once, oldest first."""
    load = revision_loader(deps, query.account)
    expansion = expand_references(pin.memory, bounds, load)
    cited = _citations_by_position(expansion.nodes)
    positions = sorted(position for position in cited if position > pin.after)
    page = [cited[position] for position in positions[:limit]]
    items = _evidence_items(deps, query.account, page)
    after = positions[len(items) - 1] if len(items) < len(positions) else None
    return EvidencePage(
        items=items,
        cursor=query.next_cursor(pin, after),
        truncated=expansion.truncated,
    )


def revision_loader(deps: Dependencies, account: str) -> LoadRevisions:
    """Returns a function that loads revisions with two batch reads: heads, then revisions."""
    deleting = visibility.sessions_being_deleted(deps.table, account)

    def load(keys: Sequence[RevisionKey]) -> Mapping[RevisionKey, Memory]:
        heads = readable_heads(deps, account, {memory_id for memory_id, _ in keys}, deleting)
        readable = [key for key in keys if key[0] in heads]
        found = memory_revisions.get_revisions(deps.table, account, readable)
        visible = {
            key: visibility.visible_memory(memory, deleting) for key, memory in found.items()
        }
        return {key: memory for key, memory in visible.items() if memory is not None}

    return load


def _unvisited_references(
    nodes: Iterable[Node], visited: set[RevisionKey]
) -> dict[RevisionKey, tuple[Reference, ...]]:
    """Returns the revisions that nodes refer to and that weren't visited, with the path to each.

    The path is that of the first node that refers to it.
    """
    paths: dict[RevisionKey, tuple[Reference, ...]] = {}
    for node in nodes:
        for reference in node.memory.references:
            key = (reference.memory_id, reference.revision)
            if key not in visited:
                paths.setdefault(key, node.path)
    return paths


def _citations_by_position(nodes: Iterable[Node]) -> dict[str, CitingNode]:
    """Returns by position each cited version of a turn, with the nearest revision that cites it."""
    found: dict[str, CitingNode] = {}
    for node in nodes:
        own: dict[str, list[Citation]] = {}
        for citation in node.memory.evidence:
            own.setdefault(_position(citation), []).append(citation)
        for position, citations in own.items():
            found.setdefault(position, (node, tuple(citations)))
    return found


def _evidence_items(
    deps: Dependencies, account: str, wanted: Sequence[CitingNode]
) -> tuple[EvidenceItem, ...]:
    """Returns the first items with their quotes, as many as fit into the page's bytes."""
    items: list[EvidenceItem] = []
    size = 0
    for start in range(0, len(wanted), TURNS_PER_READ):
        if size > MAX_PAGE_BYTES:
            break
        batch = wanted[start : start + TURNS_PER_READ]
        citations = [citation for _, own in batch for citation in own]
        turns = cited_turns.read_cited_turns(deps.table, account, citations, deps.clock())
        size += sum(len(each.turn.content.encode()) for each in turns.values() if each.turn)
        items += [_evidence_item(node, own, turns) for node, own in batch]
    return tuple(items)


def _position(citation: Citation) -> str:
    """Returns a citation's place in the list, which sorts by time."""
    return f"{rfc3339(citation.said_at)}|{citation.turn_id}|{citation.turn_version:06d}"


def _evidence_item(
    node: Node, citations: tuple[Citation, ...], turns: Mapping[TurnVersion, CitedTurn]
) -> EvidenceItem:
    first = citations[0]
    ordered = sorted(citations, key=lambda each: (each.word_start, each.word_end))
    return EvidenceItem(
        turn_id=first.turn_id,
        turn_version=first.turn_version,
        role=first.role,
        said_at=first.said_at,
        subject=node.memory.subject,
        citations=tuple(
            Quotation(
                word_start=each.word_start,
                word_end=each.word_end,
                text=cited_turns.with_quote(each, turns).quote,
            )
            for each in ordered
        ),
        path=node.path,
        source=SourceView(state=turns[first.turn_id, first.turn_version].state),
    )


def _reference_to(memory: Memory) -> Reference:
    return Reference(memory_id=memory.id, revision=memory.revision)
