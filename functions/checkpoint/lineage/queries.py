"""Reads a space's checkpoints: its graph, sources, comparisons, merge drafts and ancestors."""

from functions.checkpoint.lineage import comparison, three_way_merge
from functions.checkpoint.requests import NewMerge
from functions.checkpoint.responses import CommitDraft, Comparison, Lineage, MergeDraft
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, Invalid, NotFound
from strandline.models.checkpoint import Checkpoint
from strandline.models.turn import Turn
from strandline.store.conversations import checkpoints, sessions, spaces, turn_queries
from strandline.store.conversations.turn_queries import TurnRange
from strandline.store.pagination import ListPage, PageRequest


def space_lineage(deps: Dependencies, account: str, space_id: str) -> Lineage:
    """Returns the graph of a space's checkpoints and its branch heads. Raises NotFound."""
    space = spaces.get(deps.table, account, space_id)
    nodes = tuple(checkpoints.list_nodes(deps.table, account, space_id))
    return Lineage(nodes=nodes, heads=space.heads)


def source_turns(
    deps: Dependencies, account: str, checkpoint_id: str, request: PageRequest
) -> ListPage[Turn]:
    """Returns a page of the turns a checkpoint covers, as far as they still exist.

    Raises NotFound for a missing checkpoint.
    """
    source = checkpoints.get(deps.table, account, checkpoint_id).source
    if source is None:
        return ListPage((), None)
    try:
        sessions.get(deps.table, account, source.session_id)
    except NotFound:
        return ListPage((), None)
    covered = TurnRange(source.session_id, source.from_sequence, source.to_sequence)
    return turn_queries.page(deps.table, account, covered, request, deps.clock())


def compare_checkpoints(
    deps: Dependencies, account: str, checkpoint_id: str, other_id: str
) -> Comparison:
    """Compares two checkpoints of a space. Raises NotFound, also for one of another space."""
    a, b = _both_of_space(deps, account, checkpoint_id, other_id)
    ancestor = _common_ancestor(deps, account, a, b)
    differences = comparison.compare_contents(a, b)
    return Comparison(
        **{name: getattr(differences, name) for name in comparison.LINE_FIELDS},
        a=checkpoints.lineage_node(a),
        b=checkpoints.lineage_node(b),
        common_ancestor=checkpoints.lineage_node(ancestor) if ancestor else None,
    )


def draft_merge(
    deps: Dependencies, account: str, checkpoint_id: str, request: NewMerge
) -> MergeDraft:
    """Returns a draft that merges another checkpoint into this one; nothing is stored.

    Raises NotFound, Invalid for a checkpoint with itself, Conflict when this one isn't the head of
    the branch: a commit there would have another parent than the draft says.
    """
    a, b = _both_of_space(deps, account, checkpoint_id, request.other)
    if a.id == b.id:
        raise Invalid("A checkpoint is not merged with itself.")
    branch = request.branch or a.branch
    head = spaces.get(deps.table, account, a.space_id).heads.get(branch)
    if head != a.id:
        raise Conflict(f"The checkpoint is not the head of the branch {branch}.", head=head)
    ancestor = _common_ancestor(deps, account, a, b)
    merged = three_way_merge.merge_contents(ancestor, a, b)
    content = {name: getattr(merged.content, name) for name in type(merged.content).model_fields}
    return MergeDraft(
        draft=CommitDraft(**content, branch=branch, merge_parent_id=b.id, expected_parent_id=a.id),
        space_id=a.space_id,
        parent_id=a.id,
        common_ancestor_id=ancestor.id if ancestor else None,
        conflicts=merged.conflicts,
        removed=merged.removed,
    )


def with_ancestors(
    deps: Dependencies, account: str, checkpoint_id: str, limit: int
) -> list[Checkpoint]:
    """Returns a checkpoint and its ancestors by first parent: oldest first, at most `limit`.

    Raises NotFound.
    """
    checkpoint = checkpoints.get(deps.table, account, checkpoint_id)
    return checkpoints.list_ancestors(deps.table, account, checkpoint, limit)


def _both_of_space(
    deps: Dependencies, account: str, checkpoint_id: str, other_id: str
) -> tuple[Checkpoint, Checkpoint]:
    a = checkpoints.get(deps.table, account, checkpoint_id)
    return a, checkpoints.get_of_space(deps.table, account, a.space_id, other_id)


def _common_ancestor(
    deps: Dependencies, account: str, a: Checkpoint, b: Checkpoint
) -> Checkpoint | None:
    nodes = checkpoints.list_nodes(deps.table, account, a.space_id)
    found = comparison.common_ancestor(comparison.parents_by_id(nodes), a.id, b.id)
    if found is None:
        return None
    return checkpoints.get_of_space(deps.table, account, a.space_id, found)
