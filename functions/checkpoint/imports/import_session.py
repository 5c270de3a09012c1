"""Imports a conversation that took place elsewhere: all of it becomes a session, or nothing.

The turns are written first and the session last; until then nothing of it is visible. A deletion
job is created before the first write and cancelled in the transaction that stores the session. So
what a killed import leaves behind is deleted like any deleted session.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from functions.checkpoint.imports.api_messages import parse_api_messages
from functions.checkpoint.imports.chatgpt_export import parse_chatgpt_export
from functions.checkpoint.imports.session_records import ImportRecords, build_import_records
from functions.checkpoint.imports.text_transcript import parse_text_transcript
from functions.checkpoint.imports.transcript import ImportedMessage, Skipped, Transcript
from functions.checkpoint.imports.turn_pairing import TurnPair, assign_times, pair_turns
from functions.checkpoint.requests import NewImport
from functions.checkpoint.responses import ImportedSession
from strandline import ids
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, Invalid, TooLarge
from strandline.models.session import Session
from strandline.store import job_transitions, jobs
from strandline.store.conversations import sessions, spaces
from strandline.table import ConditionFailed
from strandline.use_cases.job_dispatch import send_jobs

MAX_TURNS = 2_000
MAX_CONTENT_BYTES = 100_000
CLEANUP_DELAY = timedelta(minutes=10)
"""How long an import may take before the cleanup job deletes what it has written."""
_EXCERPT_CHARACTERS = 200


def import_conversation(deps: Dependencies, account: str, request: NewImport) -> ImportedSession:
    """Imports a conversation; returns its session.

    Raises NotFound for a missing space, Invalid for an unreadable conversation and TooLarge, all
    before anything is written; Conflict when writing took too long.
    """
    if request.space_id is not None:
        spaces.get(deps.table, account, request.space_id)
    transcript = _parse(request)
    paired = pair_turns(transcript.messages)
    if not paired.pairs:
        raise Invalid("There is no message of a user in it.")
    at = deps.clock()
    pairs, changed = assign_times(paired.pairs, at)
    _check_limits(pairs)
    title = request.title or (transcript.title or "").strip()[:200] or None
    session = _new_session(request.space_id, title, pairs, at)
    records = build_import_records(account, session, pairs, extract=request.extract)
    _write_session(deps, records)
    send_jobs(deps, account, [job.id for job in records.jobs])
    return ImportedSession(
        **session.model_dump(),
        turns=len([*_messages(pairs)]),
        joined=paired.joined,
        times_changed=changed,
        skipped=tuple(_shorten_skipped(each) for each in (*transcript.skipped, *paired.skipped)),
        jobs=tuple(job.id for job in records.jobs),
    )


def _new_session(
    space_id: str | None, title: str | None, pairs: Sequence[TurnPair], at: datetime
) -> Session:
    return Session(
        id=ids.new_id("ses", at),
        title=title,
        space_id=space_id,
        last_sequence_number=2 * len(pairs),
        created_at=at,
        updated_at=at,
    )


def _parse(request: NewImport) -> Transcript:
    if request.messages is not None:
        return parse_api_messages(list(request.messages))
    if request.conversation is not None:
        return parse_chatgpt_export(request.conversation)
    return parse_text_transcript(request.text or "")


def _check_limits(pairs: Sequence[TurnPair]) -> None:
    """Raises TooLarge for too many turns or a turn that is too long."""
    if 2 * len(pairs) > MAX_TURNS:
        raise TooLarge(f"A conversation of more than {MAX_TURNS} turns can't be imported.")
    for number, message in enumerate(_messages(pairs), start=1):
        if len(message.content.encode()) > MAX_CONTENT_BYTES:
            raise TooLarge(f"Turn {number} is longer than {MAX_CONTENT_BYTES} bytes.")


def _messages(pairs: Sequence[TurnPair]) -> Iterator[ImportedMessage]:
    for pair in pairs:
        yield pair.question
        if pair.answer is not None:
            yield pair.answer


def _shorten_skipped(skipped: Skipped) -> Skipped:
    if len(skipped.content) <= _EXCERPT_CHARACTERS:
        return skipped
    return skipped.model_copy(update={"content": f"{skipped.content[: _EXCERPT_CHARACTERS - 1]}…"})


def _write_session(deps: Dependencies, records: ImportRecords) -> None:
    """Writes the turns, then the session and its jobs. Raises NotFound, Conflict.

    The jobs are not written before the session: a worker cancels a job whose session is missing.
    Jobs that don't fit into the session's transaction follow it.
    """
    table, account, at = deps.table, records.account, deps.clock()
    table.transact(jobs.creation_writes(account, records.cleanup_job, at + CLEANUP_DELAY))
    for batch in records.turn_batches(deps.settings.chat_model):
        table.transact(batch)
    due_at = at + timedelta(seconds=deps.settings.job_redrive_seconds)
    first, *rest = records.job_batches(due_at)
    # The open mark of the cancelled job is deleted when it comes due.
    reason = "the import is complete"
    cancellation = job_transitions.cancel_queued_write(account, records.cleanup_job.id, reason, at)
    try:
        sessions.create(table, account, records.session, [cancellation, *first])
    except ConditionFailed:
        raise Conflict("The import took too long.") from None
    for batch in rest:
        table.transact(batch)
