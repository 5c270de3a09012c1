"""The response bodies of the mount function's routes."""

from functions.checkpoint.imports.transcript import Skipped
from functions.checkpoint.lineage.comparison import Differences
from functions.checkpoint.lineage.three_way_merge import Conflict, Removed
from strandline.models.base import Value
from strandline.models.checkpoint import Content, Node
from strandline.models.session import Session


class Lineage(Value):
    """A space's checkpoints with their parents, oldest first, and each branch's head."""

    nodes: tuple[Node, ...]
    heads: dict[str, str]


class Comparison(Differences):
    """The comparison of two checkpoints of a space, and their nearest common ancestor."""

    a: Node
    b: Node
    common_ancestor: Node | None


class CommitDraft(Content):
    """A checkpoint to commit, as `POST /v1/spaces/{space_id}/checkpoints` takes it."""

    branch: str
    merge_parent_id: str
    expected_parent_id: str


class MergeDraft(Value):
    """A merge for a person to review and commit on `parent_id`, the head of the draft's branch.

    At a conflict the draft has what the first checkpoint says.
    """

    draft: CommitDraft
    space_id: str
    parent_id: str
    common_ancestor_id: str | None
    conflicts: tuple[Conflict, ...]
    removed: tuple[Removed, ...]


class ImportedSession(Session):
    """An imported session: the number of its turns, and what was skipped of the conversation.

    `joined` counts messages joined to the one before them, of the same speaker. `times_changed`
    counts messages whose time was before the previous one's or in the future.
    """

    turns: int
    joined: int
    times_changed: int
    skipped: tuple[Skipped, ...]
    jobs: tuple[str, ...]
