"""The lines of a checkpoint's list as a merge sees them: what became of each on one side."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from functions.checkpoint.lineage.comparison import folded
from strandline.language.content_words import content_stems
from strandline.language.detection import detect_language
from strandline.models.checkpoint import Artifact
from strandline.models.memory import Reference

ALIKE = 0.5
"""The part of two lines' content words they must share to speak of the same thing."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line: what it is compared by, what it says, the words it is about, and what it is of."""

    key: str
    text: str
    words: frozenset[str] = field(compare=False)
    of: Artifact | Reference | str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Lines:
    """A list's lines in order, each once."""

    lines: tuple[Line, ...]

    def __iter__(self) -> Iterator[Line]:
        return iter(self.lines)

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> "Lines":
        """Lines that are compared by their folded wording."""
        return cls(_each_once(Line(folded(text), text, _words(text), text) for text in texts))

    @classmethod
    def of_artifacts(cls, artifacts: Iterable[Artifact]) -> "Lines":
        """Artifacts by name and text; one of the same name is the same artifact reworded."""
        return cls(
            _each_once(
                Line(f"{each.name}\n{each.text}", text, frozenset({each.name}), each)
                for each in artifacts
                for text in [f"{each.name}: {each.text}"]
            )
        )

    @classmethod
    def of_references(cls, references: Iterable[Reference]) -> "Lines":
        """Cited memories by id and revision; another revision is the same memory reworded."""
        return cls(
            _each_once(
                Line(name, name, frozenset({each.memory_id}), each)
                for each in references
                for name in [f"{each.memory_id} {each.revision}"]
            )
        )

    def became(self, side: "Lines") -> dict[str, Line | None]:
        """By this list's keys: the line as that side has it, reworded perhaps; None if removed."""
        there = {line.key: line for line in side}
        found = {line.key: there.get(line.key) for line in self}
        new = [line for line in side if line.key not in found]
        for line in self:
            if found[line.key] is None and (reworded := _nearest(line, new)) is not None:
                found[line.key] = reworded
                new.remove(reworded)
        return found

    def without(self, lines: Iterable[Line | None]) -> list[Line]:
        """The lines but for those."""
        known = {line.key for line in lines if line is not None}
        return [line for line in self if line.key not in known]


def alike(a: Line, b: Line) -> bool:
    """Whether two lines speak of the same thing."""
    return likeness(a.words, b.words) >= ALIKE


def likeness(a: frozenset[str], b: frozenset[str]) -> float:
    """The part of both sets' words that they share (Jaccard's index); nothing is like nothing."""
    return len(a & b) / len(a | b) if a and b else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(content_stems(text, detect_language(text, "en")))


def _nearest(line: Line, others: Sequence[Line]) -> Line | None:
    near = [other for other in others if alike(line, other)]
    return max(near, key=lambda other: likeness(line.words, other.words), default=None)


def _each_once(lines: Iterable[Line]) -> tuple[Line, ...]:
    found: dict[str, Line] = {}
    for line in lines:
        found.setdefault(line.key, line)
    return tuple(found.values())
