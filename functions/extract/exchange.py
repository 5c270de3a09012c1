"""One exchange of a session: a user turn, its answer, and a few turns before it."""

from dataclasses import dataclass

from strandline.models.turn import Role, Turn


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a memory can be learned from, as the model and the verification see it.

    Only `user` and `assistant` can ground a memory; `earlier` (oldest first) resolves pronouns.
    `time_zone` (IANA name) and `language` (BCP 47 tag) come from the profile. `dated` is false
    where the turns have no time of their own but that of their import.
    """

    user: Turn
    assistant: Turn
    earlier: tuple[Turn, ...] = ()
    time_zone: str = "UTC"
    language: str = "en"
    dated: bool = True

    def turn(self, role: Role) -> Turn:
        """Returns the exchange's turn of that role."""
        return self.user if role is Role.USER else self.assistant
