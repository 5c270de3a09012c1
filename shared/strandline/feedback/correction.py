"""The user's own revision of a memory. Pure."""

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
    words: Mapping[str, Any],
    challenged: Memory | None,
    language: str,
    at: datetime,
) -> Memory:
    """The next revision, with those words in place of the earlier ones, by the user.

    It rests on the same turns, so that its source stays to be seen, and refers to the revision it
    corrects. What no longer contradicts `challenged` doesn't challenge it. `language` is the
    account's own, for a text that doesn't show another.
    """
    earlier = Reference(memory_id=before.id, revision=before.revision)
    made = before.model_copy(
        update={
            **words,
            "revision": before.revision + 1,
            "author": Author.USER,
            "references": (earlier,),
            "inherited": inherited_turns(before.evidence, [before]),
            "challenges": None,
            "updated_at": at,
        }
    )
    made = made.model_copy(update={"language": detect_language(made.text, language)})
    made = made.model_copy(update={"fingerprints": statement_fingerprints(made)})
    if challenged is not None and before.challenges and contradicts(made, challenged):
        pinned = before.challenges
        made = made.model_copy(
            update={"challenges": pinned, "references": (earlier, pinned)},
        )
    return with_fingerprints_of(made, before)


def contradicts(a: Memory, b: Memory) -> bool:
    """Whether both can't be so, as far as subject, topic and words show."""
    one, other = statement_of(a), statement_of(b)
    if one.subject != other.subject:
        return False
    if one.topic and one.topic == other.topic:
        return True
    return are_opposite(one, other) or (one.order.compares and is_reversed(one, other))


def changed_fields(before: Memory, now: Memory) -> tuple[str, ...]:
    """The names of what the correction made different."""
    names = (*CONTENT_FIELDS, "language", "author", "references")
    return tuple(name for name in names if getattr(before, name) != getattr(now, name))


def is_same_correction(before: Memory, now: Memory) -> bool:
    """Whether the user wrote just these words before."""
    same = all(getattr(before, name) == getattr(now, name) for name in CONTENT_FIELDS)
    return same and before.author is Author.USER
