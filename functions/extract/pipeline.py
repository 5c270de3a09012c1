"""Learning from one exchange: what the model finds, verified, embedded and set beside the known."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from functions.extract.candidates.candidate import Candidate, Verified
from functions.extract.candidates.deduplication import merge_duplicates
from functions.extract.candidates.verification import verify_candidate
from functions.extract.exchange import Exchange
from functions.extract.model_call import prompt
from functions.extract.model_call.reply_parser import Nothing, Unreadable, parse_reply
from functions.extract.model_call.reply_schema import SCHEMA
from strandline import keys
from strandline.clock import Deadline
from strandline.dependencies import Dependencies
from strandline.errors import NotFound
from strandline.memories.transaction import Change
from strandline.models.job import Dropped, Job, JobResult, JobState
from strandline.models.receipt import Receipt
from strandline.models.session import Mount
from strandline.models.turn import IMPORTED, Turn, TurnWindow
from strandline.providers.base import Completion, Finish
from strandline.providers.vector_types import Vectors
from strandline.recall.vectors import checked_vectors
from strandline.store.accounts import profiles
from strandline.store.conversations import receipts, sessions, turns

REFUSED = "the model refused"
EARLIER_TURNS = 4
EARLIER_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class ExchangeInput:
    """Everything a job's exchange consists of."""

    job: Job
    exchange: Exchange
    receipt: Receipt

    @property
    def turns(self) -> tuple[Turn, Turn]:
        """Its question and its answer."""
        return self.exchange.user, self.exchange.assistant


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ends, and what that changes."""

    state: JobState
    reason: str | None = None
    result: JobResult = field(default_factory=JobResult)
    changes: Sequence[Change] = ()


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedCandidates:
    """Candidates that hold up, each with its vector (rows in the same order), and the others."""

    candidates: tuple[Verified, ...]
    vectors: Vectors
    dropped: tuple[Dropped, ...]


def load_exchange(deps: Dependencies, account: str, job: Job) -> ExchangeInput:
    """Read what a job is about. Raises NotFound when its session or one of its turns is gone."""
    session_id, number = job.session_id or "", job.sequence_number
    session_key = keys.session(account, session_id)
    user_key = keys.turn(account, session_id, number)
    assistant_key = keys.turn(account, session_id, number + 1)
    receipt_key = keys.receipt(account, session_id, number + 1)
    profile_key = keys.profile(account)
    wanted = [session_key, user_key, assistant_key, receipt_key, profile_key]
    found = deps.table.get_many(wanted)
    session = sessions.session_from_item(found.get(session_key))
    if not {user_key, assistant_key, receipt_key} <= found.keys():
        raise NotFound
    at, rule = deps.clock(), profiles.retention_from_item(found.get(profile_key)).turns
    if any(turns.is_gone(found[key], rule, at) for key in (user_key, assistant_key)):
        raise NotFound
    profile = profiles.profile_from_item(found.get(profile_key))
    receipt = receipts.receipt_from_item(found[receipt_key])
    user = turns.turn_from_item(found[user_key], rule, at)
    assistant = turns.turn_from_item(found[assistant_key], rule, at)
    exchange = Exchange(
        user=user,
        assistant=assistant,
        earlier=_earlier(deps, account, session_id, number, receipt.boundary),
        time_zone=profile.time_zone,
        language=profile.language,
        dated=assistant.provider != IMPORTED or user.created_at != session.created_at,
    )
    return ExchangeInput(job, exchange, receipt)


def extract_candidates(
    deps: Dependencies, material: ExchangeInput, until: Deadline
) -> VerifiedCandidates | Outcome:
    """Ask the model, verify what it says and embed what holds up; or the end it comes to.

    Raises a ModelError.
    """
    completion = _ask(deps, material.exchange, until)
    if completion.finish is Finish.REFUSAL:
        return Outcome(JobState.NONE, REFUSED)
    parsed = parse_reply(completion.text)
    if isinstance(parsed, Nothing):
        return Outcome(JobState.NONE, parsed.reason)
    if isinstance(parsed, Unreadable):
        return Outcome(JobState.FAILED, parsed.reason)
    candidates, unverified = _verified(parsed.items, material.exchange)
    dropped = (*parsed.dropped, *unverified)
    if not candidates:
        return Outcome(JobState.NONE, "nothing held up", JobResult(dropped=dropped))
    vectors = deps.embedder.embed([each.text for each in candidates], deadline=until)
    checked_vectors(vectors, len(candidates), deps.embedder.space)
    return VerifiedCandidates(candidates, vectors, dropped)


def _verified(
    proposed: Sequence[Candidate], exchange: Exchange
) -> tuple[tuple[Verified, ...], list[Dropped]]:
    results = [verify_candidate(candidate, exchange) for candidate in proposed]
    kept = merge_duplicates(result for result in results if isinstance(result, Verified))
    return kept, [result for result in results if isinstance(result, Dropped)]


def _earlier(
    deps: Dependencies, account: str, session_id: str, number: int, boundary: Mount | None
) -> tuple[Turn, ...]:
    """A few turns before the exchange, oldest first: for pronouns.

    None that a mounted checkpoint hid from the answer: its words would come back in a memory
    that rests on the exchange alone.
    """
    limits = (EARLIER_TURNS, EARLIER_CHARACTERS)
    window = TurnWindow(after=boundary.history_base_seq) if boundary else TurnWindow()
    found, _ = turns.newest_turns(
        deps.table, account, session_id, window, number, limits=limits, at=deps.clock()
    )
    return tuple(reversed(found[:EARLIER_TURNS]))


def _ask(deps: Dependencies, exchange: Exchange, until: Deadline) -> Completion:
    """One call; a reply that was cut off is asked for once more, smaller."""
    left = min(deps.settings.background_timeout_seconds, until.remaining())
    deadline = Deadline.after(left)
    model = deps.background_model
    completion = model.complete(
        prompt.extraction_messages(exchange), schema=SCHEMA, deadline=deadline
    )
    if completion.finish is not Finish.LENGTH:
        return completion
    smaller = prompt.extraction_messages(exchange, prompt.SMALLER)
    return model.complete(smaller, schema=SCHEMA, deadline=deadline)
