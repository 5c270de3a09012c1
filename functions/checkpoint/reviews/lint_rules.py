"""Checks a checkpoint by rules alone: the same checkpoint always gives the same findings. Pure.

| kind | rule |
|---|---|
| `empty_title` | the title has no word |
| `says_nothing` | every field but the title is empty |
| `duplicate_line` | two lines of a list differ in nothing but case, punctuation and space |
| `answered_question` | a decision shares half of an open question's content words, two at least, |
|  | or all where there is but one |
| `contradicted_decision` | two decisions of the checkpoint and its ancestors are about the same |
|  | thing, and one denies what the other affirms or names another thing in its place |
| `unused_entity` | an entity occurs in no other field |
| `retracted_memory` | a cited memory was retracted since |

Content words are stems without their language's function words
(`strandline.language.content_words`).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations

from functions.checkpoint.lineage.comparison import LINE_FIELDS, fold_line
from functions.checkpoint.lineage.line_matching import content_words, jaccard_index
from strandline.language.detection import detect_language
from strandline.language.polarity import polarity
from strandline.language.words import word_spans
from strandline.models.base import Value
from strandline.models.checkpoint import Checkpoint

ANSWER_SHARE = 0.5
"""Share of a question's content words that a decision must have in common to answer it."""

SAME_SUBJECT_SHARE = 0.5
"""Jaccard index of two decisions' content words from which they are about the same thing."""


class Finding(Value):
    """Something to look at. `rests_on` has lines word for word, checkpoint ids and memory ids."""

    kind: str
    text: str
    rests_on: tuple[str, ...]


def lint_checkpoint(
    checkpoint: Checkpoint, ancestors: Sequence[Checkpoint], retracted: Collection[str]
) -> list[Finding]:
    """Returns the findings on a checkpoint; `ancestors` are oldest first.

    `retracted` has the ids of memories that are retracted or no longer exist.
    """
    return [
        *_empty_fields(checkpoint),
        *_duplicate_lines(checkpoint),
        *_answered_questions(checkpoint, ancestors),
        *_contradicted_decisions(checkpoint, ancestors),
        *_unused_entities(checkpoint),
        *_retracted_memories(checkpoint, retracted),
    ]


def _empty_fields(checkpoint: Checkpoint) -> Iterator[Finding]:
    if not word_spans(checkpoint.title):
        yield Finding(
            kind="empty_title", text="The title says nothing.", rests_on=(checkpoint.title,)
        )
    if not any(text.strip() for text in _field_texts(checkpoint, without=("title",))):
        yield Finding(
            kind="says_nothing",
            text="The checkpoint holds nothing but its title.",
            rests_on=(checkpoint.id,),
        )


def _duplicate_lines(checkpoint: Checkpoint) -> Iterator[Finding]:
    for name in LINE_FIELDS:
        first: dict[str, str] = {}
        for one in getattr(checkpoint, name):
            if (earlier := first.setdefault(fold_line(one), one)) is not one:
                text = f"A line stands twice among the {_readable_name(name)}."
                yield Finding(kind="duplicate_line", text=text, rests_on=(earlier, one))


def _answered_questions(
    checkpoint: Checkpoint, ancestors: Sequence[Checkpoint]
) -> Iterator[Finding]:
    """Names the newest decision that answers a question.

    A decision made before the question was asked doesn't answer it.
    """
    for question in checkpoint.open_questions:
        since = _checkpoints_since_asked(question, [*ancestors, checkpoint])
        for source, decision in reversed(list(_decisions(since))):
            if _answers(question, decision):
                rests_on = (question, decision, source.id)
                text = "An open question seems to be answered by a decision."
                yield Finding(kind="answered_question", text=text, rests_on=rests_on)
                break


def _checkpoints_since_asked(
    question: str, checkpoints: Sequence[Checkpoint]
) -> Sequence[Checkpoint]:
    """Returns the checkpoints from the first one that has the open question."""
    wanted = fold_line(question)
    for number, each in enumerate(checkpoints):
        if wanted in {fold_line(one) for one in each.open_questions}:
            return checkpoints[number:]
    return checkpoints[-1:]


def _answers(question: str, decision: str) -> bool:
    asked, decided = content_words(question), content_words(decision)
    shared = len(asked & decided)
    if len(asked) < 2:
        return bool(asked) and shared == len(asked)
    return shared >= max(2, ANSWER_SHARE * len(asked))


def _contradicted_decisions(
    checkpoint: Checkpoint, ancestors: Sequence[Checkpoint]
) -> Iterator[Finding]:
    """Names each pair once, and only if one of the two is the checkpoint's own."""
    own = {fold_line(one) for one in checkpoint.decisions}
    reported = set()
    for (_, earlier), (source, later) in combinations(_decisions([*ancestors, checkpoint]), 2):
        pair = (fold_line(earlier), fold_line(later))
        if own.isdisjoint(pair) or pair in reported or not _contradict(earlier, later):
            continue
        reported.add(pair)
        yield Finding(
            kind="contradicted_decision",
            text="A decision seems to be contradicted by a later one.",
            rests_on=(earlier, later, source.id),
        )


def _contradict(a: str, b: str) -> bool:
    """Whether one denies what the other affirms, or names another thing in its place."""
    words_a, words_b = content_words(a), content_words(b)
    if fold_line(a) == fold_line(b):
        return False
    opposite = polarity(a, detect_language(a, "en")) != polarity(b, detect_language(b, "en"))
    if opposite and words_a and words_b:
        return words_a <= words_b or words_b <= words_a
    replaced = bool(words_a - words_b) and bool(words_b - words_a)
    return not opposite and replaced and jaccard_index(words_a, words_b) >= SAME_SUBJECT_SHARE


def _unused_entities(checkpoint: Checkpoint) -> Iterator[Finding]:
    elsewhere = " \n ".join(
        f" {fold_line(one)} " for one in _field_texts(checkpoint, without=("entities",))
    )
    for entity in checkpoint.entities:
        wanted = fold_line(entity)
        # Scripts without blanks have no word borders to look for.
        if wanted and (wanted if _has_no_word_breaks(wanted) else f" {wanted} ") not in elsewhere:
            text = "An entity is mentioned nowhere else."
            yield Finding(kind="unused_entity", text=text, rests_on=(entity,))


def _retracted_memories(checkpoint: Checkpoint, retracted: Collection[str]) -> Iterator[Finding]:
    for memory in checkpoint.memories:
        if memory.memory_id in retracted:
            text = "A cited memory was retracted since."
            yield Finding(kind="retracted_memory", text=text, rests_on=(memory.memory_id,))


def _decisions(checkpoints: Iterable[Checkpoint]) -> Iterator[tuple[Checkpoint, str]]:
    return ((each, decision) for each in checkpoints for decision in each.decisions)


def _field_texts(checkpoint: Checkpoint, without: Collection[str]) -> Iterator[str]:
    for name in ("title", "objective", "summary"):
        if name not in without:
            yield getattr(checkpoint, name)
    for name in LINE_FIELDS:
        if name not in without:
            yield from getattr(checkpoint, name)
    for artifact in checkpoint.artifacts:
        yield f"{artifact.name} {artifact.text}"


def _has_no_word_breaks(text: str) -> bool:
    return not text.isascii() and any(span.end - span.start == 1 for span in word_spans(text))


def _readable_name(name: str) -> str:
    return name.replace("_", " ")
