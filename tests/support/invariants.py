"""What holds of an account's rows at every moment, whatever was delivered, killed or deleted."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from strandline import ids, keys
from strandline.language import words
from strandline.memories import index_placement
from strandline.models.index_entry import IndexEntry, SessionRemoved
from strandline.models.memory_head import Head, Tombstone
from strandline.recall.account_index import AccountIndex
from strandline.recall.index_entries import source_turns
from strandline.store.accounts import profiles
from strandline.store.memories import memory_heads, vector_log
from strandline.use_cases.recall_index import current_index
from tests.support.world import World

Row = dict[str, Any]


@dataclass(frozen=True)
class Rows:
    """An account's rows by partition (without the account's part) and sort key."""

    of: dict[str, dict[str, Row]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def read(cls, world: World, account: str) -> "Rows":
        rows = cls()
        whose = keys.account_part(account)
        for row in world.rows():
            if row["pk"] == whose or row["pk"].startswith(f"{whose}#"):
                rows.of[row["pk"].removeprefix(whose)][row["sk"]] = row
        return rows

    def heads(self) -> dict[str, Head | Tombstone]:
        """Heads and tombstones by memory id."""
        found = self.of["#MEMORIES"].items()
        return {sk.removeprefix("MEMORY#"): memory_heads.head_from_item(row) for sk, row in found}

    def named(self, prefix: str) -> dict[str, Row]:
        """The account's own rows under a prefix, without it."""
        found = self.of[""].items()
        return {sk.removeprefix(prefix): row for sk, row in found if sk.startswith(prefix)}

    def erasing(self) -> frozenset[str]:
        """The sessions that are being removed."""
        return frozenset(self.named("DELETING#"))


def hold(world: World, account: str = "ada", removed: Iterable[str] = ()) -> None:
    """Assert all of them; `removed` are texts of which no trace may be outside of turns."""
    rows = Rows.read(world, account)
    _events_are_numbered_without_gaps(rows)
    _jobs_and_their_marks_agree(rows)
    for memory_id, head in rows.heads().items():
        if isinstance(head, Head):
            _is_whole(rows, memory_id, head)
        else:
            _is_gone(rows, memory_id, head)
    _nothing_belongs_to_nobody(rows)
    _log_folds_to_the_heads(world, account, rows)
    _no_trace(rows, removed)


def _events_are_numbered_without_gaps(rows: Rows) -> None:
    counter = int(rows.of[""].get("PROFILE", {}).get("changes", 0))
    numbers = [keys.change_part(number) for number in range(1, counter + 1)]
    assert sorted(rows.of["#EVENTS"]) == numbers
    assert [int(rows.of["#EVENTS"][sk]["change"]) for sk in numbers] == list(range(1, counter + 1))
    assert rows.of["#VECTORS"].keys() <= set(numbers)


def _jobs_and_their_marks_agree(rows: Rows) -> None:
    jobs = rows.named("JOB#")
    unfinished = {name for name, job in jobs.items() if job["state"] in ("queued", "running")}
    assert {sk.removeprefix("JOB#") for sk in rows.of["#OPEN"]} == unfinished


def _is_whole(rows: Rows, memory_id: str, head: Head) -> None:
    memory = head.memory
    assert memory.id == memory_id
    assert memory.evidence or memory.references, "a memory without a source"
    records = {sk for sk, row in rows.of["#VECTORS"].items() if row.get("m") == memory_id}
    assert records == ({keys.change_part(head.log_change)} if head.log_change else set())
    history = rows.of[f"#M#{memory_id}"]
    assert ("PARKED" in history) is not head.recallable
    mark = keys.unrecallable_statement(
        "", index_placement.content_fingerprint(memory), memory_id
    ).sk
    hidden = {sk for sk in rows.of["#UNSHOWN"] if sk.endswith(f"#{memory_id}")}
    assert hidden == (set() if head.recallable else {mark})
    stale = not head.recallable and head.status.stale_since is not None
    assert (f"MEMORY#{memory_id}" in rows.of["#STALE"]) is stale
    revisions = {sk: row for sk, row in history.items() if sk.startswith("REV#")}
    for sk in (sk for sk in history if sk.startswith("REFBY#")):
        source, number = sk.removeprefix("REFBY#").split("#")
        there = f"REV#{number}" in rows.of[f"#M#{source}"] or _has_expired(rows, source)
        assert there, "a reference from nowhere"
    for reference in memory.references:
        source = f"REFBY#{memory_id}#{memory.revision:06d}"
        assert source in rows.of[f"#M#{reference.memory_id}"], "a reference to nowhere"
    # Only a removal takes revisions away, and never the newest.
    every = [f"REV#{n:06d}" for n in range(1, memory.revision + 1)]
    assert set(every[-1:]) <= revisions.keys() <= set(every)
    newest = {k: v for k, v in revisions[f"REV#{memory.revision:06d}"].items() if k not in _OWN}
    current = {
        k: v for k, v in rows.of["#MEMORIES"][f"MEMORY#{memory_id}"].items() if k not in _OWN
    }
    assert newest == current
    assert f"MEMORY#{memory_id}" in rows.of["#USE"]
    for citation in memory.evidence:
        session_id, number = ids.parse_turn_id(citation.turn_id)
        if session_id in rows.erasing():
            continue
        session = rows.of[f"#S#{session_id}"]
        assert f"CITED#{number:08d}#{memory_id}" in session
        if f"EXPIRED#{number:08d}" in session:
            assert f"TURN#{number:08d}" not in session
            continue
        turn = session[f"TURN#{number:08d}"]
        if turn["version"] != citation.turn_version:
            turn = session[f"WAS#{number:08d}#{citation.turn_version:06d}"]
        assert turn["role"] == citation.role
        assert words.quote_words(turn["content"], citation.word_start, citation.word_end)


