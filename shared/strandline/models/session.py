"""A session: one chat, in at most one space."""

from strandline.models.base import Time, Value


class Session(Value):
    """A chat. `last_sequence_number` is the highest number handed out so far, 0 when empty."""

    id: str
    title: str | None = None
    space_id: str | None = None
    provider: str | None = None
    model: str | None = None
    last_sequence_number: int = 0
    created_at: Time
    updated_at: Time
