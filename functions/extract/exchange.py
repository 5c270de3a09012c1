"""What one extraction looks at: a user turn, the answer to it, and a little of what went before."""

from dataclasses import dataclass

from strandline.models.turn import Role, Turn


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange. `earlier` is context for pronouns only; it grounds nothing.

    `time_zone` and `language` are the profile's: an IANA name and a BCP 47 tag. `dated` is false
    where the times of its turns are only those of their import.
    """

    user: Turn
    assistant: Turn
    earlier: tuple[Turn, ...] = ()
    time_zone: str = "UTC"
    language: str = "en"
    dated: bool = True

    def turn(self, role: Role) -> Turn:
        """The exchange's turn of that role."""
        return self.user if role is Role.USER else self.assistant
