"""Messages for services that want a separate system text and strictly alternating speakers."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from strandline.providers.base import Message

OMITTED_START = "(The earlier part of this conversation is left out.)"
"""The user turn that is put before an assistant's first turn: services want the user first."""


@dataclass(frozen=True, slots=True)
class SpeakerTurn:
    """Consecutive messages of one speaker, as a list of texts."""

    role: Literal["user", "assistant"]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlternatingConversation:
    """The system text, which may be empty, and turns of alternating speakers, the user first."""

    system: str
    turns: tuple[SpeakerTurn, ...]


def alternate_speakers(messages: Sequence[Message]) -> AlternatingConversation:
    """Returns `messages` in that form, their texts unchanged.

    Blank messages are left out, because services refuse them.
    """
    filled = [message for message in messages if message.content.strip()]
    system = "\n\n".join(message.content for message in filled if message.role == "system")
    turns = [
        SpeakerTurn(role, tuple(message.content for message in group))
        for role, group in groupby(filled, key=lambda message: message.role)
        if role != "system"
    ]
    return AlternatingConversation(system, tuple(_user_first(_merge_same_speaker(turns))))


def _merge_same_speaker(turns: Sequence[SpeakerTurn]) -> list[SpeakerTurn]:
    """Merges neighbours of one role, which a system message stood between."""
    merged: list[SpeakerTurn] = []
    for turn in turns:
        if merged and merged[-1].role == turn.role:
            merged[-1] = SpeakerTurn(turn.role, (*merged[-1].texts, *turn.texts))
        else:
            merged.append(turn)
    return merged


def _user_first(turns: list[SpeakerTurn]) -> list[SpeakerTurn]:
    if turns and turns[0].role == "assistant":
        return [SpeakerTurn("user", (OMITTED_START,)), *turns]
    return turns
