"""What a memory takes over from those it refers to: when the turns were said they rest on."""

from collections.abc import Iterable

from strandline.models.memory import Citation, Memory, Recorded

MAX_REFERENCES = 16
"""References of one revision: all of them are told wherever the memory is."""

MAX_INHERITED = 128
"""Turns a memory knows of through its references: the newest, if there are more."""

MAX_FINGERPRINTS = 32
"""Hashes of what a memory states and stated: the newest, if there are more."""


def inherited(own: Iterable[Citation], referred_to: Iterable[Memory]) -> tuple[Recorded, ...]:
    """The turns that those revisions rest on, themselves or through theirs; less its own."""
    found: dict[str, Recorded] = {}
    for memory in referred_to:
        own_of_it = (Recorded(turn_id=c.turn_id, said_at=c.said_at) for c in memory.evidence)
        found |= {each.turn_id: each for each in (*own_of_it, *memory.inherited)}
    for citation in own:
        found.pop(citation.turn_id, None)
    newest_last = sorted(found.values(), key=lambda each: (each.said_at, each.turn_id))
    return tuple(newest_last[-MAX_INHERITED:])


def with_fingerprints_of(memory: Memory, before: Memory) -> Memory:
    """With the earlier wordings' fingerprints: who deletes the memory deletes these as well."""
    prints = dict.fromkeys((*memory.fingerprints, *before.fingerprints))
    return memory.model_copy(update={"fingerprints": tuple(prints)[:MAX_FINGERPRINTS]})
