"""What the model is asked about an exchange. Recorded words go in as JSON, and so stay data."""

import json
from dataclasses import dataclass

from functions.extract.dates import local_time
from functions.extract.exchange import Exchange
from functions.extract.instructions import instructions
from functions.extract.parse import MAX_MEMORIES
from strandline.models.turn import Role, Turn
from strandline.providers.base import Message
from strandline.text.folding import shortened


@dataclass(frozen=True, slots=True)
class Size:
    """How much goes in, in characters and turns, and how many memories may come out."""

    text: int
    earlier_turns: int
    earlier_text: int
    memories: int


FULL = Size(text=12_000, earlier_turns=4, earlier_text=600, memories=MAX_MEMORIES)
SMALLER = Size(text=4_000, earlier_turns=2, earlier_text=300, memories=3)
"""For another try after a reply that was cut off by its length."""


def messages(exchange: Exchange, size: Size = FULL) -> list[Message]:
    """The instructions, and the exchange as one JSON object; what is too long is cut inside."""
    now = local_time(exchange.user.created_at, exchange.time_zone)
    data = {
        "now_local": now.isoformat(timespec="minutes"),
        "time_zone": exchange.time_zone,
        "language": exchange.language,
        "earlier": [_earlier(turn, size) for turn in exchange.earlier[-size.earlier_turns :]],
        "user": _turn(exchange, Role.USER, size),
        "assistant": _turn(exchange, Role.ASSISTANT, size),
    }
    return [
        Message("system", instructions(size.memories)),
        Message("user", json.dumps(data, ensure_ascii=False)),
    ]


def _turn(exchange: Exchange, role: Role, size: Size) -> dict[str, str]:
    return {"turn": role.value, "text": shortened(exchange.turn(role).content, size.text)}


def _earlier(turn: Turn, size: Size) -> dict[str, str]:
    return {"role": turn.role.value, "text": shortened(turn.content, size.earlier_text)}
