"""The fields of a draft that rules made."""

from dataclasses import asdict, dataclass
from typing import Any

from strandline.providers.offline.finding import as_sentence, truncate_at_word

MAX_POINTS = 20
QUOTE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class DraftFields:
    """A draft. Decisions and tasks are objects with their text and its quotes."""

    title: str = ""
    objective: str = ""
    summary: str = ""
    decisions: tuple[dict[str, Any], ...] = ()
    tasks: tuple[dict[str, Any], ...] = ()
    open_questions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()

    def as_reply(self) -> dict[str, Any]:
        """The object that a model would reply with; of each list the first ones."""
        fields = asdict(self)
        return {n: v[:MAX_POINTS] if isinstance(v, tuple) else v for n, v in fields.items()}


def quoted_point(words: str, turn: int) -> dict[str, Any]:
    """A decision or task whose text is its own quote."""
    quote = truncate_at_word(words, QUOTE_CHARACTERS).strip()
    return {"text": as_sentence(quote), "quotes": [{"turn": turn, "quote": quote}]}