_OWN = frozenset({"pk", "sk", "standing", "change", "log_change"})


def _is_gone(rows: Rows, memory_id: str, tombstone: Tombstone) -> None:
    assert tombstone.id == memory_id
    records = {sk: row for sk, row in rows.of["#VECTORS"].items() if row.get("m") == memory_id}
    assert records.keys() == {keys.change_part(tombstone.log_change)}
    assert all("v" not in row and "t" not in row for row in records.values())
    # By what referred to an expired one it is found, should the user delete it after all.
    kept = "REFBY#" if tombstone.expired else "nothing"
    assert all(sk.startswith(kept) for sk in rows.of[f"#M#{memory_id}"])
    assert f"MEMORY#{memory_id}" not in rows.of["#USE"]
    assert f"MEMORY#{memory_id}" not in rows.of["#STALE"]
    assert not [sk for sk in rows.of["#UNSHOWN"] if sk.endswith(f"#{memory_id}")]


def _has_expired(rows: Rows, memory_id: str) -> bool:
    found = rows.heads()[memory_id]
    return isinstance(found, Tombstone) and found.expired


def _nothing_belongs_to_nobody(rows: Rows) -> None:
    heads = rows.heads()
    partitions = [pk.removeprefix("#M#") for pk in rows.of if pk.startswith("#M#") and rows.of[pk]]
    cited = [row["memory_id"] for _, row in _session_rows(rows, "CITED#")]
    used = [sk.removeprefix("MEMORY#") for sk in rows.of["#USE"]]
    logged = [row["m"] for row in rows.of["#VECTORS"].values() if "m" in row]
    assert {*partitions, *cited, *used, *logged} <= heads.keys()


def _session_rows(rows: Rows, prefix: str) -> Iterator[tuple[str, Row]]:
    for pk, found in rows.of.items():
        if pk.startswith("#S#"):
            yield from ((sk, row) for sk, row in found.items() if sk.startswith(prefix))


def _log_folds_to_the_heads(world: World, account: str, rows: Rows) -> None:
    cold = AccountIndex()
    records = list(vector_log.read_after(world.runtime.table, account, 0))
    cold.fold(records)
    horizon = profiles.get_retention(world.runtime.table, account).memories.horizon(world.clock())
    if horizon is not None:
        cold.expire(horizon)
    assert _view(current_index(world.runtime, account)) == _view(cold)
    gone = rows.erasing() | {r.session_id for r in records if isinstance(r, SessionRemoved)}
    expected = {
        name: (head.log_change, head.memory.importance, head.memory.updated_at.timestamp())
        for name, head in rows.heads().items()
        if isinstance(head, Head)
        and head.recallable
        and (horizon is None or int(head.memory.updated_at.timestamp()) >= int(horizon.timestamp()))
        and {g.session_id for g in source_turns(head.memory)} - gone
    }
    assert {name: (c, round(i, 4), float(u)) for name, (c, i, u, _) in _view(cold).items()} == {
        name: (c, round(i, 4), float(int(u))) for name, (c, i, u) in expected.items()
    }
    for record in records:
        if isinstance(record, IndexEntry) and record.eligible:
            head = rows.heads()[record.memory_id]
            assert isinstance(head, Head)
            assert set(record.source_turns) == set(source_turns(head.memory))


def _view(index: AccountIndex) -> dict[str, tuple[int, float, int, frozenset[Any]]]:
    with index.lock:
        held = index.rows
        return {
            held.ids[row]: (
                int(held.changes[row]),
                float(held.importance[row]),
                int(held.updated[row]),
                frozenset(held.source_turns[row]),
            )
            for row in range(len(held))
            if held.live[row]
        }


def _no_trace(rows: Rows, removed: Iterable[str]) -> None:
    texts = list(removed)
    for partition in rows.of.values():
        for sk, row in partition.items():
            if not sk.startswith("TURN#"):
                told = str(row)
                assert not [text for text in texts if text in told], (sk, row)
