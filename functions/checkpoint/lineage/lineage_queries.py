"""Reading two lines of a space's checkpoints, to compare, merge or hand them on."""

from functions.checkpoint.lineage import comparison as comparing
from functions.checkpoint.lineage import three_way_merge as merging
from functions.checkpoint.requests import NewMerge
from functions.checkpoint.responses import CommitDraft, Comparison, MergeDraft
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, Invalid
from strandline.models.checkpoint import Checkpoint
from strandline.store.conversations import checkpoints, spaces


def compare(deps: Dependencies, account: str, checkpoint_id: str, other_id: str) -> Comparison:
    """Two checkpoints of a space side by side. Raises NotFound, also for one of another space."""
    a, b = _both(deps, account, checkpoint_id, other_id)
    ancestor = _ancestor(deps, account, a, b)
    found = comparing.compare(a, b)
    return Comparison(
        **{name: getattr(found, name) for name in comparing.LISTS},
        a=checkpoints.lineage_node(a),
        b=checkpoints.lineage_node(b),
        common_ancestor=checkpoints.lineage_node(ancestor) if ancestor else None,
    )


def merge(deps: Dependencies, account: str, checkpoint_id: str, wanted: NewMerge) -> MergeDraft:
    """A draft that puts two lines together, to be committed on the first one's branch.

    Raises NotFound, Invalid for a checkpoint with itself, Conflict when the first isn't the head
    of the branch: a commit there would have another parent than the draft says.
    """
    a, b = _both(deps, account, checkpoint_id, wanted.other)
    if a.id == b.id:
        raise Invalid("A checkpoint is not merged with itself.")
    branch = wanted.branch or a.branch
    head = spaces.get(deps.table, account, a.space_id).heads.get(branch)
    if head != a.id:
        raise Conflict(f"The checkpoint is not the head of the branch {branch}.", head=head)
    ancestor = _ancestor(deps, account, a, b)
    merged = merging.merge(ancestor, a, b)
    content = {name: getattr(merged.content, name) for name in type(merged.content).model_fields}
    return MergeDraft(
        draft=CommitDraft(**content, branch=branch, merge_parent_id=b.id, expected_parent_id=a.id),
        space_id=a.space_id,
        parent_id=a.id,
        common_ancestor_id=ancestor.id if ancestor else None,
        conflicts=merged.conflicts,
        removed=merged.removed,
    )


def line(deps: Dependencies, account: str, checkpoint_id: str, most: int) -> list[Checkpoint]:
    """A checkpoint and its ancestors by first parent, oldest first, at most so many."""
    checkpoint = checkpoints.get(deps.table, account, checkpoint_id)
    return checkpoints.list_ancestors(deps.table, account, checkpoint, most)


def _both(
    deps: Dependencies, account: str, checkpoint_id: str, other_id: str
) -> tuple[Checkpoint, Checkpoint]:
    a = checkpoints.get(deps.table, account, checkpoint_id)
    return a, checkpoints.get_of_space(deps.table, account, a.space_id, other_id)


def _ancestor(deps: Dependencies, account: str, a: Checkpoint, b: Checkpoint) -> Checkpoint | None:
    nodes = checkpoints.list_nodes(deps.table, account, a.space_id)
    found = comparing.common_ancestor(comparing.lineage_of(nodes), a.id, b.id)
    if found is None:
        return None
    return checkpoints.get_of_space(deps.table, account, a.space_id, found)
