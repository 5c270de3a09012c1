"""What clients get."""

from functions.checkpoint.imports.transcript_parser import Skipped
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
    """Two checkpoints of a space side by side, and the nearest one that both come from."""

    a: Node
    b: Node
    common_ancestor: Node | None


class CommitDraft(Content):
    """What to commit, as `POST /v1/spaces/{space_id}/checkpoints` takes it."""

    branch: str
    merge_parent_id: str
    expected_parent_id: str


class MergeDraft(Value):
    """A merge for a person to look at and commit: on `parent_id`, the head of the draft's branch.

    Where there is a conflict the draft has what the first checkpoint says.
    """

    draft: CommitDraft
    space_id: str
    parent_id: str
    common_ancestor_id: str | None
    conflicts: tuple[Conflict, ...]
    removed: tuple[Removed, ...]


class ImportedSession(Session):
    """An imported session: how many turns it has, and what of the conversation is none.

    `joined` counts messages that were put to the one before, of the same speaker;
    `times_changed` those whose time went back or lay in the future.
    """

    turns: int
    joined: int
    times_changed: int
    skipped: tuple[Skipped, ...]
    jobs: tuple[str, ...]
