"""References in both directions: from a revision, and to a memory."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from functions.diagnostics import memory_queries
from functions.diagnostics.pinned_cursors import PinnedRevision, RevisionQuery
from functions.diagnostics.responses import ReferencedBy
from strandline.api.paging import Page
from strandline.dependencies import Dependencies
from strandline.memories import visibility
from strandline.models.memory import Reference
from strandline.models.memory_head import Head, Tombstone
from strandline.store.memories import incoming_references, memory_heads
from strandline.store.memories.incoming_references import IncomingReference
from strandline.store.pagination import ListPage, PageRequest

REFERENCES_PER_READ = 99
"""One batch of 100 reads the heads of as many memories, and the profile with them."""
MAX_READS = 8
"""A page that finds little ends after that many reads; its cursor leads on."""


@dataclass(frozen=True, slots=True)
class IncomingQuery:
    """Which references to a memory are wanted.

    With `target_revision`, only those to that revision; with `history`, also those from revisions
    that are no longer current.
    """

    target_revision: int | None = None
    history: bool = False

    def may_match(self, reference: IncomingReference) -> bool:
        """Whether a reference can match, as far as it tells without the referring memory."""
        return self.target_revision is None or self.target_revision in reference.targets

    def matches(self, reference: IncomingReference, source: Head) -> bool:
        """Whether a reference matches; `source` is the referring memory's head."""
        current = reference.revision == source.memory.revision
        return self.may_match(reference) and (self.history or current)


def list_references(
    deps: Dependencies, query: RevisionQuery, pin: PinnedRevision, limit: int
) -> Page[Reference]:
    """Returns a page of a revision's references, in the order they are stored in.

    References to deleted memories are left out; those to expired ones stay.
    """
    references, start = pin.memory.references, int(pin.after or 0)
    deleting = visibility.sessions_being_deleted(deps.table, query.account)
    memory_ids = {reference.memory_id for reference in references}
    found = memory_heads.find_unexpired(deps.table, query.account, memory_ids)
    expired = {
        memory_id
        for memory_id, head in found.items()
        if isinstance(head, Tombstone) and head.expired
    }
    shown = _visible_heads(found, deleting).keys() | expired
    end = start + limit
    items = tuple(each for each in references[start:end] if each.memory_id in shown)
    after = str(end) if end < len(references) else None
    return Page(items=items, cursor=query.next_cursor(pin, after))


def list_referenced_by(
    deps: Dependencies,
    account: str,
    memory_id: str,
    query: IncomingQuery,
    request: PageRequest,
) -> ListPage[ReferencedBy]:
    """Returns a page of the revisions that refer to a memory, ordered by referring memory.

    Raises NotFound, ContentDeleted.
    """
    memory_queries.get_head(deps, account, memory_id)
    after = request.after
    deleting = visibility.sessions_being_deleted(deps.table, account)
    items: list[ReferencedBy] = []
    for _ in range(MAX_READS):
        batch = PageRequest(REFERENCES_PER_READ, after)
        found = incoming_references.page(deps.table, account, memory_id, batch)
        sources = {each.source for each in found.items if query.may_match(each)}
        heads = readable_heads(deps, account, sources, deleting)
        for reference in found.items:
            head = heads.get(reference.source)
            if head is not None and query.matches(reference, head):
                if len(items) == request.limit:
                    return ListPage(tuple(items), after)
                items.append(_referenced_by(reference, head))
            after = incoming_references.list_position(reference)
        after = found.after
        if after is None:
            break
    return ListPage(tuple(items), after)


def readable_heads(
    deps: Dependencies, account: str, memory_ids: Collection[str], deleting: frozenset[str]
) -> Mapping[str, Head]:
    """Returns by id the heads of those memories that may be read.

    `deleting` are the sessions being deleted; citations of them are left out.
    """
    if not memory_ids:
        return {}
    found = memory_heads.find_unexpired(deps.table, account, memory_ids)
    return _visible_heads(found, deleting)


def _visible_heads(
    found: Mapping[str, Head | Tombstone], deleting: frozenset[str]
) -> Mapping[str, Head]:
    visible = (
        visibility.visible_head(head, deleting)
        for head in memory_heads.readable_heads(found).values()
    )
    return {head.memory.id: head for head in visible if head is not None}


def _referenced_by(reference: IncomingReference, source: Head) -> ReferencedBy:
    return ReferencedBy(
        memory_id=reference.source,
        revision=reference.revision,
        current=reference.revision == source.memory.revision,
        target_revisions=reference.targets,
    )
