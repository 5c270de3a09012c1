"""Messages as services want them that keep the system text apart and the speakers in turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from strandline.providers.base import Message

OMITTED_START = "(The earlier part of this conversation is left out.)"
"""Stands for the user before an assistant who would speak first: no service takes that."""


@dataclass(frozen=True, slots=True)
class SpeakerTurn:
    """What one speaker said before the other did, text by text."""

    role: Literal["user", "assistant"]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlternatingConversation:
    """The system text, which may be empty, and speakers who alternate; the user is the first."""

    system: str
    said: tuple[SpeakerTurn, ...]


def alternate_speakers(messages: Sequence[Message]) -> AlternatingConversation:
    """`messages` in that form, every text as it is. Blank ones, which services refuse, are out."""
    spoken = [message for message in messages if message.content.strip()]
    system = "\n\n".join(message.content for message in spoken if message.role == "system")
    said = [
        SpeakerTurn(role, tuple(message.content for message in group))
        for role, group in groupby(spoken, key=lambda message: message.role)
        if role != "system"
    ]
    return AlternatingConversation(system, tuple(_user_first(_in_turn(said))))


def _in_turn(said: Sequence[SpeakerTurn]) -> list[SpeakerTurn]:
    """Neighbours of one role, whom a system message stood between, as one."""
    merged: list[SpeakerTurn] = []
    for one in said:
        if merged and merged[-1].role == one.role:
            merged[-1] = SpeakerTurn(one.role, (*merged[-1].texts, *one.texts))
        else:
            merged.append(one)
    return merged


def _user_first(said: list[SpeakerTurn]) -> list[SpeakerTurn]:
    if said and said[0].role == "assistant":
        return [SpeakerTurn("user", (OMITTED_START,)), *said]
    return said
