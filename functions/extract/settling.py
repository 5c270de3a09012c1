"""What an exchange taught, set beside what is known: the changes that follow from it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from functions.extract import revisions
from functions.extract.candidate import Verified
from functions.extract.learning import Material, Outcome, Understood
from functions.extract.reconcile import (
    ECHO,
    FORGOTTEN,
    Add,
    Decision,
    Extend,
    Near,
    Revise,
    Skip,
    plan,
)
from strandline import ids, keys
from strandline.arrays import Vectors
from strandline.lineage import with_fingerprints_of
from strandline.models.job import Dropped, JobResult, JobState
from strandline.models.memory import Citation, Memory
from strandline.models.standing import NEW, in_other_words
from strandline.recall.entries import entry_of, grounds_of
from strandline.recall.live import current_index
from strandline.recall.rank import Near as Found
from strandline.recall.rank import nearest
from strandline.runtime import Runtime
from strandline.statements.statement import fingerprints
from strandline.store import indexing, memories
from strandline.store.memories import Head, HeadMoved, Tombstone
from strandline.store.publish import NewRevision

NEAREST = 12
KNOWN = "already known from these words"
MEMORYS_OWN = frozenset({KNOWN, ECHO, FORGOTTEN})
"""Reasons told without the text: its words are a memory's, and are to go when that is deleted."""


@dataclass(frozen=True, slots=True)
class _Found:
    """For each candidate the memories near it, and the heads of all of them."""

    near: list[list[Near]]
    heads: Mapping[str, Head | Tombstone]

    def head(self, memory: Memory) -> Head:
        """The head of a memory that a decision names."""
        head = self.heads[memory.id]
        if not isinstance(head, Head):
            raise HeadMoved
        return head

    def removed(self) -> Iterable[Citation]:
        """Where what the user deleted came from."""
        gone = (head for head in self.heads.values() if isinstance(head, Tombstone))
        return (citation for head in gone for citation in head.evidence)


@dataclass(frozen=True, slots=True)
class Settling:
    """One exchange on its way into an account's memories."""

    runtime: Runtime
    account: str
    material: Material
    understood: Understood

    def outcome(self) -> Outcome:
        """How the job ends and what that changes. Raises HeadMoved when a memory just changed."""
        found = self._found()
        candidates = self.understood.candidates
        prints = {print_ for each in candidates for print_ in fingerprints(each)}
        forgotten = memories.forgotten_since(self.runtime.table, self.account, prints)
        planned = [
            (candidate, _unless_removed(candidate, decision, found))
            for candidate, decision in plan(candidates, found.near, forgotten)
        ]
        changes = [
            change
            for number, (candidate, decision) in enumerate(planned)
            if (change := self._change(number, candidate, decision, found)) is not None
        ]
        return self._ending(planned, changes)

    def _found(self) -> _Found:
        """What rests on the exchange's own turns is always near: redelivery finds it so."""
        runtime, account = self.runtime, self.account
        index = current_index(runtime, account)
        space = runtime.embedder.space
        near = [nearest(index, row, space, NEAREST) for row in self.understood.vectors]
        citing = self._citing()
        wanted = {one.memory_id for each in near for one in each} | citing
        heads = memories.find_many(runtime.table, account, wanted)
        return _Found([_near(each, citing, heads) for each in near], heads)

    def _citing(self) -> set[str]:
        user, assistant = self.material.exchange.user, self.material.exchange.assistant
        first = keys.citation(self.account, user.session_id, user.sequence_number, "")
        last = keys.citation(self.account, user.session_id, assistant.sequence_number, "~")
        items = self.runtime.table.all(first.pk, between=(first.sk, last.sk))
        return {item["memory_id"] for item in items}

    def _change(
        self, number: int, candidate: Verified, decision: Decision, found: _Found
    ) -> NewRevision | None:
        # A memory dates from the exchange it was learned in, not from when the queue got to it.
        at, vector = self.material.job.created_at, self.understood.vectors[number]
        if isinstance(decision, Add):
            memory_id = ids.derived_id("mem", at, f"{self.account}|{self.material.job.id}|{number}")
            made = revisions.added(candidate, memory_id, at)
            return self._new(made, vector, None, ("text", "evidence"))
        if isinstance(decision, Revise):
            head = found.head(decision.memory)
            made = revisions.revised(head.memory, candidate, at)
            made = with_fingerprints_of(made, head.memory)
            return self._new(made, vector, head, ("text", "evidence", "references"))
        if isinstance(decision, Extend):
            return self._extended(found.head(decision.memory), decision.citations)
        return None

    def _new(
        self, memory: Memory, vector: Vectors, before: Head | None, changed: tuple[str, ...]
    ) -> NewRevision:
        language = self.material.exchange.language
        entry = entry_of(memory, vector, self.runtime.embedder.space, language)
        standing = in_other_words(before.standing) if before else NEW
        return NewRevision(memory, entry, before, changed, standing)

    def _extended(self, head: Head, citations: tuple[Citation, ...]) -> NewRevision:
        """More evidence for the same words: the vector stays as it is."""
        entry = indexing.entry_of(self.runtime.table, self.account, head)
        memory = revisions.extended(head.memory, citations)
        entry = replace(entry, grounds=grounds_of(memory))
        return NewRevision(memory, entry, head, ("evidence",), head.standing)

    def _ending(
        self, planned: list[tuple[Verified, Decision]], changes: list[NewRevision]
    ) -> Outcome:
        dropped = list(self.understood.dropped)
        for candidate, decision in planned:
            if not isinstance(decision, Add | Revise | Extend):
                reason = decision.reason if isinstance(decision, Skip) else KNOWN
                text = "" if reason in MEMORYS_OWN else candidate.text
                dropped.append(Dropped(text=text, reason=reason))
        stored = tuple(change.memory.id for change in changes)
        result = JobResult(stored=stored, dropped=tuple(dropped))
        if not stored:
            return Outcome(JobState.NONE, "nothing new", result)
        return Outcome(JobState.STORED, None, result, changes)


def _near(
    found: Iterable[Found], citing: Iterable[str], heads: Mapping[str, Head | Tombstone]
) -> list[Near]:
    scores = dict.fromkeys(citing, (0.0, 0.0))
    scores |= {one.memory_id: (one.cosine, one.similarity) for one in found}
    return [
        Near(head.memory, *score)
        for name, score in scores.items()
        if isinstance(head := heads.get(name), Head)
    ]


def _unless_removed(candidate: Verified, decision: Decision, found: _Found) -> Decision:
    """What the user deleted isn't learned again from the very words it was learned from."""
    if not isinstance(decision, Add):
        return decision
    if any(_overlap(mine, other) for mine in candidate.evidence for other in found.removed()):
        return Skip(FORGOTTEN)
    return decision


def _overlap(a: Citation, b: Citation) -> bool:
    return a.turn_id == b.turn_id and a.word_start < b.word_end and b.word_start < a.word_end
