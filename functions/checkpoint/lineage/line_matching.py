"""Matches the lines of two versions of a checkpoint's list, also the reworded ones. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from functions.checkpoint.lineage.comparison import fold_line
from strandline.language.content_words import content_stems
from strandline.language.detection import detect_language
from strandline.models.checkpoint import Artifact
from strandline.models.memory import Reference

SIMILAR_SHARE = 0.5
"""Share of their content words that two lines must have in common to be about the same thing."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a list.

    Lines with the same `key` are equal. `words` tell what the line is about; `source` is the value
    in the checkpoint.
    """

    key: str
    text: str
    words: frozenset[str] = field(compare=False)
    source: Artifact | Reference | str = field(compare=False)


@dataclass(frozen=True, slots=True)
class LineList:
    """A list's distinct lines in order."""

    lines: tuple[Line, ...]

    def __iter__(self) -> Iterator[Line]:
        return iter(self.lines)

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> "LineList":
        """Returns texts as lines; their key is the folded wording."""
        return cls(
            _unique_lines(Line(fold_line(text), text, content_words(text), text) for text in texts)
        )

    @classmethod
    def of_artifacts(cls, artifacts: Iterable[Artifact]) -> "LineList":
        """Returns artifacts as lines; one of the same name is the same artifact reworded."""
        return cls(
            _unique_lines(
                Line(f"{each.name}\n{each.text}", text, frozenset({each.name}), each)
                for each in artifacts
                for text in [f"{each.name}: {each.text}"]
            )
        )

    @classmethod
    def of_references(cls, references: Iterable[Reference]) -> "LineList":
        """Returns memories as lines; another revision is the same memory reworded."""
        return cls(
            _unique_lines(
                Line(name, name, frozenset({each.memory_id}), each)
                for each in references
                for name in [f"{each.memory_id} {each.revision}"]
            )
        )

    def match(self, other: "LineList") -> dict[str, Line | None]:
        """Returns by key the other list's line, perhaps reworded; None if it was removed."""
        by_key = {line.key: line for line in other}
        found = {line.key: by_key.get(line.key) for line in self}
        new = [line for line in other if line.key not in found]
        for line in self:
            if found[line.key] is None and (reworded := _most_similar(line, new)) is not None:
                found[line.key] = reworded
                new.remove(reworded)
        return found

    def without(self, lines: Iterable[Line | None]) -> list[Line]:
        """Returns the lines that are not among those."""
        known = {line.key for line in lines if line is not None}
        return [line for line in self if line.key not in known]


def content_words(text: str) -> frozenset[str]:
    """Returns the stems of a text without the function words of its language."""
    return frozenset(content_stems(text, detect_language(text, "en")))


def are_similar(a: Line, b: Line) -> bool:
    """Whether two lines are about the same thing."""
    return jaccard_index(a.words, b.words) >= SIMILAR_SHARE


def jaccard_index(a: frozenset[str], b: frozenset[str]) -> float:
    """Returns Jaccard's index of two sets, |a ∩ b| / |a ∪ b|; 0 if either is empty."""
    return len(a & b) / len(a | b) if a and b else 0.0


def _most_similar(line: Line, others: Sequence[Line]) -> Line | None:
    near = [other for other in others if are_similar(line, other)]
    return max(near, key=lambda other: jaccard_index(line.words, other.words), default=None)


def _unique_lines(lines: Iterable[Line]) -> tuple[Line, ...]:
    found: dict[str, Line] = {}
    for line in lines:
        found.setdefault(line.key, line)
    return tuple(found.values())
