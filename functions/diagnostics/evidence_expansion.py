"""From a revision to the recorded turns it rests on, through what it refers to if asked."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from functions.diagnostics.pinned_cursors import PinnedRevision, RevisionQuery
from functions.diagnostics.reference_queries import readable
from functions.diagnostics.responses import EvidenceItem, EvidencePage, Quotation, SourceView
from strandline.dependencies import Dependencies
from strandline.memories import cited_turns, visibility
from strandline.memories.cited_turns import CitedTurn, Version
from strandline.models.base import rfc3339
from strandline.models.memory import Citation, Memory, Reference
from strandline.store.memories import memory_heads
from strandline.store.pagination import MAX_PAGE_BYTES

TURNS_TOGETHER = 25
"""A turn may be 100 KB, and quotes need it whole: a page ends where it has cost enough."""

Pin = tuple[str, int]
"""A memory's id and the number of a revision."""
Load = Callable[[Sequence[Pin]], Mapping[Pin, Memory]]
"""Those of the revisions that may be read."""


@dataclass(frozen=True, slots=True)
class Node:
    """A revision that was reached, and the shortest way to it."""

    memory: Memory
    path: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Expansion:
    """The revisions reached, nearest first, and whether any was left that could be."""

    nodes: tuple[Node, ...]
    truncated: bool


def expand(root: Memory, depth: int, budget: int, load: Load) -> Expansion:
    """Follow pinned references, level by level, each revision once.

    `depth` levels at most, and `budget` revisions, the root among them.
    """
    nodes = [Node(root, (_pin(root),))]
    seen: set[Pin] = {(root.id, root.revision)}
    level = list(nodes)
    for _ in range(depth):
        ways = _ways(level, seen)
        followed = list(ways)[: budget - len(nodes)]
        there = load(followed)
        level = [
            Node(there[pin], (*ways[pin], _pin(there[pin]))) for pin in followed if pin in there
        ]
        nodes += level
        seen.update(followed)
    return Expansion(tuple(nodes), truncated=bool(_ways(nodes, seen)))


def answer(
    deps: Dependencies,
    asked: RevisionQuery,
    pin: PinnedRevision,
    bounds: tuple[int, int],
    limit: int,
) -> EvidencePage:
    """The turns that a revision rests on, each once, in the order they were said in.

    `bounds` are how deep to follow references and how many revisions to look at.
    """
    expansion = expand(pin.memory, *bounds, loading(deps, asked.account))
    cited = _by_turn(expansion.nodes)
    waiting = sorted(place for place in cited if place > pin.after)
    items = _quoted(deps, asked.account, [cited[place] for place in waiting[:limit]])
    return EvidencePage(
        items=items,
        cursor=asked.cursor(pin, waiting[len(items) - 1] if len(items) < len(waiting) else None),
        truncated=expansion.truncated,
    )


def loading(deps: Dependencies, account: str) -> Load:
    """How revisions are read: one batch of their memories' heads, and one of the revisions."""
    erased = visibility.sessions_being_deleted(deps.table, account)

    def load(pins: Sequence[Pin]) -> Mapping[Pin, Memory]:
        heads = readable(deps, account, {name for name, _ in pins}, erased)
        there = [pin for pin in pins if pin[0] in heads]
        found = memory_heads.revisions(deps.table, account, there)
        seen = {pin: visibility.visible_memory(memory, erased) for pin, memory in found.items()}
        return {pin: memory for pin, memory in seen.items() if memory is not None}

    return load


def _ways(level: Iterable[Node], seen: set[Pin]) -> dict[Pin, tuple[Reference, ...]]:
    """What a level refers to that was not reached before, each by the first way to it."""
    found: dict[Pin, tuple[Reference, ...]] = {}
    for node in level:
        for each in node.memory.references:
            pin = (each.memory_id, each.revision)
            if pin not in seen:
                found.setdefault(pin, node.path)
    return found


def _by_turn(nodes: Iterable[Node]) -> dict[str, tuple[Node, tuple[Citation, ...]]]:
    """For each version of a turn, by when it was said, the nearest revision that cites it."""
    found: dict[str, tuple[Node, tuple[Citation, ...]]] = {}
    for node in nodes:
        own: dict[str, list[Citation]] = {}
        for citation in node.memory.evidence:
            own.setdefault(_place(citation), []).append(citation)
        for place, citations in own.items():
            found.setdefault(place, (node, tuple(citations)))
    return found


def _quoted(
    deps: Dependencies, account: str, wanted: Sequence[tuple[Node, tuple[Citation, ...]]]
) -> tuple[EvidenceItem, ...]:
    """The first of these with their words: some at a time, until enough of turns was read."""
    items: list[EvidenceItem] = []
    size = 0
    for start in range(0, len(wanted), TURNS_TOGETHER):
        if size > MAX_PAGE_BYTES:
            break
        some = wanted[start : start + TURNS_TOGETHER]
        citations = [each for _, own in some for each in own]
        there = cited_turns.read_cited_turns(deps.table, account, citations, deps.clock())
        size += sum(len(each.turn.content.encode()) for each in there.values() if each.turn)
        items += [_item(node, own, there) for node, own in some]
    return tuple(items)


def _place(citation: Citation) -> str:
    return f"{rfc3339(citation.said_at)}|{citation.turn_id}|{citation.turn_version:06d}"


def _item(
    node: Node, citations: tuple[Citation, ...], there: Mapping[Version, CitedTurn]
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
                text=cited_turns.with_quote(each, there).quote,
            )
            for each in ordered
        ),
        path=node.path,
        source=SourceView(state=there[first.turn_id, first.turn_version].state),
    )


def _pin(memory: Memory) -> Reference:
    return Reference(memory_id=memory.id, revision=memory.revision)
