"""The profile of an account: what it says of itself, and how long its content is kept."""

from strandline.models.base import Time, Value


class Profile(Value):
    """An account's profile. `language` is a BCP 47 tag, `time_zone` an IANA name.

    Turns are kept for `turn_retention_days` after they were said, and memories for
    `memory_retention_days` after their words were last written; null means for ever.
    """

    display_name: str | None = None
    about: str | None = None
    time_zone: str = "UTC"
    language: str = "en"
    turn_retention_days: int | None = None
    memory_retention_days: int | None = None
    created_at: Time | None = None
    updated_at: Time | None = None
