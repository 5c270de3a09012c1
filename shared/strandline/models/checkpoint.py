"""Checkpoints: immutable snapshots of conclusions, and their lineage in a space."""

import hashlib
import json

from strandline.models.base import Time, Value
from strandline.models.memory import Evidence, Reference

MAIN = "main"
"""The branch that checkpoints are committed to by default."""

SHORT_HASH = 7
"""Characters of a commit hash that are shown."""


class Artifact(Value):
    """A short named text that belongs to a checkpoint."""

    name: str
    text: str


class Content(Value):
    """The content of a checkpoint. `memories` are the memory revisions it cites."""

    title: str
    objective: str = ""
    summary: str = ""
    decisions: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    memories: tuple[Reference, ...] = ()


class Source(Value):
    """The turns that a checkpoint covers: a range of sequence numbers of one session, inclusive."""

    session_id: str
    from_sequence: int
    to_sequence: int


class Checkpoint(Content):
    """A committed checkpoint.

    `parent_id` is the branch's head that it was committed on. A merge also has a
    `merge_parent_id`. `commit_hash` is a SHA-256 over all other fields but the id.
    """

    id: str
    space_id: str
    branch: str = MAIN
    parent_id: str | None = None
    merge_parent_id: str | None = None
    author: str
    source: Source | None = None
    commit_hash: str
    created_at: Time

    @property
    def short_hash(self) -> str:
        """The first seven characters of the commit hash, for display."""
        return self.commit_hash[:SHORT_HASH]

    @property
    def parents(self) -> tuple[str, ...]:
        """The ids of the parents: none, one, or for a merge two."""
        return tuple(each for each in (self.parent_id, self.merge_parent_id) if each)


class CheckpointNote(Value):
    """A note that was added to a checkpoint later. Notes are append-only and not hashed."""

    id: str
    checkpoint_id: str
    content: str
    created_at: Time


class Node(Value):
    """A checkpoint in short, as the lineage of a space lists it."""

    id: str
    title: str
    branch: str
    parents: tuple[str, ...] = ()
    commit_hash: str
    short_hash: str
    author: str
    created_at: Time


class DocumentQuote(Value):
    """A quote from a document: its words from `word_start` up to, but not including, `word_end`."""

    word_start: int
    word_end: int
    quote: str


class Cited(Value):
    """One line of a draft, with the cited spans of turns or of a document."""

    text: str
    citations: tuple[Evidence | DocumentQuote, ...] = ()


_NOT_HASHED = frozenset({"id", "commit_hash"})


def commit_hash(checkpoint: Checkpoint) -> str:
    """Returns the SHA-256 of the checkpoint's canonical JSON, in hexadecimal.

    The id and the hash itself are left out. The JSON has sorted keys, no blanks and UTF-8, as RFC
    8785 defines it for strings and integers; there are no other values. Nulls and empty values
    are left out, so that a field added later doesn't change the hashes of earlier checkpoints.
    """
    fields = checkpoint.model_dump(mode="json", exclude=set(_NOT_HASHED))
    given = {name: value for name, value in fields.items() if value not in (None, [], "")}
    text = json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def with_commit_hash(checkpoint: Checkpoint) -> Checkpoint:
    """Returns the checkpoint with its commit hash filled in."""
    return checkpoint.model_copy(update={"commit_hash": commit_hash(checkpoint)})


def is_unaltered(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint still has the content that was committed."""
    return commit_hash(checkpoint) == checkpoint.commit_hash
