"""A session: one chat, in at most one space."""

from typing import Literal

from strandline.models.base import Time, Value
from strandline.models.checkpoint import MAIN


class Mount(Value):
    """A mounted checkpoint, and the last number that was handed out before it was mounted."""

    checkpoint_id: str
    history_base_seq: int


class Session(Value):
    """A chat. `last_sequence_number` is the highest number handed out so far, 0 when empty.

    `branch` is where its checkpoints are committed; `seeded_checkpoint_id` names the checkpoint
    a forked session began from. `title_source` says who gave the title, `title_state` whether one
    was made: "tried" when the one try came, or has come so far, to nothing; `title_reason` says
    why.
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
