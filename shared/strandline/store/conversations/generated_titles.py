"""Generated session titles: one attempt for each session, and only while it has no title."""

from strandline import keys
from strandline.store.conversations.spaces import EXISTS
from strandline.table import ConditionFailed, Table
from strandline.writes import Write, update

UNTITLED = f"{EXISTS} AND attribute_not_exists(title)"


def claim_title_attempt(table: Table, account: str, session_id: str) -> bool:
    """Claims a session's only attempt at a generated title; whether it was still available."""
    operation = update(
        keys.session(account, session_id),
        "SET title_state = :tried",
        condition=f"{UNTITLED} AND attribute_not_exists(title_state)",
        values={":tried": "tried"},
    )
    return _write_if_allowed(table, operation)


def set_generated_title(table: Table, account: str, session_id: str, title: str) -> bool:
    """Stores a generated title; False when the session has a title or is gone by now."""
    operation = update(
        keys.session(account, session_id),
        "SET title = :title, title_source = :generated, title_state = :made",
        condition=UNTITLED,
        values={":title": title, ":generated": "generated", ":made": "made"},
    )
    return _write_if_allowed(table, operation)


def record_title_failure(table: Table, account: str, session_id: str, reason: str) -> None:
    """Stores why the attempt failed, if the session still exists."""
    operation = update(
        keys.session(account, session_id),
        "SET title_reason = :reason",
        condition=EXISTS,
        values={":reason": reason},
    )
    _write_if_allowed(table, operation)


def _write_if_allowed(table: Table, operation: Write) -> bool:
    """Writes, and returns whether the precondition held."""
    try:
        table.write(operation)
    except ConditionFailed:
        return False
    return True
