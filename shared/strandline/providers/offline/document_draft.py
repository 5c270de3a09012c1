"""A Markdown document's draft by rules, from its headings and the lines under them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from strandline.language.data import loader
from strandline.language.words import split_words
from strandline.providers.offline.draft_fields import DraftFields, quoted_point
from strandline.providers.offline.finding import TITLE_CHARACTERS, as_sentence, truncate_at_word
from strandline.providers.offline.names_and_titles import find_names

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
class _DocumentReader:
    """The content of the lines so far, by section."""

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

    def start_section(self, depth: int, text: str) -> None:
        """Starts the section that the heading names."""
        self.section = _section_named(text)
        if not self.title and not self.section and depth <= 2:
            self.title = truncate_at_word(text, TITLE_CHARACTERS)

    def add_entry(self, section: str, text: str) -> None:
        """Adds a bullet or a labelled line to that section; one without a word is ignored."""
        if not split_words(text):
            return
        if section in self.points:
            self.points[section].append(quoted_point(text, DOCUMENT))
        elif section in self.lines:
            self.lines[section].append(truncate_at_word(text, _LINE_CHARACTERS))
        elif section in self.prose:
            self.prose[section].append(text)


def draft_document(document: str) -> DraftFields:
    """Returns the document's draft. Code blocks are ignored."""
    reader = _DocumentReader()
    for line in _lines_outside_code(document):
        _read_line(reader, line)
    prose = {name: " ".join(texts) for name, texts in reader.prose.items()}
    return DraftFields(
        title=reader.title or truncate_at_word(prose["summary"] or prose[""], TITLE_CHARACTERS),
        objective=truncate_at_word(prose["objective"], _LINE_CHARACTERS),
        summary=truncate_at_word(prose["summary"] or prose[""], _PROSE_CHARACTERS),
        decisions=tuple(reader.points["decisions"]),
        tasks=tuple(reader.points["tasks"]),
        open_questions=tuple(map(as_sentence, reader.lines["open_questions"])),
        entities=tuple(reader.lines["entities"] or find_names(_body_lines(document))),
        assumptions=tuple(map(as_sentence, reader.lines["assumptions"])),
    )


def _read_line(reader: _DocumentReader, line: str) -> None:
    if heading := _HEADING.match(line):
        reader.start_section(len(heading[1] or "##"), (heading[2] or heading[3] or "").strip())
    elif bullet := _BULLET.match(line):
        labelled = _patterns().label.match(bullet["text"])
        if bullet["box"]:
            # A box is a task wherever it stands; a ticked one is done.
            if bullet["box"] == " ":
                reader.add_entry("tasks", bullet["text"])
        elif labelled:
            reader.add_entry(_section_named(labelled["label"]), labelled["text"])
        else:
            reader.add_entry(reader.section, bullet["text"])
    elif labelled := _patterns().label.match(line):
        reader.add_entry(_section_named(labelled["label"]), labelled["text"])
    elif line.strip() and reader.section in reader.prose:
        reader.add_entry(reader.section, line.strip())


def _section_named(label: str) -> str:
    return next((name for name, known in _patterns().sections if known.search(label)), "")


def _body_lines(document: str) -> list[str]:
    return [line for line in _lines_outside_code(document) if not _HEADING.match(line)]


def _lines_outside_code(document: str) -> Iterator[str]:
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
