"""LoCoMo (Maharana et al. 2024, snap-research/locomo), read for measuring recall.

The file is CC BY-NC and never part of this project; who has it passes its path.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
"""Category 5 asks for what was never said; there is no evidence to find."""


@dataclass(frozen=True, slots=True)
class Item:
    """A text to remember, the turns it comes from, and the time of its session."""

    text: str
    turns: frozenset[str]
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the turns that answer it."""

    text: str
    evidence: frozenset[str]
    category: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """One of the ten: its turns, its observations, its questions that have evidence."""

    turns: tuple[Item, ...]
    observations: tuple[Item, ...]
    questions: tuple[Question, ...]

    @property
    def ended_at(self) -> datetime:
        """The time of the last session that was held."""
        return max(turn.at for turn in self.turns)


def load(path: Path) -> tuple[Conversation, ...]:
    """The conversations of a locomo10.json. Raises FileNotFoundError."""
    return tuple(_conversation(given) for given in json.loads(path.read_text(encoding="utf-8")))


def turn_ids(evidence: object) -> frozenset[str]:
    """The turn ids in a string or a list of them: "D8:6; D9:17", "D:11:26" and "D30:05" too."""
    listed = evidence if isinstance(evidence, list) else [evidence]
    found = (re.findall(r"D:?(\d+):(\d+)", str(one)) for one in listed)
    return frozenset(f"D{int(session)}:{int(turn)}" for ids in found for session, turn in ids)


def _conversation(given: dict[str, Any]) -> Conversation:
    questions = (
        Question(one["question"], turn_ids(one["evidence"]), one["category"])
        for one in given["qa"]
        if one["category"] in CATEGORIES
    )
    return Conversation(
        turns=tuple(_turns(given["conversation"])),
        observations=tuple(_observations(given["observation"], given["conversation"])),
        questions=tuple(question for question in questions if question.evidence),
    )


def _turns(conversation: dict[str, Any]) -> Iterator[Item]:
    """Each turn as the set's own code renders it: X said, "…" and shared a photo of …."""
    for name, turns in conversation.items():
        if re.fullmatch(r"session_\d+", name):
            at = _time(conversation[f"{name}_date_time"])
            for turn in turns:
                caption = turn.get("blip_caption")
                shared = f" and shared {caption}." if caption else ""
                text = f'{turn["speaker"]} said, "{turn["text"]}"{shared}'
                yield Item(text, turn_ids(turn["dia_id"]), at)


def _observations(observations: dict[str, Any], conversation: dict[str, Any]) -> Iterator[Item]:
    """Each observation as it stands; it names its speaker itself."""
    for name, by_speaker in observations.items():
        session = name.removesuffix("_observation")
        at = _time(conversation[f"{session}_date_time"])
        for facts in by_speaker.values():
            for text, source in facts:
                yield Item(text, turn_ids(source), at)


def _time(text: str) -> datetime:
    """ "1:56 pm on 8 May, 2023"; the set names no zone."""
    return datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
