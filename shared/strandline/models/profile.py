"""An account's declared context."""

from strandline.models.base import Time, Value


class Profile(Value):
    """What an account says of itself. `language` is a BCP 47 tag, `time_zone` an IANA name."""

    display_name: str | None = None
    about: str | None = None
    time_zone: str = "UTC"
    language: str = "en"
    created_at: Time | None = None
    updated_at: Time | None = None
