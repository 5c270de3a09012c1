"""A Markdown document's draft by rules: its headings say what the lines under them are."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from strandline.language.data import loader
from strandline.language.words import split_words
from strandline.providers.offline.draft_fields import DraftFields, quoted_point
from strandline.providers.offline.finding import TITLE_CHARACTERS, sentence, shortened
from strandline.providers.offline.names_and_titles import names

DOCUMENT = 0
"""The number that a document has among the turns that can be quoted."""

_LINE_CHARACTERS = 300
_PROSE_CHARACTERS = 1_000
_HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$|^\s*\*\*(.+?):?\*\*:?\s*$")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[(?P<box>[ xX])\]\s+)?(?P<text>\S.*?)\s*$")
_SECTIONS = (
    "open_questions", "decisions", "tasks", "assumptions", "entities", "objective", "summary",
)  # fmt: skip
"""What a heading can announce; the first one that it names counts."""

_FENCE = re.compile(r"^\s*(?:```|~~~)")


@dataclass
class _Reading:
    """What the lines so far came to; filled line by line."""

    title: str = ""
    section: str = ""
    points: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"decisions": [], "tasks": []}
    )
    lines: dict[str, list[str]] = field(
        default_factory=lambda: {"open_questions": [], "assumptions": [], "entities": []}
    )
    prose: dict[str, list[str]] = field(
        default_factory=lambda: {"objective": [], "summary": [], "": []}
    )

    def heading(self, depth: int, text: str) -> None:
        """What comes next stands under this."""
        self.section = _section_of(text)
        if not self.title and not self.section and depth <= 2:
            self.title = shortened(text, TITLE_CHARACTERS)

    def entry(self, section: str, text: str) -> None:
        """A bullet, or a line that says itself what it is; without a word it says nothing."""
        if not split_words(text):
            return
        if section in self.points:
            self.points[section].append(quoted_point(text, DOCUMENT))
        elif section in self.lines:
            self.lines[section].append(shortened(text, _LINE_CHARACTERS))
        elif section in self.prose:
            self.prose[section].append(text)


def of_document(document: str) -> DraftFields:
    """The document's draft. What stands in code blocks says nothing."""
    reading = _Reading()
    for line in _outside_of_code(document):
        _read(reading, line)
    prose = {name: " ".join(texts) for name, texts in reading.prose.items()}
    return DraftFields(
        title=reading.title or shortened(prose["summary"] or prose[""], TITLE_CHARACTERS),
        objective=shortened(prose["objective"], _LINE_CHARACTERS),
        summary=shortened(prose["summary"] or prose[""], _PROSE_CHARACTERS),
        decisions=tuple(reading.points["decisions"]),
        tasks=tuple(reading.points["tasks"]),
        open_questions=tuple(map(sentence, reading.lines["open_questions"])),
        entities=tuple(reading.lines["entities"] or names(_under_headings(document))),
        assumptions=tuple(map(sentence, reading.lines["assumptions"])),
    )


def _read(reading: _Reading, line: str) -> None:
    if heading := _HEADING.match(line):
        reading.heading(len(heading[1] or "##"), (heading[2] or heading[3] or "").strip())
    elif bullet := _BULLET.match(line):
        labelled = _patterns().label.match(bullet["text"])
        if bullet["box"]:
            # A box is a task wherever it stands; a ticked one is done.
            if bullet["box"] == " ":
                reading.entry("tasks", bullet["text"])
        elif labelled:
            reading.entry(_section_of(labelled["label"]), labelled["text"])
        else:
            reading.entry(reading.section, bullet["text"])
    elif labelled := _patterns().label.match(line):
        reading.entry(_section_of(labelled["label"]), labelled["text"])
    elif line.strip() and reading.section in reading.prose:
        reading.entry(reading.section, line.strip())


def _section_of(label: str) -> str:
    return next((name for name, known in _patterns().sections if known.search(label)), "")


def _under_headings(document: str) -> list[str]:
    return [line for line in _outside_of_code(document) if not _HEADING.match(line)]


def _outside_of_code(document: str) -> Iterator[str]:
    inside = False
    for line in document.splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            yield line


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What headings announce, and lines that begin with a label ("Decision: …")."""

    sections: tuple[tuple[str, re.Pattern[str]], ...]
    label: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    label = rf"(?P<label>{_headings('labels')})"
    return _Patterns(
        sections=tuple((name, re.compile(_headings(name), re.IGNORECASE)) for name in _SECTIONS),
        label=re.compile(rf"^\W*{label}\W*:\**\s+(?P<text>\S.*?)\s*$", re.IGNORECASE),
    )


def _headings(name: str) -> str:
    """The pattern of that name in the section `offline.documents`, over all languages."""
    return loader.alternatives(lambda each: getattr(each.offline.documents, name))
