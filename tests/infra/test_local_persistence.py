"""What stays on disk: over a clean stop, over a kill, over a failed save."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local import persistence
from infra.local.persistence import Shelf, UnknownFormat, decode, encode
from infra.local.runner import FolderInUse, Home, Storage
from infra.local.template import load_template
from tests.support.laws import law

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "infra/data.yaml"


@contextmanager
def shelf(path: Path) -> Iterator[Shelf]:
    """A shelf that saves when it is told to."""
    opened = Shelf(path)
    yield opened
    opened.stop()


def item(pk: str, sk: str, **attributes: Any) -> dict[str, Any]:
    """An item in DynamoDB's JSON."""
    return {"pk": {"S": pk}, "sk": {"S": sk}, **attributes}


def saved(path: Path) -> list[tuple[str, str]]:
    """The keys on disk, read by another connection."""
    database = sqlite3.connect(path)
    rows = database.execute("SELECT pk, sk FROM items ORDER BY pk, sk").fetchall()
    database.close()
    return [(pk, sk) for pk, sk in rows]


ATTRIBUTES = st.recursive(
    st.one_of(
        st.text().map(lambda s: {"S": s}),
        st.integers().map(lambda n: {"N": str(n)}),
        st.binary().map(lambda b: {"B": b}),
        st.lists(st.binary()).map(lambda bs: {"BS": bs}),
        st.booleans().map(lambda b: {"BOOL": b}),
        st.just({"NULL": True}),
    ),
    lambda inner: st.one_of(
        st.lists(inner).map(lambda values: {"L": values}),
        st.dictionaries(st.text(), inner).map(lambda values: {"M": values}),
    ),
    max_leaves=8,
)


@law(50)
@given(st.dictionaries(st.text(), ATTRIBUTES))
def test_every_item_survives_the_way_to_disk(attributes: dict[str, Any]) -> None:
    """Whatever its types and names, the item that is read is the one that was written."""
    assert decode(encode(attributes)) == attributes


def test_notes_reach_the_disk_together(tmp_path: Path) -> None:
    """Nothing of a save is there before all of it is; a deleted item goes with it."""
    path = tmp_path / "x.sqlite"
    with shelf(path) as opened:
        opened.note("", {("A", "1"): item("A", "1"), ("A", "2"): item("A", "2")})
        assert saved(path) == []
        opened.save()
        assert saved(path) == [("A", "1"), ("A", "2")]
        opened.note("", {("A", "1"): None, ("B", "1"): item("B", "1")})
        opened.save()
        assert saved(path) == [("A", "2"), ("B", "1")]


def test_a_save_that_fails_is_made_good(tmp_path: Path) -> None:
    """Notes stay until they are on disk, and an older note never replaces a newer one."""
    path = tmp_path / "x.sqlite"
    with shelf(path) as opened:
        opened._db.execute("ALTER TABLE items RENAME TO away")
        opened.note("", {("A", "1"): item("A", "1", n={"N": "1"}), ("A", "2"): item("A", "2")})
        with pytest.raises(sqlite3.OperationalError):
            opened.save()
        opened.note("", {("A", "1"): item("A", "1", n={"N": "2"})})
        opened._db.execute("ALTER TABLE away RENAME TO items")
        opened.save()
    with shelf(path) as again:
        assert {i["sk"]["S"]: i.get("n") for i in again.items()} == {"1": {"N": "2"}, "2": None}


def test_stopping_saves_what_is_left(tmp_path: Path) -> None:
    """A clean stop loses nothing, however short before it the write was."""
    path = tmp_path / "x.sqlite"
    with shelf(path) as opened:
        opened.note("", {("A", "1"): item("A", "1")})
    assert saved(path) == [("A", "1")]


def test_expired_items_are_not_loaded(tmp_path: Path) -> None:
    """What TTL would have removed is removed at the next start."""
    path = tmp_path / "x.sqlite"
    with shelf(path) as opened:
        old = item("A", "old", expires_at={"N": "1"})
        new = item("A", "new", expires_at={"N": str(int(time.time()) + 1000)})
        opened.note("", {("A", "old"): old, ("A", "new"): new})
    with shelf(path) as again:
        assert [i["sk"]["S"] for i in again.items()] == ["new"]
    assert saved(path) == [("A", "new")]


