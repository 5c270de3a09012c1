"""Reads a conversation pasted as text. Pure; never raises.

A turn begins at a line with a speaker and a colon ("User:", "**Claude**:", "ChatGPT said:"), or at
a Markdown heading that names a speaker ("## Assistant"). It ends before the next such line. No
turn begins inside a fenced code block.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from functions.checkpoint.imports.transcript import ImportedMessage, Skipped, Transcript
from strandline.models.turn import Role

_SPEAKERS = {
    **dict.fromkeys(("user", "human", "you", "me"), Role.USER),
    **dict.fromkeys(
        ("assistant", "ai", "chatgpt", "gpt", "claude", "gemini", "copilot", "bot", "model"),
        Role.ASSISTANT,
    ),
}
_NON_TURN_SPEAKERS = ("system", "developer", "tool", "function")
_SPEAKER_NAMES = "|".join((*_SPEAKERS, *_NON_TURN_SPEAKERS))
_SPEAKER_LINE = re.compile(
    rf"""[ \t]* (?: (?P<heading>\#{{1,6}})[ \t]+ )? (?P<mark>\*{{1,3}}|_{{1,3}})?
    (?P<name>{_SPEAKER_NAMES}) (?:[ ]said)?
    (?: (?(mark)(?P=mark))[ \t]*[:：]
      | [ \t]*[:：](?(mark)(?P=mark))
      | (?(heading)(?(mark)(?P=mark))[ \t]*$|(?!)) )
    [ \t]*(?P<rest>.*)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_FENCE = re.compile(r"[ \t]*(```|~~~)")


@dataclass(frozen=True, slots=True)
class _SpeakerBlock:
    """A speaker's name (empty before the first speaker) and the text below it."""

    speaker: str
    content: str


def parse_text_transcript(text: str) -> Transcript:
    """Returns the transcript of a pasted conversation, with every word kept or skipped.

    Text before the first speaker and text of other speakers is skipped with a reason.
    """
    messages: list[ImportedMessage] = []
    skipped: list[Skipped] = []
    for block in _speaker_blocks(text):
        role = _SPEAKERS.get(block.speaker)
        if not block.content.strip():
            if block.speaker:
                skipped.append(Skipped(reason="empty", role=block.speaker))
        elif role is not None:
            messages.append(ImportedMessage(role, block.content))
        else:
            reason = f"not a turn: {block.speaker}" if block.speaker else "before the first speaker"
            skipped.append(
                Skipped(reason=reason, role=block.speaker or None, content=block.content)
            )
    return Transcript(tuple(messages), tuple(skipped))


def _speaker_blocks(text: str) -> Iterator[_SpeakerBlock]:
    speaker, lines = "", list[str]()
    all_lines = text.replace("\r\n", "\n").split("\n")
    for line, inside in zip(all_lines, _lines_in_fence(all_lines), strict=True):
        match = None if inside else _SPEAKER_LINE.fullmatch(line)
        if match is None:
            lines.append(line)
            continue
        yield _SpeakerBlock(speaker, _trim_blank_lines(lines))
        speaker, lines = match["name"].lower(), [match["rest"]]
    yield _SpeakerBlock(speaker, _trim_blank_lines(lines))


def _trim_blank_lines(lines: Sequence[str]) -> str:
    """Returns the lines as one text, without blank lines at either end."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def _lines_in_fence(lines: Sequence[str]) -> list[bool]:
    """Returns for each line whether it is in a fenced block; an unclosed fence opens none."""
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
