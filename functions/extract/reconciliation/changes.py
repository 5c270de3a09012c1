"""What an exchange taught, set beside what is known: the changes that follow from it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from functions.extract.candidates.candidate import Verified
from functions.extract.pipeline import ExchangeInput, Outcome, VerifiedCandidates
from functions.extract.reconciliation import memory_revisions, reference_refresh
from functions.extract.reconciliation.decisions import (
    Add,
    Challenge,
    Decision,
    Extend,
    Revise,
    Skip,
)
from functions.extract.reconciliation.reconcile import ECHO, plan_decisions
from functions.extract.reconciliation.related_memories import RelatedMemories, related_to_exchange
from functions.extract.reconciliation.suppression import (
    CORRECTED,
    FORGOTTEN,
    REJECTED,
    same_words_cited,
)
from functions.extract.reconciliation.transaction_size import NO_ROOM, changes_that_fit
from strandline import ids
from strandline.dependencies import Dependencies
from strandline.language.statements import statement_fingerprints
from strandline.memories import index_placement
from strandline.memories.transaction import NewRevision, StatusChange
from strandline.models.job import Dropped, JobResult, JobState
from strandline.models.memory import Citation, Memory, Reference, with_fingerprints_of
from strandline.models.memory_head import Head
from strandline.models.memory_status import (
    NEW_STATUS,
    Flag,
    MemoryStatus,
    State,
    changed_fields,
    status_after_new_text,
)
from strandline.providers.vector_types import Vectors
from strandline.recall.index_entries import index_entry, source_turns
from strandline.store.memories import memory_heads, rejections

KNOWN = "already known from these words"
MEMORYS_OWN = frozenset({KNOWN, ECHO, FORGOTTEN, REJECTED, CORRECTED})
"""Reasons told without the text: its words are a memory's, and are to go when that is deleted."""


Planned = list[tuple[Verified, Decision]]


