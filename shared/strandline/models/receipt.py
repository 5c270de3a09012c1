"""A receipt: the record of exactly what one answer's prompt held, by ids and numbers."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field

from strandline.models.base import Time, Value
from strandline.models.session import Mount


class Mode(StrEnum):
    """Which checkpoints and turns a prompt may hold."""

    FRESH = "FRESH"
    HEAD = "HEAD"
    MOUNTED = "MOUNTED"


class RecallState(StrEnum):
    """How the relevant branch of recall went; "no match" and "failed" are different answers."""

    OK = "ok"
    NO_MATCH = "no_match"
    DEGRADED = "degraded"
    FAILED = "failed"
    OFF = "off"


class RecallScope(StrEnum):
    """Whose memories may be recalled."""

    ACCOUNT = "account"
    SPACE = "space"
    SESSION = "session"
    OFF = "off"


MOST_EQUIVALENTS = 100
"""A receipt has to fit into an item."""


class Recalled(Value):
    """A memory in a prompt: the revision it had and the terms of its score.

    `equivalents` are the ids of others that say the same on the same grounds, so many at most.
    """

    memory_id: str
    revision: int
    selected_by: Literal["relevant", "session"]
    similarity: float | None = None
    lexical: float
    relevance: float
    importance: float
    recency: float
    score: float
    equivalents: tuple[str, ...] = ()


class RecalledLine(Recalled):
    """The same with its line as printed; null when the memory is gone."""

    line: str | None


class CheckpointRef(Value):
    """A checkpoint in a prompt."""

    id: str
    commit_hash: str
    short_hash: str


class History(Value):
    """The turns in a prompt: how many, and from which to which sequence number."""

    from_sequence: int | None = None
    to_sequence: int | None = None
    turns: int = 0


class LeftOut(Value):
    """Something that might have been in the prompt, and why it isn't."""

    what: Literal["history", "memory"]
    reason: str
    from_sequence: int | None = None
    to_sequence: int | None = None
    turns: int | None = None
    memory_id: str | None = None


class Usage(Value):
    """Tokens as the provider counted them."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Durations(Value):
    """Milliseconds: building the context, the model's answer, both and storing the question."""

    context_ms: int
    model_ms: int
    total_ms: int


class Receipt(Value):
    """What is stored. `sequences` are the exact turns of the history, oldest first.

    `versions` tells, by turn id, which version of a turn was in the prompt if not the first.
    """

    turn_id: str
    user_turn_id: str
    job_id: str
    mode: Mode
    recall: RecallState
    recall_scope: RecallScope
    recall_failure: str | None = None
    memories: tuple[Recalled, ...] = ()
    prompt_order: tuple[str, ...] = ()
    checkpoints: tuple[CheckpointRef, ...] = ()
    boundary: Mount | None = None
    sequences: tuple[int, ...] = ()
    versions: Mapping[str, int] = Field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    needs_embedding: int = 0
    prompt_sha256: str
    prompt_characters: int
    provider: str
    model: str
    usage: Usage = Usage()
    durations: Durations
    created_at: Time

    @property
    def history(self) -> History:
        """The sequences in short."""
        if not self.sequences:
            return History()
        return History(
            from_sequence=self.sequences[0],
            to_sequence=self.sequences[-1],
            turns=len(self.sequences),
        )


class Context(Value):
    """The receipt in short, as an answer carries it."""

    mode: Mode
    recall: RecallState
    memories: tuple[RecalledLine, ...]
    checkpoints: tuple[CheckpointRef, ...]
    boundary: Mount | None
    history: History


class ReceiptView(Value):
    """The receipt as clients read it, with the prompt rebuilt from what it names.

    `prompt_matches` says whether the rebuilt prompt is, by its hash, the one that was sent;
    what was deleted since shows as removed.
    """

    turn_id: str
    user_turn_id: str
    job_id: str
    context: Context
    recall_scope: RecallScope
    recall_failure: str | None
    left_out: tuple[LeftOut, ...]
    needs_embedding: int
    prompt: str
    prompt_sha256: str
    prompt_matches: bool
    prompt_characters: int
    provider: str
    model: str
    usage: Usage
    durations: Durations
    created_at: Time
