"""What can be seen to be wrong with a checkpoint by rules alone: the same findings every time.

| kind | rule |
|---|---|
| `empty_title` | the title has no word |
| `says_nothing` | every field but the title is empty |
| `duplicate_line` | two lines of a list differ in nothing but case, punctuation and space |
| `answered_question` | a decision shares half of an open question's content words, two at least, |
|  | or all where there is but one |
| `contradicted_decision` | two decisions of the line speak of the same thing and one denies |
|  | what the other affirms, or puts another thing in its place |
| `unused_entity` | an entity occurs in no other field |
| `retracted_memory` | a cited memory was retracted since |

Content words are stems without their language's function words
(`strandline.language.content_words`).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from functions.checkpoint.lineage.comparison import LISTS, folded
from functions.checkpoint.lineage.line_matching import likeness
from strandline.language.content_words import content_stems
from strandline.language.detection import detect_language
from strandline.language.polarity import polarity
from strandline.language.words import word_spans
from strandline.models.base import Value
from strandline.models.checkpoint import Checkpoint

SHARED_WITH_ANSWER = 0.5
SAME_MATTER = 0.5
"""The part of two decisions' content words from which they speak of the same thing."""


class Finding(Value):
    """Something to look at. `rests_on` holds the very lines, checkpoint ids and memory ids."""

    kind: str
    text: str
    rests_on: tuple[str, ...]


def lint(
    checkpoint: Checkpoint, line: Sequence[Checkpoint], retracted: Collection[str]
) -> list[Finding]:
    """The findings on a checkpoint; `line` are its ancestors, oldest first.

    `retracted` holds ids of memories that are no longer held to be true, or are gone.
    """
    return [
        *_empty(checkpoint),
        *_duplicates(checkpoint),
        *_answered(checkpoint, line),
        *_contradicted(checkpoint, line),
        *_unused(checkpoint),
        *_retracted(checkpoint, retracted),
    ]


def _empty(checkpoint: Checkpoint) -> Iterator[Finding]:
    if not word_spans(checkpoint.title):
        yield Finding(
            kind="empty_title", text="The title says nothing.", rests_on=(checkpoint.title,)
        )
    if not any(text.strip() for text in _texts(checkpoint, without=("title",))):
        yield Finding(
            kind="says_nothing",
            text="The checkpoint holds nothing but its title.",
            rests_on=(checkpoint.id,),
        )


def _duplicates(checkpoint: Checkpoint) -> Iterator[Finding]:
    for name in LISTS:
        first: dict[str, str] = {}
        for one in getattr(checkpoint, name):
            if (earlier := first.setdefault(folded(one), one)) is not one:
                text = f"A line stands twice among the {_spoken(name)}."
                yield Finding(kind="duplicate_line", text=text, rests_on=(earlier, one))


def _answered(checkpoint: Checkpoint, line: Sequence[Checkpoint]) -> Iterator[Finding]:
    """By the newest decision that answers it; one that was known before it was asked doesn't."""
    for question in checkpoint.open_questions:
        since = _since(question, [*line, checkpoint])
        for at, decision in reversed(list(_decisions(since))):
            if _answers(question, decision):
                rests_on = (question, decision, at.id)
                text = "An open question seems to be answered by a decision."
                yield Finding(kind="answered_question", text=text, rests_on=rests_on)
                break


def _since(question: str, line: Sequence[Checkpoint]) -> Sequence[Checkpoint]:
    """The line from where the question was first open."""
    wanted = folded(question)
    for number, each in enumerate(line):
        if wanted in {folded(one) for one in each.open_questions}:
            return line[number:]
    return line[-1:]


def _answers(question: str, decision: str) -> bool:
    asked, decided = _words(question), _words(decision)
    shared = len(asked & decided)
    if len(asked) < 2:
        return bool(asked) and shared == len(asked)
    return shared >= max(2, SHARED_WITH_ANSWER * len(asked))


def _contradicted(checkpoint: Checkpoint, line: Sequence[Checkpoint]) -> Iterator[Finding]:
    """Each pair once, and only where the checkpoint itself holds one of the two."""
    own = {folded(one) for one in checkpoint.decisions}
    told = set()
    for (_, earlier), (at, later) in combinations(_decisions([*line, checkpoint]), 2):
        pair = (folded(earlier), folded(later))
        if own.isdisjoint(pair) or pair in told or not _contradict(earlier, later):
            continue
        told.add(pair)
        yield Finding(
            kind="contradicted_decision",
            text="A decision seems to be contradicted by a later one.",
            rests_on=(earlier, later, at.id),
        )


def _contradict(a: str, b: str) -> bool:
    """Whether one denies what the other affirms, or has another thing in the same place."""
    words_a, words_b = _words(a), _words(b)
    if folded(a) == folded(b):
        return False
    opposite = polarity(a, detect_language(a, "en")) != polarity(b, detect_language(b, "en"))
    if opposite and words_a and words_b:
        return words_a <= words_b or words_b <= words_a
    replaced = bool(words_a - words_b) and bool(words_b - words_a)
    return not opposite and replaced and likeness(words_a, words_b) >= SAME_MATTER


def _unused(checkpoint: Checkpoint) -> Iterator[Finding]:
    elsewhere = " \n ".join(f" {folded(one)} " for one in _texts(checkpoint, without=("entities",)))
    for entity in checkpoint.entities:
        wanted = folded(entity)
        # Scripts without blanks have no word borders to look for.
        if wanted and (wanted if _unspaced(wanted) else f" {wanted} ") not in elsewhere:
            text = "An entity is mentioned nowhere else."
            yield Finding(kind="unused_entity", text=text, rests_on=(entity,))


def _retracted(checkpoint: Checkpoint, retracted: Collection[str]) -> Iterator[Finding]:
    for memory in checkpoint.memories:
        if memory.memory_id in retracted:
            text = "A cited memory was retracted since."
            yield Finding(kind="retracted_memory", text=text, rests_on=(memory.memory_id,))


def _decisions(line: Iterable[Checkpoint]) -> Iterator[tuple[Checkpoint, str]]:
    return ((each, decision) for each in line for decision in each.decisions)


def _texts(checkpoint: Checkpoint, without: Collection[str]) -> Iterator[str]:
    for name in ("title", "objective", "summary"):
        if name not in without:
            yield getattr(checkpoint, name)
    for name in LISTS:
        if name not in without:
            yield from getattr(checkpoint, name)
    for artifact in checkpoint.artifacts:
        yield f"{artifact.name} {artifact.text}"


def _words(text: str) -> frozenset[str]:
    return frozenset(content_stems(text, detect_language(text, "en")))


def _unspaced(text: str) -> bool:
    return not text.isascii() and any(span.end - span.start == 1 for span in word_spans(text))


def _spoken(name: str) -> str:
    return name.replace("_", " ")
