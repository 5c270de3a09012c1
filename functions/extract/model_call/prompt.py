"""The messages of the extraction call. Recorded text goes in as JSON, so that it stays data."""

import json
from dataclasses import dataclass

from functions.extract.candidates.relative_dates import local_time
from functions.extract.exchange import Exchange
from functions.extract.model_call.instructions import system_instructions
from functions.extract.model_call.reply_parser import MAX_MEMORIES
from strandline.language.folding import truncate_middle
from strandline.models.turn import Role, Turn
from strandline.providers.base import Message


@dataclass(frozen=True, slots=True)
class PromptLimits:
    """How much goes into the prompt, and how many memories may come out.

    `turn_characters` bounds each turn of the exchange, `earlier_characters` each earlier turn.
    """

    turn_characters: int
    earlier_turns: int
    earlier_characters: int
    memories: int


FULL = PromptLimits(
    turn_characters=12_000, earlier_turns=4, earlier_characters=600, memories=MAX_MEMORIES
)
SMALLER = PromptLimits(turn_characters=4_000, earlier_turns=2, earlier_characters=300, memories=3)
"""For the second attempt, after a reply that was cut off by its length."""


def extraction_messages(exchange: Exchange, limits: PromptLimits = FULL) -> list[Message]:
    """Returns the instructions, and the exchange as one JSON object.

    A text that is too long is cut in its middle.
    """
    now = local_time(exchange.user.created_at, exchange.time_zone)
    data = {
        "now_local": now.isoformat(timespec="minutes"),
        "time_zone": exchange.time_zone,
        "language": exchange.language,
        "earlier": [
            _earlier_turn(turn, limits) for turn in exchange.earlier[-limits.earlier_turns :]
        ],
        "user": _exchange_turn(exchange, Role.USER, limits),
        "assistant": _exchange_turn(exchange, Role.ASSISTANT, limits),
    }
    return [
        Message("system", system_instructions(limits.memories)),
        Message("user", json.dumps(data, ensure_ascii=False)),
    ]


def _exchange_turn(exchange: Exchange, role: Role, limits: PromptLimits) -> dict[str, str]:
    return {
        "turn": role.value,
        "text": truncate_middle(exchange.turn(role).content, limits.turn_characters),
    }


def _earlier_turn(turn: Turn, limits: PromptLimits) -> dict[str, str]:
    return {
        "role": turn.role.value,
        "text": truncate_middle(turn.content, limits.earlier_characters),
    }
