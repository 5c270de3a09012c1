"""An account's declared context, and how long its content is kept."""

from strandline.models.base import Time, Value


class Profile(Value):
    """What an account says of itself. `language` is a BCP 47 tag, `time_zone` an IANA name.

    Turns are kept for `turn_retention_days` since they were said, memories for
    `memory_retention_days` since their words were last written; null is for ever.
    """

    display_name: str | None = None
    about: str | None = None
    time_zone: str = "UTC"
    language: str = "en"
    turn_retention_days: int | None = None
    memory_retention_days: int | None = None
    created_at: Time | None = None
    updated_at: Time | None = None