@dataclass(frozen=True, slots=True)
class ChangePlanner:
    """One exchange on its way into an account's memories."""

    deps: Dependencies
    account: str
    material: ExchangeInput
    understood: VerifiedCandidates

    def outcome(self) -> Outcome:
        """How the job ends and what that changes. Raises HeadMoved when a memory just changed."""
        found = related_to_exchange(self.deps, self.account, self.material, self.understood)
        planned = self._planned(found)
        made = {
            number: change
            for number, (candidate, decision) in enumerate(planned)
            if (change := self._change(number, candidate, decision, found)) is not None
        }
        flagging = self._flagging(planned, found)
        made = {number: _with_its_flag(change, planned) for number, change in made.items()}
        changes = self._fitting(list(made.values()), flagging)
        for number, change in made.items():
            if change not in changes:
                planned[number] = (planned[number][0], Skip(NO_ROOM))
        return self._ending(planned, changes, flagging)

    def _fitting(
        self, changes: Sequence[NewRevision], flagging: Sequence[StatusChange]
    ) -> list[NewRevision]:
        at = self.deps.clock()
        jobs = reference_refresh.refresh_jobs(self.deps, self.account, changes, at)
        followed = {job.memory_id or "" for job in jobs}
        return changes_that_fit(self.account, changes, flagging, followed, at)

    def _planned(self, found: RelatedMemories) -> Planned:
        table, account, candidates = self.deps.table, self.account, self.understood.candidates
        prints = {print_ for each in candidates for print_ in statement_fingerprints(each)}
        forgotten = memory_heads.deleted_statement_times(table, account, prints)
        rejected = rejections.find_rejections(table, account, prints)
        return [
            (candidate, _unless_removed(candidate, decision, found))
            for candidate, decision in plan_decisions(candidates, found.near, forgotten, rejected)
        ]

    def _change(
        self, number: int, candidate: Verified, decision: Decision, found: RelatedMemories
    ) -> NewRevision | None:
        # A memory dates from the exchange it was learned in, not from when the queue got to it.
        at, vector = self.material.job.created_at, self.understood.vectors[number]
        if isinstance(decision, Add | Challenge):
            memory_id = ids.derived_id("mem", at, f"{self.account}|{self.material.job.id}|{number}")
            made = memory_revisions.first_revision(candidate, memory_id, at)
            if isinstance(decision, Challenge):
                made = memory_revisions.as_challenge(made, decision.memory)
            made = _after(made, decision.earlier, found)
            return self._new(made, vector, None, ("text", "evidence"))
        if isinstance(decision, Revise):
            head = found.head(decision.memory)
            made = memory_revisions.revision_with_new_text(head.memory, candidate, at)
            made = with_fingerprints_of(made, head.memory)
            made = _after(made, decision.earlier, found)
            return self._new(made, vector, head, ("text", "evidence", "references"))
        if isinstance(decision, Extend):
            return self._extended(found.head(decision.memory), decision.citations)
        return None

    def _new(
        self, memory: Memory, vector: Vectors, before: Head | None, changed: tuple[str, ...]
    ) -> NewRevision:
        language = self.material.exchange.language
        entry = index_entry(memory, vector, self.deps.embedder.space, language)
        status = status_after_new_text(before.status) if before else NEW_STATUS
        return NewRevision(memory, entry, before, changed, status)

    def _extended(self, head: Head, citations: tuple[Citation, ...]) -> NewRevision:
        """More evidence for the same words: the vector stays as it is."""
        entry = index_placement.entry_of(self.deps.table, self.account, head)
        memory = memory_revisions.revision_with_evidence(head.memory, citations)
        entry = replace(entry, source_turns=source_turns(memory))
        status = _said_again(head, memory)
        names = ("evidence", *changed_fields(head.status, status))
        return NewRevision(memory, entry, head, names, status)

    def _flagging(self, planned: Planned, found: RelatedMemories) -> list[StatusChange]:
        """What is challenged is flagged, once; not what another candidate makes a revision of."""
        revised = {d.memory.id for _, d in planned if isinstance(d, Extend | Revise)}
        challenged = {d.memory.id for _, d in planned if isinstance(d, Challenge)} - revised
        heads = [found.heads[name] for name in sorted(challenged)]
        return [
            StatusChange(head, _flagged(head.status, Flag.CHALLENGED), ("flags",))
            for head in heads
            if isinstance(head, Head) and Flag.CHALLENGED not in head.status.flags
        ]

    def _ending(
        self,
        planned: Planned,
        changes: Sequence[NewRevision],
        flagging: Sequence[StatusChange],
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


def _with_its_flag(change: NewRevision, planned: Planned) -> NewRevision:
    """What is said again and contradicted by one exchange is flagged in the same revision."""
    challenged = {d.memory.id for _, d in planned if isinstance(d, Challenge)}
    status = change.status
    if change.memory.id not in challenged or Flag.CHALLENGED in status.flags:
        return change
    flagged = _flagged(status, Flag.CHALLENGED)
    return replace(change, status=flagged, changed=(*change.changed, "flags"))


def _after(memory: Memory, earlier: Reference | None, found: RelatedMemories) -> Memory:
    if earlier is None:
        return memory
    return memory_revisions.with_predecessor(memory, earlier, found.memory(earlier))


def _said_again(head: Head, memory: Memory) -> MemoryStatus:
    """How a memory stands that was said again: what no source supported any more, one does now.

    It is no longer stale if what had been replaced is out of its evidence.
    """
    status = head.status
    update: dict[str, object] = {}
    if status.state is State.RETRACTED and status.retracted_by is None:
        update["state"] = State.ACTIVE
    if not set(head.memory.evidence) <= set(memory.evidence):
        update["stale_since"] = None
        # The words that stand there now say it, too.
        update["flags"] = tuple(f for f in status.flags if f is not Flag.SOURCE_REPLACED)
    return status.model_copy(update=update)


def _flagged(status: MemoryStatus, flag: Flag) -> MemoryStatus:
    return status.model_copy(update={"flags": (*status.flags, flag)})


def _unless_removed(candidate: Verified, decision: Decision, found: RelatedMemories) -> Decision:
    """What the user deleted isn't learned again from the very words it was learned from."""
    if not isinstance(decision, Add | Challenge):
        return decision
    if any(same_words_cited(mine, other) for mine in candidate.evidence for other in found.closed):
        return Skip(FORGOTTEN)
    return decision
