"""Importing a conversation that was had elsewhere: all of it becomes a session, or nothing.

The turns are written first and the session last: until then nobody can see any of it. A deletion
job stands by from before the first write and is called off together with the session's making,
so that what a killed import leaves behind is removed like any deleted session.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from functions.checkpoint.imports import conversation_formats, transcript_parser
from functions.checkpoint.imports.session_records import Imported, made
from functions.checkpoint.imports.transcript_parser import Said, Skipped, Transcript
from functions.checkpoint.imports.turn_pairing import Pair, pairs_of, timed
from functions.checkpoint.requests import NewImport
from functions.checkpoint.responses import ImportedSession
from strandline import ids
from strandline.dependencies import Dependencies
from strandline.errors import Conflict, Invalid, TooLarge
from strandline.models.session import Session
from strandline.store import jobs
from strandline.store.conversations import sessions, spaces
from strandline.table import ConditionFailed
from strandline.use_cases.job_dispatch import send_jobs

MAX_TURNS = 2_000
MAX_CONTENT_BYTES = 100_000
REMOVED_AFTER = timedelta(minutes=10)
"""How long an import may take before what it has written counts as left behind."""
_EXCERPT = 200


def import_conversation(deps: Dependencies, account: str, wanted: NewImport) -> ImportedSession:
    """Make a session of a conversation.

    Raises NotFound for a space that isn't there, Invalid for what can't be read as a
    conversation and TooLarge, all before anything is written.
    """
    if wanted.space_id is not None:
        spaces.get(deps.table, account, wanted.space_id)
    transcript = _transcript(wanted)
    paired = pairs_of(transcript.said)
    if not paired.pairs:
        raise Invalid("There is no message of a user in it.")
    at = deps.clock()
    pairs, changed = timed(paired.pairs, at)
    _check(pairs)
    title = wanted.title or (transcript.title or "").strip()[:200] or None
    imported = made(account, _session(wanted, title, pairs, at), pairs, extract=wanted.extract)
    _write(deps, imported)
    send_jobs(deps, account, [job.id for job in imported.jobs])
    return ImportedSession(
        **imported.session.model_dump(),
        turns=len([*_all(pairs)]),
        joined=paired.joined,
        times_changed=changed,
        skipped=tuple(_excerpt(each) for each in (*transcript.skipped, *paired.skipped)),
        jobs=tuple(job.id for job in imported.jobs),
    )


def _session(wanted: NewImport, title: str | None, pairs: Sequence[Pair], at: datetime) -> Session:
    return Session(
        id=ids.new_id("ses", at),
        title=title,
        space_id=wanted.space_id,
        last_sequence_number=2 * len(pairs),
        created_at=at,
        updated_at=at,
    )


def _transcript(wanted: NewImport) -> Transcript:
    if wanted.messages is not None:
        return conversation_formats.of_messages(list(wanted.messages))
    if wanted.conversation is not None:
        return conversation_formats.of_export(wanted.conversation)
    return transcript_parser.of_text(wanted.text or "")


def _check(pairs: Sequence[Pair]) -> None:
    if 2 * len(pairs) > MAX_TURNS:
        raise TooLarge(f"A conversation of more than {MAX_TURNS} turns can't be imported.")
    for number, said in enumerate(_all(pairs), start=1):
        if len(said.content.encode()) > MAX_CONTENT_BYTES:
            raise TooLarge(f"Turn {number} is longer than {MAX_CONTENT_BYTES} bytes.")


def _all(pairs: Sequence[Pair]) -> Iterator[Said]:
    for pair in pairs:
        yield pair.question
        if pair.answer is not None:
            yield pair.answer


def _excerpt(skipped: Skipped) -> Skipped:
    if len(skipped.content) <= _EXCERPT:
        return skipped
    return skipped.model_copy(update={"content": f"{skipped.content[: _EXCERPT - 1]}…"})


def _write(deps: Dependencies, wanted: Imported) -> None:
    """Everything of the session, then the session itself. Raises NotFound, Conflict.

    Its jobs come with it, not before: a worker that met one of a session that isn't there would
    cancel it. Those that one transaction can't hold follow.
    """
    table, account, at = deps.table, wanted.account, deps.clock()
    table.transact(jobs.creation_writes(account, wanted.cleaning, at + REMOVED_AFTER))
    for batch in wanted.contents(deps.settings.chat_model):
        table.transact(batch)
    due_at = at + timedelta(seconds=deps.settings.job_redrive_seconds)
    first, *rest = wanted.learning(due_at)
    # The removal that stood by; its mark is taken away when it comes due.
    called_off = jobs.cancel_queued_write(account, wanted.cleaning.id, "the import is complete", at)
    try:
        sessions.create(table, account, wanted.session, [called_off, *first])
    except ConditionFailed:
        raise Conflict("The import took too long.") from None
    for batch in rest:
        table.transact(batch)
