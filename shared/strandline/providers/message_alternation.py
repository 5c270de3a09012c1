"""Messages as services want them that keep the system text apart and the speakers in turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from strandline.providers.base import Message

LEFT_OUT = "(The earlier part of this conversation is left out.)"
"""Stands for the user before an assistant who would speak first: no service takes that."""


@dataclass(frozen=True, slots=True)
class Said:
    """What one speaker said before the other did, text by text."""

    role: Literal["user", "assistant"]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The system text, which may be empty, and speakers who alternate; the user is the first."""

    system: str
    said: tuple[Said, ...]


def conversation(messages: Sequence[Message]) -> Conversation:
    """`messages` in that form, every text as it is. Blank ones, which services refuse, are out."""
    spoken = [message for message in messages if message.content.strip()]
    system = "\n\n".join(message.content for message in spoken if message.role == "system")
    said = [
        Said(role, tuple(message.content for message in group))
        for role, group in groupby(spoken, key=lambda message: message.role)
        if role != "system"
    ]
    return Conversation(system, tuple(_user_first(_in_turn(said))))


def _in_turn(said: Sequence[Said]) -> list[Said]:
    """Neighbours of one role, whom a system message stood between, as one."""
    merged: list[Said] = []
    for one in said:
        if merged and merged[-1].role == one.role:
            merged[-1] = Said(one.role, (*merged[-1].texts, *one.texts))
        else:
            merged.append(one)
    return merged


def _user_first(said: list[Said]) -> list[Said]:
    if said and said[0].role == "assistant":
        return [Said("user", (LEFT_OUT,)), *said]
    return said
