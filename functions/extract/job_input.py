"""Reads what an extraction job works on: its exchange, with the receipt of the answer."""

from dataclasses import dataclass

from functions.extract.exchange import Exchange
from strandline import keys
from strandline.dependencies import Dependencies
from strandline.errors import NotFound
from strandline.models.job import Job
from strandline.models.receipt import Receipt
from strandline.models.session import Mount
from strandline.models.turn import IMPORTED, Turn, TurnWindow
from strandline.store.accounts import profiles
from strandline.store.conversations import receipts, sessions, turn_queries, turns
from strandline.store.conversations.turn_queries import HistoryQuery

EARLIER_TURNS = 4
EARLIER_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class JobInput:
    """A job, the exchange it learns from, and the receipt of the exchange's answer."""

    job: Job
    exchange: Exchange
    receipt: Receipt

    @property
    def turns(self) -> tuple[Turn, Turn]:
        """The user turn and the assistant turn, as they were read."""
        return self.exchange.user, self.exchange.assistant


def load_job_input(deps: Dependencies, account: str, job: Job) -> JobInput:
    """Reads the exchange of a job. Raises NotFound when its session or one of its turns is gone."""
    session_id, number = job.session_id or "", job.sequence_number
    user_key = keys.turn(account, session_id, number)
    assistant_key = keys.turn(account, session_id, number + 1)
    receipt_key = keys.receipt(account, session_id, number + 1)
    session_key, profile_key = keys.session(account, session_id), keys.profile(account)
    exchange_keys = [user_key, assistant_key, receipt_key]
    found = deps.table.get_many([session_key, *exchange_keys, profile_key])
    session = sessions.session_from_item(found.get(session_key))
    if any(key not in found for key in exchange_keys):
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
        earlier=_earlier_turns(deps, account, user, receipt.boundary),
        time_zone=profile.time_zone,
        language=profile.language,
        dated=assistant.provider != IMPORTED or user.created_at != session.created_at,
    )
    return JobInput(job, exchange, receipt)


def _earlier_turns(
    deps: Dependencies, account: str, user: Turn, boundary: Mount | None
) -> tuple[Turn, ...]:
    """Returns a few turns before the user turn, oldest first.

    Turns that a mounted checkpoint hid from the answer are left out. Otherwise their words could
    come back in a memory that cites the exchange alone.
    """
    window = TurnWindow(after=boundary.history_base_seq) if boundary else TurnWindow()
    history = HistoryQuery(
        user.session_id, window, user.sequence_number, EARLIER_TURNS, EARLIER_CHARACTERS
    )
    found, _ = turn_queries.newest_turns(deps.table, account, history, deps.clock())
    return tuple(reversed(found[:EARLIER_TURNS]))
