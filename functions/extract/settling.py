"""What an exchange taught, set beside what is known: the changes that follow from it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from functions.extract import nearness, revisions
from functions.extract.candidate import Verified
from functions.extract.learning import Material, Outcome, Understood
from functions.extract.reconcile import (
    ECHO,
    Add,
    Challenge,
    Decision,
    Extend,
    Revise,
    Skip,
    plan,
)
from functions.extract.refusing import FORGOTTEN, REJECTED, Near, overlap
from strandline import ids, keys
from strandline.arrays import Vectors
from strandline.lineage import with_fingerprints_of
from strandline.models.job import Dropped, JobResult, JobState
from strandline.models.memory import Citation, Memory, Reference
from strandline.models.standing import NEW, Flag, Standing, State, changed, in_other_words
from strandline.recall.entries import entry_of, grounds_of
from strandline.recall.live import current_index
from strandline.recall.rank import nearest
from strandline.runtime import Runtime
from strandline.statements.statement import fingerprints
from strandline.store import indexing, memories, rejections
from strandline.store.memories import Head, HeadMoved, Tombstone
from strandline.store.publish import NewRevision, Restanding

NEAREST = 12
KNOWN = "already known from these words"
MEMORYS_OWN = frozenset({KNOWN, ECHO, FORGOTTEN, REJECTED})
"""Reasons told without the text: its words are a memory's, and are to go when that is deleted."""


Planned = list[tuple[Verified, Decision]]


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

    def memory(self, reference: Reference) -> Memory:
        """What a reference names, as it is now."""
        head = self.heads[reference.memory_id]
        if not isinstance(head, Head):
            raise HeadMoved
        return head.memory

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
        planned = self._planned(found)
        changes = [
            change
            for number, (candidate, decision) in enumerate(planned)
            if (change := self._change(number, candidate, decision, found)) is not None
        ]
        return self._ending(planned, changes, self._flagging(planned, found))

    def _planned(self, found: _Found) -> Planned:
        table, account, candidates = self.runtime.table, self.account, self.understood.candidates
        prints = {print_ for each in candidates for print_ in fingerprints(each)}
        forgotten = memories.forgotten_since(table, account, prints)
        rejected = rejections.of_fingerprints(table, account, prints)
        return [
            (candidate, _unless_removed(candidate, decision, found))
            for candidate, decision in plan(candidates, found.near, forgotten, rejected)
        ]

    def _found(self) -> _Found:
        """What rests on the exchange's own turns is always near: redelivery finds it so."""
        runtime, account = self.runtime, self.account
        index = current_index(runtime, account)
        space = runtime.embedder.space
        near = [nearest(index, row, space, NEAREST) for row in self.understood.vectors]
        hidden = self._citing() | self._stating()
        wanted = {one.memory_id for each in near for one in each} | hidden
        heads = memories.find_as_read(runtime.table, account, wanted)
        unseen = [head for head in memories.live(heads).values() if not head.recallable]
        entries = indexing.entries_of(runtime.table, account, unseen) if unseen else {}
        scored = [
            dict.fromkeys(hidden, nearness.FAR)
            | nearness.parked(entries, row, space)
            | nearness.found(each)
            for row, each in zip(self.understood.vectors, near, strict=True)
        ]
        return _Found([_near(each, heads) for each in scored], heads)

    def _citing(self) -> set[str]:
        user, assistant = self.material.exchange.user, self.material.exchange.assistant
        first = keys.citation(self.account, user.session_id, user.sequence_number, "")
        last = keys.citation(self.account, user.session_id, assistant.sequence_number, "~")
        items = self.runtime.table.all(first.pk, between=(first.sk, last.sk))
        return {item["memory_id"] for item in items}

    def _stating(self) -> set[str]:
        """What recall may not show and states just what a candidate does."""
        prints = {fingerprints(each)[-1] for each in self.understood.candidates}
        found = (indexing.stating(self.runtime.table, self.account, each) for each in prints)
        return {name for names in found for name in names}

    def _change(
        self, number: int, candidate: Verified, decision: Decision, found: _Found
    ) -> NewRevision | None:
        # A memory dates from the exchange it was learned in, not from when the queue got to it.
        at, vector = self.material.job.created_at, self.understood.vectors[number]
        if isinstance(decision, Add | Challenge):
            memory_id = ids.derived_id("mem", at, f"{self.account}|{self.material.job.id}|{number}")
            made = revisions.added(candidate, memory_id, at)
            if isinstance(decision, Challenge):
                made = revisions.challenging(made, decision.memory)
            elif decision.earlier is not None:
                made = revisions.after(made, decision.earlier, found.memory(decision.earlier))
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
        standing = _said_again(head, memory)
        names = ("evidence", *changed(head.standing, standing))
        return NewRevision(memory, entry, head, names, standing)

    def _flagging(self, planned: Planned, found: _Found) -> list[Restanding]:
        """What is challenged is flagged, once; not what another candidate makes a revision of."""
        revised = {d.memory.id for _, d in planned if isinstance(d, Extend | Revise)}
        challenged = {d.memory.id for _, d in planned if isinstance(d, Challenge)} - revised
        heads = [found.heads[name] for name in sorted(challenged)]
        return [
            Restanding(head, _flagged(head.standing, Flag.CHALLENGED), ("flags",))
            for head in heads
            if isinstance(head, Head) and Flag.CHALLENGED not in head.standing.flags
        ]

    def _ending(
        self,
        planned: Planned,
        changes: Sequence[NewRevision],
        flagging: Sequence[Restanding],
    ) -> Outcome:
        dropped = list(self.understood.dropped)
        for candidate, decision in planned:
            if not isinstance(decision, Add | Challenge | Revise | Extend):
                reason = decision.reason if isinstance(decision, Skip) else KNOWN
                text = "" if reason in MEMORYS_OWN else candidate.text
                dropped.append(Dropped(text=text, reason=reason))
        stored = tuple(change.memory.id for change in changes)
        result = JobResult(stored=stored, dropped=tuple(dropped))
        if not stored:
            return Outcome(JobState.NONE, "nothing new", result)
        return Outcome(JobState.STORED, None, result, (*changes, *flagging))


def _near(scores: nearness.Scores, heads: Mapping[str, Head | Tombstone]) -> list[Near]:
    there = memories.live(heads)
    return [
        Near(there[name].memory, *score, there[name].standing)
        for name, score in scores.items()
        if name in there
    ]


def _said_again(head: Head, memory: Memory) -> Standing:
    """How a memory stands that was said again: what no source supported any more, one does now.

    It is no longer stale if what had been replaced is out of its evidence.
    """
    standing = head.standing
    update: dict[str, object] = {}
    if standing.state is State.RETRACTED and standing.retracted_by is None:
        update["state"] = State.ACTIVE
    if not set(head.memory.evidence) <= set(memory.evidence):
        update["stale_since"] = None
    return standing.model_copy(update=update)


def _flagged(standing: Standing, flag: Flag) -> Standing:
    return standing.model_copy(update={"flags": (*standing.flags, flag)})


def _unless_removed(candidate: Verified, decision: Decision, found: _Found) -> Decision:
    """What the user deleted isn't learned again from the very words it was learned from."""
    if not isinstance(decision, Add | Challenge):
        return decision
    if any(overlap(mine, other) for mine in candidate.evidence for other in found.removed()):
        return Skip(FORGOTTEN)
    return decision
