"""What the model is asked about an exchange. Recorded words go in as JSON, and so stay data."""

import json
from dataclasses import dataclass

from functions.extract.candidates.relative_dates import local_time
from functions.extract.exchange import Exchange
from functions.extract.model_call.instructions import instructions
from functions.extract.model_call.reply_parser import MAX_MEMORIES
from strandline.language.folding import truncate_middle
from strandline.models.turn import Role, Turn
from strandline.providers.base import Message


@dataclass(frozen=True, slots=True)
class PromptLimits:
    """How much goes in, in characters and turns, and how many memories may come out."""

    text: int
    earlier_turns: int
    earlier_text: int
    memories: int


FULL = PromptLimits(text=12_000, earlier_turns=4, earlier_text=600, memories=MAX_MEMORIES)
SMALLER = PromptLimits(text=4_000, earlier_turns=2, earlier_text=300, memories=3)
"""For another try after a reply that was cut off by its length."""


def extraction_messages(exchange: Exchange, size: PromptLimits = FULL) -> list[Message]:
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


def _turn(exchange: Exchange, role: Role, size: PromptLimits) -> dict[str, str]:
    return {"turn": role.value, "text": truncate_middle(exchange.turn(role).content, size.text)}


def _earlier(turn: Turn, size: PromptLimits) -> dict[str, str]:
    return {"role": turn.role.value, "text": truncate_middle(turn.content, size.earlier_text)}
