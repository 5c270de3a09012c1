"""A checkpoint: an immutable snapshot of what was concluded, and its place in a space's lineage."""

import hashlib
import json

from strandline.models.base import Time, Value
from strandline.models.memory import Evidence, Reference

MAIN = "main"
SHORT_HASH = 7


class Artifact(Value):
    """A short named text that belongs to a checkpoint."""

    name: str
    text: str


class Content(Value):
    """What a checkpoint says. `memories` are the memory revisions it cites."""

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
    """The turns a checkpoint covers: of one session, from and to these numbers, both included."""

    session_id: str
    from_sequence: int
    to_sequence: int


class Checkpoint(Content):
    """A committed checkpoint.

    `parent_id` is the branch's head it was committed on; a merge has `merge_parent_id` beside it.
    `commit_hash` is `strandline.context.commits.commit_hash` of everything else but the id.
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
        """The first characters of the hash, for display."""
        return self.commit_hash[:SHORT_HASH]

    @property
    def parents(self) -> tuple[str, ...]:
        """The checkpoints it was made on."""
        return tuple(each for each in (self.parent_id, self.merge_parent_id) if each)


class CheckpointNote(Value):
    """A text added to a checkpoint later; notes are append-only and outside its hash."""

    id: str
    checkpoint_id: str
    content: str
    created_at: Time


class Node(Value):
    """A checkpoint in its space's lineage."""

    id: str
    title: str
    branch: str
    parents: tuple[str, ...] = ()
    commit_hash: str
    short_hash: str
    author: str
    created_at: Time


class DocumentQuote(Value):
    """Words `word_start` up to, not including, `word_end` of a document, as they stand there."""

    word_start: int
    word_end: int
    quote: str


class Cited(Value):
    """One line of a draft and the words of the window, or of the document, that it rests on."""

    text: str
    citations: tuple[Evidence | DocumentQuote, ...] = ()


_OUTSIDE = frozenset({"id", "commit_hash"})


def commit_hash(checkpoint: Checkpoint) -> str:
    """SHA-256 over the checkpoint's canonical JSON, id and hash left out.

    Canonical: keys sorted, no blanks, UTF-8, as RFC 8785 has it for strings and integers, which
    are all there are; nulls and empty lists are left out, so that a later field changes no hash.
    """
    fields = checkpoint.model_dump(mode="json", exclude=set(_OUTSIDE))
    given = {name: value for name, value in fields.items() if value not in (None, [], "")}
    text = json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with its hash."""
    return checkpoint.model_copy(update={"commit_hash": commit_hash(checkpoint)})


def is_unaltered(checkpoint: Checkpoint) -> bool:
    """Whether a checkpoint still is what was committed."""
    return commit_hash(checkpoint) == checkpoint.commit_hash
