"""Sessions: chats, each in at most one space."""

from typing import Literal

from strandline.models.base import Time, Value
from strandline.models.checkpoint import MAIN


class Mount(Value):
    """A mounted checkpoint, and the session's last sequence number when it was mounted."""

    checkpoint_id: str
    history_base_seq: int


class Session(Value):
    """A chat. `last_sequence_number` is the highest sequence number assigned so far, 0 if none.

    `branch` is the branch its checkpoints are committed to. `seeded_checkpoint_id` is the
    checkpoint that a forked session began from. `title_source` says who gave the title.
    `title_state` says whether a title was generated: "made", or "tried" if the attempt gave none
    so far, for the reason in `title_reason`.
    """

    id: str
    title: str | None = None
    title_source: Literal["user", "generated"] | None = None
    title_state: Literal["tried", "made"] | None = None
    title_reason: str | None = None
    space_id: str | None = None
    provider: str | None = None
    model: str | None = None
    branch: str = MAIN
    seeded_checkpoint_id: str | None = None
    mount: Mount | None = None
    last_sequence_number: int = 0
    created_at: Time
    updated_at: Time
