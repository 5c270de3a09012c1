"""The model's part of an extraction: one call, its reply parsed, verified and embedded."""

from collections.abc import Sequence

from functions.extract.candidates.candidate import (
    Candidate,
    ExtractedCandidates,
    VerifiedCandidate,
)
from functions.extract.candidates.deduplication import merge_duplicates
from functions.extract.candidates.verification import verify_candidate
from functions.extract.exchange import Exchange
from functions.extract.model_call import prompt
from functions.extract.model_call.reply_parser import NoMemories, UnreadableReply, parse_reply
from functions.extract.model_call.reply_schema import SCHEMA
from functions.extract.outcome import Outcome
from strandline.clock import Deadline
from strandline.dependencies import Dependencies
from strandline.models.job import Dropped, JobResult, JobState
from strandline.providers.base import Completion, Finish
from strandline.recall.vectors import checked_vectors

MODEL_REFUSED = "the model refused"


def extract_candidates(
    deps: Dependencies, exchange: Exchange, deadline: Deadline
) -> ExtractedCandidates | Outcome:
    """Asks the model for memories of the exchange; returns those that pass verification.

    Returns an Outcome instead when nothing is left to store or the reply is unreadable.
    Raises a ModelError when the chat model or the embedder fails.
    """
    completion = _complete(deps, exchange, deadline)
    if completion.finish is Finish.REFUSAL:
        return Outcome(JobState.NONE, MODEL_REFUSED)
    parsed = parse_reply(completion.text)
    if isinstance(parsed, NoMemories):
        return Outcome(JobState.NONE, parsed.reason)
    if isinstance(parsed, UnreadableReply):
        return Outcome(JobState.FAILED, parsed.reason)
    candidates, unverified = _verify_all(parsed.items, exchange)
    dropped = (*parsed.dropped, *unverified)
    if not candidates:
        return Outcome(JobState.NONE, "nothing held up", JobResult(dropped=dropped))
    vectors = deps.embedder.embed([each.text for each in candidates], deadline=deadline)
    checked_vectors(vectors, len(candidates), deps.embedder.space)
    return ExtractedCandidates(candidates, vectors, dropped)


def _verify_all(
    proposed: Sequence[Candidate], exchange: Exchange
) -> tuple[tuple[VerifiedCandidate, ...], list[Dropped]]:
    results = [verify_candidate(candidate, exchange) for candidate in proposed]
    kept = merge_duplicates(result for result in results if isinstance(result, VerifiedCandidate))
    return kept, [result for result in results if isinstance(result, Dropped)]


def _complete(deps: Dependencies, exchange: Exchange, deadline: Deadline) -> Completion:
    """Calls the model; asks once more with less input if the reply was cut off."""
    seconds = min(deps.settings.background_timeout_seconds, deadline.remaining())
    call_deadline = Deadline.after(seconds)
    model = deps.background_model
    completion = model.complete(
        prompt.extraction_messages(exchange), schema=SCHEMA, deadline=call_deadline
    )
    if completion.finish is not Finish.LENGTH:
        return completion
    smaller = prompt.extraction_messages(exchange, prompt.SMALLER)
    return model.complete(smaller, schema=SCHEMA, deadline=call_deadline)