def test_another_versions_data_is_refused(tmp_path: Path) -> None:
    """With a sentence, and untouched."""
    path = tmp_path / "x.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version=99")
    database.close()
    with pytest.raises(UnknownFormat, match="format 99; this version knows 1"):
        Shelf(path)


def test_saving_is_often_enough() -> None:
    """A killed process may lose a second; it saves four times in one."""
    assert persistence.SAVE_EVERY_SECONDS <= 0.5


def test_a_folder_serves_one_process(tmp_path: Path) -> None:
    """A second one is told who has it; after the release it is free."""
    first = Home.take(tmp_path / "data")
    with pytest.raises(FolderInUse, match=f"is in use by process {os.getpid()}"):
        Home.take(tmp_path / "data")
    first.release()
    Home.take(tmp_path / "data").release()
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_a_restart_finds_items_and_messages(tmp_path: Path, environment: None) -> None:
    """Items, waiting and hidden messages and the dead ones are there after a clean stop."""
    template = load_template(DATA)
    first = Storage(template, tmp_path)
    sqs = boto3.client("sqs", region_name=first.data.region)
    dynamodb = boto3.client("dynamodb", region_name=first.data.region)
    dynamodb.put_item(TableName=first.data.table, Item=item("A", "1", v={"B": b"\xff"}))
    for url, body in ((first.data.queue_url, "hidden"), (first.data.dead_queue_url, "dead")):
        sqs.send_message(QueueUrl=url, MessageBody=body, MessageGroupId="ada")
    sqs.receive_message(QueueUrl=first.data.queue_url)
    sqs.send_message(QueueUrl=first.data.queue_url, MessageBody="waiting")
    first.stop()

    second = Storage(template, tmp_path)
    sqs = boto3.client("sqs", region_name=second.data.region)
    dynamodb = boto3.client("dynamodb", region_name=second.data.region)
    names = ["ApproximateReceiveCount", "MessageGroupId"]
    live = sqs.receive_message(
        QueueUrl=second.data.queue_url, MaxNumberOfMessages=10, MessageSystemAttributeNames=names
    )["Messages"]
    [dead] = sqs.receive_message(QueueUrl=second.data.dead_queue_url)["Messages"]
    found = dynamodb.get_item(
        TableName=second.data.table, Key={"pk": {"S": "A"}, "sk": {"S": "1"}}
    )["Item"]
    second.stop()
    assert {m["Body"]: m["Attributes"] for m in live} == {
        "hidden": {"ApproximateReceiveCount": "2", "MessageGroupId": "ada"},
        "waiting": {"ApproximateReceiveCount": "1"},
    }
    assert dead["Body"] == "dead"
    assert found == item("A", "1", v={"B": b"\xff"})


def kill_while_writing(folder: Path, enough: Callable[[int, int], bool]) -> int:
    """Run the writer until `enough(acked, saved)`, then SIGKILL it; how much was saved."""
    acked = on_disk = 0
    program = HERE / "programs/write_until_killed.py"
    with subprocess.Popen(
        [sys.executable, str(program), str(DATA), str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            word, n = line.split()
            acked, on_disk = (int(n), on_disk) if word == "ack" else (acked, int(n))
            if enough(acked, on_disk):
                process.send_signal(signal.SIGKILL)
                break
        # What it still said before it died counts too.
        for line in process.stdout:
            if line.endswith("\n") and line.startswith("saved"):
                on_disk = int(line.split()[1])
    assert process.returncode == -signal.SIGKILL
    return on_disk


def test_a_kill_in_the_middle_of_writing_tears_nothing(tmp_path: Path, environment: None) -> None:
    """Of each transaction all or nothing is on disk, and all that was saved; twice."""
    reached = 0
    for goal in (20, 40):
        on_disk = kill_while_writing(
            tmp_path, lambda acked, on_disk, goal=goal: on_disk >= goal and acked > on_disk + 3
        )
        database = sqlite3.connect(tmp_path / "strandline.sqlite")
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        keys = database.execute("SELECT pk, sk FROM items").fetchall()
        [text] = database.execute("SELECT item FROM items WHERE pk = 'LAST'").fetchone()
        database.close()
        left = {sk for pk, sk in keys if pk == "LEFT"}
        assert left == {sk for pk, sk in keys if pk == "RIGHT"}
        assert len(left) >= max(on_disk, reached)
        assert int(decode(text)["n"]["N"]) >= on_disk
        reached = len(left)
