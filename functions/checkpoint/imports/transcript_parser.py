"""Conversations as pasted text: who said what, with every word kept. Pure, and never raising.

A turn begins at a line with a speaker and a colon ("User:", "**Claude**:", "ChatGPT said:"), or at
a Markdown heading that is a speaker ("## Assistant"); it goes on to the next such line. Inside a
fenced block of code no turn begins.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from strandline.models.base import Value
from strandline.models.turn import Role

_SPEAKERS = {
    **dict.fromkeys(("user", "human", "you", "me"), Role.USER),
    **dict.fromkeys(
        ("assistant", "ai", "chatgpt", "gpt", "claude", "gemini", "copilot", "bot", "model"),
        Role.ASSISTANT,
    ),
}
_ASIDE = ("system", "developer", "tool", "function")
_NAME = "|".join((*_SPEAKERS, *_ASIDE))
_SPEAKING = re.compile(
    rf"""[ \t]* (?: (?P<heading>\#{{1,6}})[ \t]+ )? (?P<mark>\*{{1,3}}|_{{1,3}})?
    (?P<name>{_NAME}) (?:[ ]said)?
    (?: (?(mark)(?P=mark))[ \t]*[:：]
      | [ \t]*[:：](?(mark)(?P=mark))
      | (?(heading)(?(mark)(?P=mark))[ \t]*$|(?!)) )
    [ \t]*(?P<rest>.*)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_FENCE = re.compile(r"[ \t]*(```|~~~)")


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a conversation; when and by which model, where that is known."""

    role: Role
    content: str
    at: datetime | None = None
    model: str | None = None


class Skipped(Value):
    """Something of a conversation that becomes no turn, and why."""

    reason: str
    role: str | None = None
    content: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation as it was read."""

    said: tuple[Said, ...]
    skipped: tuple[Skipped, ...] = ()
    title: str | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A speaker (empty before the first) and what stands under it."""

    name: str
    content: str


def of_text(text: str) -> Transcript:
    """The turns of a pasted transcript; what stands before the first speaker is skipped."""
    said: list[Said] = []
    skipped: list[Skipped] = []
    for piece in _pieces(text):
        role = _SPEAKERS.get(piece.name)
        if not piece.content.strip():
            if piece.name:
                skipped.append(Skipped(reason="empty", role=piece.name))
        elif role is not None:
            said.append(Said(role, piece.content))
        else:
            reason = f"not a turn: {piece.name}" if piece.name else "before the first speaker"
            skipped.append(Skipped(reason=reason, role=piece.name or None, content=piece.content))
    return Transcript(tuple(said), tuple(skipped))


def _pieces(text: str) -> Iterator[_Piece]:
    name, lines = "", list[str]()
    all_lines = text.replace("\r\n", "\n").split("\n")
    for line, inside in zip(all_lines, _in_fence(all_lines), strict=True):
        speaking = None if inside else _SPEAKING.fullmatch(line)
        if speaking is None:
            lines.append(line)
            continue
        yield _Piece(name, _trimmed(lines))
        name, lines = speaking["name"].lower(), [speaking["rest"]]
    yield _Piece(name, _trimmed(lines))


def _trimmed(lines: Sequence[str]) -> str:
    """The lines without the blank ones at either end; inside, nothing is touched."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def _in_fence(lines: Sequence[str]) -> list[bool]:
    """Which lines stand inside a fenced block; a fence that nothing closes opens none."""
    inside = [False] * len(lines)
    opened, mark = -1, ""
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened < 0:
            opened, mark = number, fence[1]
        elif fence[1] == mark:
            inside[opened : number + 1] = [True] * (number + 1 - opened)
            opened = -1
    return inside
