"""Receipts: records of exactly what an answer's prompt held, by ids and numbers."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field

from strandline.models.base import Time, Value
from strandline.models.session import Mount


class Mode(StrEnum):
    """The context mode: which checkpoints and turns a prompt may hold."""

    FRESH = "FRESH"
    HEAD = "HEAD"
    MOUNTED = "MOUNTED"


class RecallState(StrEnum):
    """The outcome of the relevant branch of recall."""

    OK = "ok"
    NO_MATCH = "no_match"
    DEGRADED = "degraded"
    FAILED = "failed"
    OFF = "off"


class RecallScope(StrEnum):
    """Which memories may be recalled: the account's, the space's, the session's or none."""

    ACCOUNT = "account"
    SPACE = "space"
    SESSION = "session"
    OFF = "off"


MOST_EQUIVALENTS = 100
"""The most equivalents that a receipt lists of a memory, so that it fits into one item."""


class Recalled(Value):
    """A memory in a prompt: its revision and the terms of its score.

    `similarity` is null where no vectors could be compared; the other terms are 0 to 1.
    `equivalents` are the ids of up to 100 other memories with the same statement from the same
    turns.
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
    """A memory in a prompt, with its line as printed; null if the memory was removed."""

    line: str | None


class CheckpointRef(Value):
    """A checkpoint in a prompt."""

    id: str
    commit_hash: str
    short_hash: str


class History(Value):
    """The turns in a prompt: their number, and the first and last sequence number."""

    from_sequence: int | None = None
    to_sequence: int | None = None
    turns: int = 0


class LeftOut(Value):
    """Turns or a memory that were left out of the prompt, and the reason."""

    what: Literal["history", "memory"]
    reason: str
    from_sequence: int | None = None
    to_sequence: int | None = None
    turns: int | None = None
    memory_id: str | None = None


class Usage(Value):
    """Token counts as the provider reported them."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Durations(Value):
    """Milliseconds for building the context, for the model's answer, and in total.

    The total includes storing the question.
    """

    context_ms: int
    model_ms: int
    total_ms: int


class Receipt(Value):
    """A receipt as it is stored. `sequences` are the turns of the history, oldest first.

    `versions` holds, by turn id, the version of each turn in the prompt that wasn't the first.
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
        """The number of turns, and the first and last sequence number."""
        if not self.sequences:
            return History()
        return History(
            from_sequence=self.sequences[0],
            to_sequence=self.sequences[-1],
            turns=len(self.sequences),
        )


class Context(Value):
    """The context of an answer: what its prompt held."""

    mode: Mode
    recall: RecallState
    memories: tuple[RecalledLine, ...]
    checkpoints: tuple[CheckpointRef, ...]
    boundary: Mount | None
    history: History


class ReceiptView(Value):
    """A receipt with its prompt, rebuilt from the turns, checkpoints and memories it names.

    `prompt_matches` says whether the rebuilt prompt has the same SHA-256 as the one that was
    sent. Content that was deleted since then is shown as removed.
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
