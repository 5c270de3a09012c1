"""The embedded table on disk: SQLite in the data folder, one row an item.

Writes are noted in memory under the lock of the call that made them, and saved every quarter of
a second, all that were noted in one SQLite transaction: what a DynamoDB transaction wrote
together is on disk together or not at all. A killed process loses at most the last interval.
"""

import base64
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.partitioned_table import Attributes, Key

SAVE_EVERY_SECONDS = 0.25
FORMAT = 1

_log = logging.getLogger("infra.local")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    pk TEXT NOT NULL, sk TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (pk, sk)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (queue TEXT NOT NULL, message TEXT NOT NULL);
"""


class UnknownFormat(Exception):
    """The data folder was written by another version."""


@dataclass(frozen=True, slots=True)
class KeptMessage:
    """A queue's message that outlives a clean stop."""

    queue: str
    body: str
    group: str | None
    receives: int


class Shelf:
    """The saved items and messages. Notes come from any thread; `save` is one at a time."""

    def __init__(self, path: Path) -> None:
        self._notes: dict[Key, str | None] = {}
        self._notes_lock = threading.Lock()
        self._save_lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="save", daemon=True)
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        found = self._db.execute("PRAGMA user_version").fetchone()[0]
        if found not in (0, FORMAT):
            self._db.close()
            raise UnknownFormat(f"{path} has format {found}; this version knows {FORMAT}")
        self._db.executescript(_SCHEMA)
        self._db.execute(f"PRAGMA user_version={FORMAT}")

    def items(self) -> Iterator[Attributes]:
        """Every saved item that hasn't expired; the expired ones are dropped, as by TTL."""
        now = time.time()
        for pk, sk, text in self._db.execute("SELECT pk, sk, item FROM items").fetchall():
            item = decode(text)
            if float(item.get("expires_at", {}).get("N", "inf")) <= now:
                self.note("", {(pk, sk): None})
            else:
                yield item

    def note(self, _table: str, items: dict[Key, Attributes | None]) -> None:
        """Remember what to save: items as they now are, None where one is gone."""
        texts = {key: None if item is None else encode(item) for key, item in items.items()}
        with self._notes_lock:
            self._notes |= texts

    def save(self) -> None:
        """Bring all notes to disk, together. Notes that couldn't be saved are kept."""
        with self._save_lock:
            with self._notes_lock:
                notes, self._notes = self._notes, {}
            try:
                self._write(notes)
            except BaseException:
                with self._notes_lock:
                    self._notes = notes | self._notes
                raise

    def start(self) -> None:
        """Save in the background from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Save what is left and let go of the file."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()
        try:
            self.save()
        finally:
            self._db.close()

    def keep_messages(self, messages: list[KeptMessage]) -> None:
        """Keep the queues' messages over a clean stop."""
        rows = [(m.queue, json.dumps([m.body, m.group, m.receives])) for m in messages]
        with self._save_lock:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT INTO messages VALUES (?, ?)", rows)
            self._db.execute("COMMIT")

    def take_messages(self) -> list[KeptMessage]:
        """The kept messages, which are kept no longer: their jobs are in the table."""
        rows = self._db.execute("SELECT queue, message FROM messages ORDER BY rowid").fetchall()
        self._db.execute("DELETE FROM messages")
        return [KeptMessage(queue, *json.loads(message)) for queue, message in rows]

    def _write(self, notes: dict[Key, str | None]) -> None:
        if not notes:
            return
        kept: list[Any] = [(*key, text) for key, text in notes.items() if text is not None]
        gone = [key for key, text in notes.items() if text is None]
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany("INSERT OR REPLACE INTO items VALUES (?, ?, ?)", kept)
            self._db.executemany("DELETE FROM items WHERE pk = ? AND sk = ?", gone)
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def _run(self) -> None:
        while not self._stopped.wait(SAVE_EVERY_SECONDS):
            try:
                self.save()
            except sqlite3.Error as error:
                # The notes are kept and tried again: a full disk may have room in a moment.
                _log.error("can't save to the data folder: %s", error)


def encode(item: Attributes) -> str:
    """An item as DynamoDB's own JSON, bytes as base64."""
    return json.dumps(
        item, separators=(",", ":"), default=lambda raw: base64.b64encode(raw).decode()
    )


def decode(text: str) -> Attributes:
    """The item that `encode` was given."""
    return {name: _attribute(value) for name, value in json.loads(text).items()}


def _attribute(value: dict[str, Any]) -> dict[str, Any]:
    [(kind, inner)] = value.items()
    if kind == "B":
        return {kind: base64.b64decode(inner)}
    if kind == "BS":
        return {kind: [base64.b64decode(raw) for raw in inner]}
    if kind == "L":
        return {kind: [_attribute(element) for element in inner]}
    if kind == "M":
        return {kind: {name: _attribute(element) for name, element in inner.items()}}
    return value
