"""The hash of a checkpoint, by which an alteration shows."""

import hashlib
import json

from strandline.models.checkpoint import Checkpoint

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
