"""Turns, their receipts and notes."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat import receipt_view, send_message
from functions.chat import replace_turn as replacing
from functions.chat.requests import NewNote, Replacement
from functions.chat.responses import Answer
from strandline.api import cursor as cursors
from strandline.api.app import account
from strandline.api.fields import IdempotencyKey
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.deletion import requests
from strandline.models.receipt import ReceiptView
from strandline.models.turn import Note, Turn
from strandline.runtime import runtime
from strandline.store.conversations import sessions, turn_notes, turns

router = Router()


@router.get("/v1/sessions/<session_id>/turns")
def list_turns(session_id: str, limit: Limit = 20, cursor: Cursor = None) -> Page[Turn]:
    """A session's turns, oldest first."""
    now, this = runtime(), ("turns", account(router), session_id)
    sessions.get(now.table, account(router), session_id)
    after = cursors.read_cursor(cursor, *this)
    return to_page(
        turns.page(now.table, account(router), session_id, limit, after, now.clock()), *this
    )


@router.get("/v1/turns/<turn_id>")
def read_turn(turn_id: str) -> Turn:
    """One turn."""
    now = runtime()
    return turns.get(now.table, account(router), turn_id, now.clock())


@router.post("/v1/turns/<turn_id>/replacement", status_code=201)
def replace_turn(
    turn_id: str, replacement: Replacement, idempotency_key: IdempotencyKey = None
) -> Turn:
    """Give a turn another transcript; memories that rest on the earlier one become stale."""
    asked = replacing.ReplacementRequest(
        account(router),
        turn_id,
        replacement.content,
        replacement.expected_version,
        idempotency_key,
    )
    return replacing.replace_transcript(runtime(), asked)


@router.delete("/v1/turns/<turn_id>", status_code=204)
def delete_turn(turn_id: str) -> None:
    """Delete a turn's words and what rests on them alone; its place in the session stays."""
    requests.delete_turn(runtime(), account(router), turn_id)


@router.post("/v1/turns/<turn_id>/reply", status_code=201)
def reply(turn_id: str) -> Answer:
    """Answer a question that stayed unanswered; an answered one gives its answer again."""
    now = runtime()
    deadline = send_message.answer_deadline(now, router.lambda_context)
    return send_message.answer_stored_question(now, account(router), turn_id, deadline)


@router.get("/v1/turns/<turn_id>/receipt")
def read_receipt(turn_id: str) -> ReceiptView:
    """What an answer's prompt held; of either turn of the exchange."""
    return receipt_view.read_receipt_view(runtime(), account(router), turn_id)


@router.post("/v1/turns/<turn_id>/notes", status_code=201)
def add_note(turn_id: str, note: NewNote) -> Note:
    """Attach a note to a turn."""
    now, at = runtime(), runtime().clock()
    turn = turns.get(now.table, account(router), turn_id, at)
    return turn_notes.add(now.table, account(router), turn, note.content, at)


@router.get("/v1/turns/<turn_id>/notes")
def list_notes(turn_id: str, limit: Limit = 20, cursor: Cursor = None) -> Page[Note]:
    """A turn's notes, oldest first."""
    now, this = runtime(), ("notes", account(router), turn_id)
    turn = turns.get(now.table, account(router), turn_id, now.clock())
    after = cursors.read_cursor(cursor, *this)
    return to_page(turn_notes.page(now.table, account(router), turn, limit, after), *this)
