"""Turns with their receipts and notes."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.chat import receipt_view
from functions.chat.replace_turn import ReplacementRequest, replace_transcript
from functions.chat.requests import NewNote, Replacement
from functions.chat.responses import Answer
from functions.chat.send_message import answer_deadline, answer_stored_question
from strandline.api.app import account
from strandline.api.cursor import read_cursor
from strandline.api.fields import IdempotencyKey
from strandline.api.paging import Cursor, Limit, Page, to_page
from strandline.deletion import deletion_requests
from strandline.models.receipt import ReceiptView
from strandline.models.turn import Note, Turn
from strandline.runtime import runtime
from strandline.store.conversations import sessions, turn_notes, turn_queries, turns
from strandline.store.conversations.turn_queries import TurnRange
from strandline.store.pagination import PageRequest

router = Router()


@router.get("/v1/sessions/<session_id>/turns")
def list_turns(session_id: str, limit: Limit = 20, cursor: Cursor = None) -> Page[Turn]:
    """Lists a session's turns, oldest first."""
    deps, list_key = runtime(), ("turns", account(router), session_id)
    sessions.get(deps.table, account(router), session_id)
    request = PageRequest(limit, read_cursor(cursor, *list_key))
    all_turns = TurnRange(session_id)
    found = turn_queries.page(deps.table, account(router), all_turns, request, deps.clock())
    return to_page(found, *list_key)


@router.get("/v1/turns/<turn_id>")
def read_turn(turn_id: str) -> Turn:
    """Returns one turn."""
    deps = runtime()
    return turns.get(deps.table, account(router), turn_id, deps.clock())


@router.post("/v1/turns/<turn_id>/replacement", status_code=201)
def replace_turn(
    turn_id: str, replacement: Replacement, idempotency_key: IdempotencyKey = None
) -> Turn:
    """Replaces a turn's content. Memories that cite the earlier content become stale."""
    asked = ReplacementRequest(
        account(router),
        turn_id,
        replacement.content,
        replacement.expected_version,
        idempotency_key,
    )
    return replace_transcript(runtime(), asked)


@router.delete("/v1/turns/<turn_id>", status_code=204)
def delete_turn(turn_id: str) -> None:
    """Deletes a turn's content and the memories that rest on it alone.

    The turn keeps its sequence number in the session.
    """
    deletion_requests.delete_turn(runtime(), account(router), turn_id)


@router.post("/v1/turns/<turn_id>/reply", status_code=201)
def reply(turn_id: str) -> Answer:
    """Answers a question that has no answer yet. For an answered one, returns its answer."""
    deps = runtime()
    deadline = answer_deadline(deps, router.lambda_context)
    return answer_stored_question(deps, account(router), turn_id, deadline)


@router.get("/v1/turns/<turn_id>/receipt")
def read_receipt(turn_id: str) -> ReceiptView:
    """Returns what an answer's prompt contained, by either turn of the exchange."""
    return receipt_view.read_receipt_view(runtime(), account(router), turn_id)


@router.post("/v1/turns/<turn_id>/notes", status_code=201)
def add_note(turn_id: str, note: NewNote) -> Note:
    """Adds a note to a turn."""
    deps = runtime()
    at = deps.clock()
    turn = turns.get(deps.table, account(router), turn_id, at)
    return turn_notes.add(deps.table, account(router), turn, note.content, at)


@router.get("/v1/turns/<turn_id>/notes")
def list_notes(turn_id: str, limit: Limit = 20, cursor: Cursor = None) -> Page[Note]:
    """Lists a turn's notes, oldest first."""
    deps, list_key = runtime(), ("notes", account(router), turn_id)
    turn = turns.get(deps.table, account(router), turn_id, deps.clock())
    request = PageRequest(limit, read_cursor(cursor, *list_key))
    return to_page(turn_notes.page(deps.table, account(router), turn, request), *list_key)
