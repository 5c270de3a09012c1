"""Plans the changes to memories that follow from the candidates of one exchange."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from functions.extract.candidates.candidate import ExtractedCandidates, VerifiedCandidate
from functions.extract.job_input import JobInput
from functions.extract.outcome import Outcome
from functions.extract.reconciliation import memory_revisions, reference_refresh
from functions.extract.reconciliation.decisions import (
    AddEvidence,
    AddMemory,
    ChallengeMemory,
    Decision,
    ReviseMemory,
    SkipCandidate,
)
from functions.extract.reconciliation.reconcile import ECHO, plan_decisions
from functions.extract.reconciliation.related_memories import RelatedMemories, related_to_exchange
from functions.extract.reconciliation.suppression import (
    CORRECTED,
    FORGOTTEN,
    REJECTED,
    same_words_cited,
)
from strandline import ids
from strandline.dependencies import Dependencies
from strandline.language.statements import statement_fingerprints
from strandline.memories import index_placement
from strandline.memories.transaction import NewRevision, StatusChange, count_writes
from strandline.models.job import Dropped, JobResult, JobState
from strandline.models.memory import Citation, Memory, Reference, with_fingerprints_of
from strandline.models.memory_head import Head
from strandline.models.memory_status import NEW_STATUS, Flag, changed_fields, status_after_new_text
from strandline.providers.vector_types import Vectors
from strandline.recall.index_entries import index_entry, source_turns
from strandline.store.memories import suppressed_statements
from strandline.writes import MAX_TRANSACTION_ITEMS

ALREADY_KNOWN = "already known from these words"
NO_ROOM = "too much else of the exchange changes what is known"
REASONS_WITHOUT_TEXT = frozenset({ALREADY_KNOWN, ECHO, FORGOTTEN, REJECTED, CORRECTED})
"""The job keeps no text with these reasons: it is a memory's text and must go with the memory."""

_JOB_END_WRITES = 5
"""The check of the session, the job's end and its open mark, and the checks of both turns."""

_WRITES_PER_REFRESH_JOB = 2
"""The job that refreshes references to a changed memory, and its open mark."""

DecidedCandidates = list[tuple[VerifiedCandidate, Decision]]


@dataclass(frozen=True, slots=True)
class ChangePlanner:
    """Turns the candidates of one exchange into changes to an account's memories."""

    deps: Dependencies
    account: str
    job_input: JobInput
    extracted: ExtractedCandidates

    def plan_outcome(self) -> Outcome:
        """Returns the job's outcome with its changes, which fit into one transaction.

        Raises HeadChanged when a memory changed while it was read.
        """
        related = related_to_exchange(self.deps, self.account, self.job_input, self.extracted)
        decided = self._decide(related)
        changes = {
            number: change
            for number, (candidate, decision) in enumerate(decided)
            if (change := self._change(number, candidate, decision, related)) is not None
        }
        flag_changes = self._challenge_flags(decided, related)
        changes = {number: _flag_if_challenged(each, decided) for number, each in changes.items()}
        kept = self._changes_with_room(list(changes.values()), flag_changes)
        for number, change in changes.items():
            if change not in kept:
                decided[number] = (decided[number][0], SkipCandidate(NO_ROOM))
        return self._outcome(decided, kept, flag_changes)

    def _decide(self, related: RelatedMemories) -> DecidedCandidates:
        table, account, candidates = self.deps.table, self.account, self.extracted.candidates
        fingerprints = {print_ for each in candidates for print_ in statement_fingerprints(each)}
        forgotten = suppressed_statements.deleted_statement_times(table, account, fingerprints)
        rejected = suppressed_statements.find_rejections(table, account, fingerprints)
        decided = plan_decisions(candidates, related.by_candidate, forgotten, rejected)
        return [(each, _unless_deleted(each, decision, related)) for each, decision in decided]

    def _change(
        self,
        number: int,
        candidate: VerifiedCandidate,
        decision: Decision,
        related: RelatedMemories,
    ) -> NewRevision | None:
        """Returns the change for the candidate of that number; None if nothing is stored."""
        # A memory dates from its exchange, not from when the job ran.
        at, vector = self.job_input.job.created_at, self.extracted.vectors[number]
        if isinstance(decision, AddMemory | ChallengeMemory):
            seed = f"{self.account}|{self.job_input.job.id}|{number}"
            memory = memory_revisions.first_revision(candidate, ids.derived_id("mem", at, seed), at)
            if isinstance(decision, ChallengeMemory):
                memory = memory_revisions.as_challenge(memory, decision.memory)
            memory = _with_predecessor(memory, decision.predecessor, related)
            return self._new_text(memory, vector, None, ("text", "evidence"))
        if isinstance(decision, ReviseMemory):
            head = related.head(decision.memory)
            memory = memory_revisions.revision_with_new_text(head.memory, candidate, at)
            memory = with_fingerprints_of(memory, head.memory)
            memory = _with_predecessor(memory, decision.predecessor, related)
            return self._new_text(memory, vector, head, ("text", "evidence", "references"))
        if isinstance(decision, AddEvidence):
            return self._more_evidence(related.head(decision.memory), decision.citations)
        return None

    def _new_text(
        self, memory: Memory, vector: Vectors, before: Head | None, changed: tuple[str, ...]
    ) -> NewRevision:
        language = self.job_input.exchange.language
        entry = index_entry(memory, vector, self.deps.embedder.space, language)
        status = status_after_new_text(before.status) if before else NEW_STATUS
        return NewRevision(memory, entry, before, changed, status)

    def _more_evidence(self, head: Head, citations: tuple[Citation, ...]) -> NewRevision:
        """Returns a revision with the same text, and so with the same vector."""
        entry = index_placement.read_entry(self.deps.table, self.account, head)
        memory = memory_revisions.revision_with_evidence(head.memory, citations)
        entry = replace(entry, source_turns=source_turns(memory))
        status = memory_revisions.status_after_evidence(head, memory)
        changed = ("evidence", *changed_fields(head.status, status))
        return NewRevision(memory, entry, head, changed, status)

    def _challenge_flags(
        self, decided: DecidedCandidates, related: RelatedMemories
    ) -> list[StatusChange]:
        """Returns the changes that flag challenged memories which get no revision of their own."""
        revised = {d.memory.id for _, d in decided if isinstance(d, AddEvidence | ReviseMemory)}
        heads = [related.heads[name] for name in sorted(_challenged_ids(decided) - revised)]
        return [
            StatusChange(head, memory_revisions.with_flag(head.status, Flag.CHALLENGED), ("flags",))
            for head in heads
            if isinstance(head, Head) and Flag.CHALLENGED not in head.status.flags
        ]

    def _changes_with_room(
        self, changes: Sequence[NewRevision], flag_changes: Sequence[StatusChange]
    ) -> list[NewRevision]:
        at = self.deps.clock()
        jobs = reference_refresh.refresh_jobs(self.deps, self.account, changes, at)
        referenced = {job.memory_id or "" for job in jobs}
        return changes_that_fit(self.account, changes, flag_changes, referenced, at)

    def _outcome(
        self,
        decided: DecidedCandidates,
        changes: Sequence[NewRevision],
        flag_changes: Sequence[StatusChange],
    ) -> Outcome:
        dropped = list(self.extracted.dropped)
        for candidate, decision in decided:
            if not isinstance(decision, AddMemory | ChallengeMemory | ReviseMemory | AddEvidence):
                reason = decision.reason if isinstance(decision, SkipCandidate) else ALREADY_KNOWN
                text = "" if reason in REASONS_WITHOUT_TEXT else candidate.text
                dropped.append(Dropped(text=text, reason=reason))
        stored = tuple(change.memory.id for change in changes)
        result = JobResult(stored=stored, dropped=tuple(dropped))
        if not stored:
            return Outcome(JobState.NONE, "nothing new", result)
        return Outcome(JobState.STORED, None, result, (*changes, *flag_changes))


