"""Corrections: the user's own revision of a memory. Pure: no I/O."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from strandline.language.detection import detect_language
from strandline.language.statements import (
    are_opposite,
    is_reversed,
    statement_fingerprints,
    statement_of,
)
from strandline.models.memory import (
    Author,
    Memory,
    Reference,
    inherited_turns,
    with_fingerprints_of,
)

CONTENT_FIELDS = ("kind", "title", "text", "importance", "labels", "subject", "topic")


def corrected_revision(
    before: Memory,
    content: Mapping[str, Any],
    challenged: Memory | None,
    language: str,
    at: datetime,
) -> Memory:
    """Returns the next revision, by the user, with the fields of `content` replaced.

    It keeps the evidence, so that its source stays visible, and refers to the revision that it
    corrects. It no longer challenges `challenged` unless it still contradicts it. `language` is
    the account's language, for a text whose language can't be detected.
    """
    earlier = Reference(memory_id=before.id, revision=before.revision)
    revision = before.model_copy(
        update={
            **content,
            "revision": before.revision + 1,
            "author": Author.USER,
            "references": (earlier,),
            "inherited": inherited_turns(before.evidence, [before]),
            "challenges": None,
            "updated_at": at,
        }
    )
    revision = revision.model_copy(update={"language": detect_language(revision.text, language)})
    revision = revision.model_copy(update={"fingerprints": statement_fingerprints(revision)})
    if challenged is not None and before.challenges and contradicts(revision, challenged):
        pinned = before.challenges
        revision = revision.model_copy(
            update={"challenges": pinned, "references": (earlier, pinned)},
        )
    return with_fingerprints_of(revision, before)


def contradicts(a: Memory, b: Memory) -> bool:
    """Whether two memories can't both be true, judged by subject, topic and words.

    True for the same subject and topic, for opposite statements, and for reversed comparisons.
    """
    one, other = statement_of(a), statement_of(b)
    if one.subject != other.subject:
        return False
    if one.topic and one.topic == other.topic:
        return True
    return are_opposite(one, other) or (one.order.compares and is_reversed(one, other))


def changed_fields(before: Memory, after: Memory) -> tuple[str, ...]:
    """Returns the names of the fields that a correction changed."""
    names = (*CONTENT_FIELDS, "language", "author", "references")
    return tuple(name for name in names if getattr(before, name) != getattr(after, name))


def is_same_correction(before: Memory, after: Memory) -> bool:
    """Whether the earlier revision is the user's and has the same content."""
    same = all(getattr(before, name) == getattr(after, name) for name in CONTENT_FIELDS)
    return same and before.author is Author.USER