def changes_that_fit(
    account: str,
    changes: Sequence[NewRevision],
    flag_changes: Sequence[StatusChange],
    referenced: Collection[str],
    at: datetime,
) -> list[NewRevision]:
    """Returns the changes that fit into the transaction that ends the job, in their order.

    Challenges come first, since `flag_changes` flag what they challenge. `referenced` are the ids
    of memories whose change needs a job that refreshes references.
    """
    kept = [change for change in changes if change.memory.challenges is not None]
    for change in changes:
        if change in kept:
            continue
        tried = [*kept, change]
        jobs = sum(each.memory.id in referenced for each in tried)
        writes = count_writes(account, [*tried, *flag_changes], at) + _WRITES_PER_REFRESH_JOB * jobs
        if writes + _JOB_END_WRITES <= MAX_TRANSACTION_ITEMS:
            kept.append(change)
    return [change for change in changes if change in kept]


def _challenged_ids(decided: DecidedCandidates) -> set[str]:
    return {d.memory.id for _, d in decided if isinstance(d, ChallengeMemory)}


def _flag_if_challenged(change: NewRevision, decided: DecidedCandidates) -> NewRevision:
    """Returns the revision, flagged if the same exchange also challenges its memory."""
    challenged = change.memory.id in _challenged_ids(decided)
    if not challenged or Flag.CHALLENGED in change.status.flags:
        return change
    status = memory_revisions.with_flag(change.status, Flag.CHALLENGED)
    return replace(change, status=status, changed=(*change.changed, "flags"))


def _with_predecessor(
    memory: Memory, predecessor: Reference | None, related: RelatedMemories
) -> Memory:
    if predecessor is None:
        return memory
    return memory_revisions.with_predecessor(memory, predecessor, related.memory(predecessor))


def _unless_deleted(
    candidate: VerifiedCandidate, decision: Decision, related: RelatedMemories
) -> Decision:
    """Returns the decision, but skips what cites the words of a memory the user deleted."""
    if not isinstance(decision, AddMemory | ChallengeMemory):
        return decision
    deleted = related.deleted_citations
    if any(same_words_cited(a, b) for a in candidate.evidence for b in deleted):
        return SkipCandidate(FORGOTTEN)
    return decision
