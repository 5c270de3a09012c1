"""The one door to DynamoDB: what is tried again, what is translated, what never leaves it."""

from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError
from hypothesis import given
from hypothesis import strategies as st

from strandline.errors import StorageBusy, TooLarge
from strandline.item_codec import decode, encode
from strandline.item_size import MAX_ITEM_BYTES, json_size
from strandline.keys import Key
from strandline.models.base import Value
from strandline.queries import Query
from strandline.table import ConditionFailed, Table
from strandline.writes import MAX_TRANSACTION_ITEMS, check, delete, put, put_new, update
from tests.support.laws import law
from tests.support.world import World


class Scripted:
    """A client that gives queued replies or raises queued errors, and remembers the requests."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.requests: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        def call(**request: Any) -> Any:
            self.requests.append((name, request))
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
            if isinstance(reply, Exception):
                raise reply
            return reply

        return call


def _error(code: str, *reasons: str) -> ClientError:
    response: dict[str, Any] = {"Error": {"Code": code, "Message": "busy"}}
    if reasons:
        response["CancellationReasons"] = [{"Code": reason} for reason in reasons]
    return ClientError(response, "Operation")


@pytest.fixture
def pauses() -> list[float]:
    """The pauses a table took."""
    return []


def _table(client: Any, pauses: list[float]) -> Table:
    return Table(client, "t", pause=pauses.append)


KEY = Key("A#ada", "X#1")
OTHER = Key("A#ada", "X#2")
ITEM = {"pk": "A#ada", "sk": "X#1", "n": 1}


def test_unprocessed_keys_are_asked_again(pauses: list[float]) -> None:
    """What DynamoDB leaves undone of a batch read is asked for until all is there."""
    second = {"pk": "A#ada", "sk": "X#2"}
    client = Scripted(
        {"Responses": {"t": [ITEM]}, "UnprocessedKeys": {"t": {"Keys": [second]}}},
        {"Responses": {"t": [second]}, "UnprocessedKeys": {}},
    )
    assert _table(client, pauses).get_many([KEY, OTHER, KEY]) == {KEY: ITEM, OTHER: second}
    asked = [request["RequestItems"]["t"]["Keys"] for _, request in client.requests]
    assert asked == [[{"pk": "A#ada", "sk": "X#1"}, second], [second]]
    assert len(pauses) == 1


def test_unprocessed_items_are_asked_again(pauses: list[float]) -> None:
    """What DynamoDB leaves undone of a batch write is written until all is done."""
    left = [{"DeleteRequest": {"Key": {"pk": "A#ada", "sk": "X#2"}}}]
    client = Scripted({"UnprocessedItems": {"t": left}}, {})
    _table(client, pauses).delete_many([KEY, OTHER])
    assert [r["RequestItems"]["t"] for _, r in client.requests][1] == left
    assert len(pauses) == 1


@pytest.mark.parametrize("method", ["get_many", "delete_many"])
def test_a_batch_that_is_never_done_is_busy(pauses: list[float], method: str) -> None:
    """After the limit the caller is told, and nothing is passed over in silence."""
    stuck = {"pk": "A#ada", "sk": "X#1"}
    client = Scripted(
        {
            "Responses": {},
            "UnprocessedKeys": {"t": {"Keys": [stuck]}},
            "UnprocessedItems": {"t": [{"DeleteRequest": {"Key": stuck}}]},
        }
    )
    with pytest.raises(StorageBusy):
        getattr(_table(client, pauses), method)([KEY])
    assert len(client.requests) == len(pauses) == 12


CONFLICTS = [
    _error("TransactionCanceledException", "None", "TransactionConflict"),
    _error("TransactionCanceledException", "ThrottlingError"),
    _error("TransactionConflictException"),
    _error("TransactionInProgressException"),
]


@pytest.mark.parametrize("error", CONFLICTS)
def test_a_conflict_is_tried_again_after_a_pause(error: ClientError, pauses: list[float]) -> None:
    """Another writer's transaction is waited for, each time up to twice as long."""
    client = Scripted(error, error, error, {})
    _table(client, pauses).transact([put_new(KEY, {})])
    assert len(client.requests) == 4
    assert len(pauses) == 3
    assert all(0 <= pause <= 0.02 * 2**n for n, pause in enumerate(pauses))


THROTTLED = [
    _error("ProvisionedThroughputExceededException"),
    _error("ThrottlingException"),
    _error("RequestLimitExceeded"),
    _error("InternalServerError"),
]


@pytest.mark.parametrize("error", THROTTLED)
def test_throttling_is_busy_after_the_limit(error: ClientError, pauses: list[float]) -> None:
    """Tried twelve times, each pause within its bound; then StorageBusy, never botocore's error."""
    client = Scripted(error)
    with pytest.raises(StorageBusy):
        _table(client, pauses).get(KEY)
    assert len(client.requests) == len(pauses) == 12
    assert max(pauses) <= 0.64


LOST = [
    EndpointConnectionError(endpoint_url="http://127.0.0.1"),
    ReadTimeoutError(endpoint_url="http://127.0.0.1"),
]


@pytest.mark.parametrize("error", LOST)
def test_a_lost_connection_is_busy_at_once(error: Exception, pauses: list[float]) -> None:
    """botocore has tried again already."""
    client = Scripted(error)
    with pytest.raises(StorageBusy):
        _table(client, pauses).write(put(KEY, {}))
    assert (len(client.requests), pauses) == (1, [])


def test_what_is_wrong_is_not_tried_again(pauses: list[float]) -> None:
    """A request that DynamoDB calls invalid is an error of ours and shows as one."""
    client = Scripted(_error("ValidationException"))
    with pytest.raises(ClientError):
        _table(client, pauses).get(KEY)
    assert len(client.requests) == 1


def test_a_cancelled_transaction_names_the_conditions_that_failed(world: World) -> None:
    """The indices are those of the operations, in the order they were given; nothing is written."""
    table = world.runtime.table
    table.write(put(KEY, {"n": 1}))
    before = world.rows()
    with pytest.raises(ConditionFailed) as caught:
        table.transact(
            [
                put_new(Key("A#ada", "X#3"), {}),
                put_new(KEY, {}),
                update(OTHER, "SET n = :n", values={":n": 2}),
                delete(Key("A#ada", "X#4")),
                check(Key("A#ada", "X#5"), "attribute_exists(pk)"),
            ]
        )
    assert caught.value.failed == {1, 2, 4}
    assert world.rows() == before


def test_a_condition_that_fails_beside_a_conflict_is_a_failed_condition(
    pauses: list[float],
) -> None:
    """Trying again could only fail again."""
    error = _error("TransactionCanceledException", "TransactionConflict", "ConditionalCheckFailed")
    with pytest.raises(ConditionFailed) as caught:
        _table(Scripted(error), pauses).transact([put_new(KEY, {}), put_new(OTHER, {})])
    assert (caught.value.failed, pauses) == ({1}, [])


def test_a_single_write_that_fails_its_condition_is_told_as_the_first(world: World) -> None:
    """An update of what isn't there makes nothing."""
    with pytest.raises(ConditionFailed) as caught:
        world.runtime.table.write(update(KEY, "SET n = :n", values={":n": 1}))
    assert caught.value.failed == {0}
    assert world.rows() == []


def test_a_transaction_beyond_the_limit_is_never_sent(pauses: list[float]) -> None:
    """More than DynamoDB takes is an error of ours."""
    client = Scripted({})
    many = [put(Key("A#ada", f"X#{n}"), {}) for n in range(MAX_TRANSACTION_ITEMS + 1)]
    with pytest.raises(ValueError, match="101"):
        _table(client, pauses).transact(many)
    _table(client, pauses).transact(many[:-1])
    assert len(client.requests) == 1


class Sample(Value):
    """A value with everything the codec has to carry."""

    number: float
    count: int
    text: str
    maybe: str | None = None
    many: tuple[float, ...] = ()


FLOATS = st.floats(-1e30, 1e30, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-30)
SAMPLES = st.builds(
    Sample,
    number=FLOATS,
    count=st.integers(-(10**18), 10**18),
    text=st.text(st.characters(codec="utf-8"), max_size=30),
    maybe=st.none() | st.text(st.characters(codec="utf-8"), max_size=5),
    many=st.lists(FLOATS, max_size=3).map(tuple),
)


@pytest.mark.law
def test_values_come_back_from_the_table_as_they_were(world: World) -> None:
    """Floats go in as Decimal and come out equal, nulls stay out, own attributes are no fields."""

    @law(40)
    @given(value=SAMPLES)
    def holds(value: Sample) -> None:
        item = encode(value)
        assert isinstance(item["number"], Decimal)
        assert ("maybe" in item) == (value.maybe is not None)
        world.runtime.table.write(put(KEY, item | {"expires_at": 9_999_999_999}))
        found = world.runtime.table.get(KEY)
        assert found is not None
        assert decode(Sample, found) == value

    holds()


def _of_bytes(size: int, letter: str) -> dict[str, str]:
    return {"text": letter * (size // len(letter.encode()))}


@pytest.mark.parametrize("letter", ["a", "é", "語", "🙂"])
def test_an_item_too_big_is_refused_before_anything_is_written(world: World, letter: str) -> None:
    """Bytes count, not characters; the other writes of its transaction don't happen either."""
    table = world.runtime.table
    big = _of_bytes(MAX_ITEM_BYTES, letter)
    with pytest.raises(TooLarge):
        table.write(put(KEY, big))
    with pytest.raises(TooLarge):
        table.transact([put_new(OTHER, {}), put_new(KEY, big)])
    assert world.rows() == []
    table.write(put(KEY, _of_bytes(MAX_ITEM_BYTES - 200, letter)))
    assert len(world.rows()) == 1


@law(40)
@given(text=st.text(st.characters(codec="utf-8"), max_size=200), data=st.binary(max_size=200))
def test_the_size_of_an_item_is_never_told_too_small(text: str, data: bytes) -> None:
    """DynamoDB counts names and values as UTF-8, a number at most 21 bytes."""
    item = {"text": text, "data": data, "n": Decimal("1.5"), "list": [text, 7]}
    real = len("textdatanlist") + 2 * len(text.encode()) + len(data)
    assert json_size(item) >= real


def test_a_partition_is_read_to_its_end(world: World) -> None:
    """Pages of one megabyte are followed until there are no more."""
    table = world.runtime.table
    for number in range(8):
        table.write(put(Key("A#ada#P", f"{number:02d}"), {"text": "x" * 300_000}))
    assert [item["sk"] for item in table.all(Query("A#ada#P"))] == [f"{n:02d}" for n in range(8)]
    assert table.page(Query("A#ada#P")).last is not None


@pytest.fixture
def filled(world: World) -> Table:
    """A partition of five items."""
    for number in range(5):
        world.runtime.table.write(put(Key("A#ada#P", f"X#{number}"), {}))
    world.runtime.table.write(put(Key("A#ada#P", "Y#0"), {}))
    return world.runtime.table


def test_a_page_goes_on_after_its_last_key_in_either_direction(filled: Table) -> None:
    """Prefix, range, direction and limit together give each item once."""
    for newest_first in (False, True):
        seen: list[str] = []
        after: str | None = None
        while True:
            query = Query("A#ada#P", prefix="X#", newest_first=newest_first)
            page = filled.page(query, after=after, limit=2)
            seen += [item["sk"] for item in page.items]
            after = page.last
            if after is None:
                break
        assert seen == sorted((f"X#{n}" for n in range(5)), reverse=newest_first)
    between = filled.all(Query("A#ada#P", between=("X#1", "X#3")))
    assert [item["sk"] for item in between] == ["X#1", "X#2", "X#3"]


def test_many_keys_are_read_and_removed_in_batches(world: World) -> None:
    """More than one request takes are all there, and then all gone."""
    table = world.runtime.table
    wanted = [Key("A#ada#P", f"{n:03d}") for n in range(120)]
    for start in range(0, 120, 60):
        table.transact([put(key, {}) for key in wanted[start : start + 60]])
    assert set(table.get_many([*wanted, OTHER])) == set(wanted)
    table.delete_many([*wanted, *wanted])
    assert world.rows() == []


def test_a_lone_check_is_refused(pauses: list[float]) -> None:
    """It would write nothing."""
    with pytest.raises(ValueError, match="writes nothing"):
        _table(Scripted({}), pauses).write(check(KEY, "attribute_exists(pk)"))


def test_an_expired_item_is_not_there_before_dynamodb_removes_it(world: World) -> None:
    """TTL is housekeeping: reads of every kind leave out what is past its time."""
    now = int(world.clock().timestamp())
    rows = {"past": now - 1, "now": now, "later": now + 1}
    for name, expires_at in rows.items():
        world.runtime.table.write(put(Key("p", name), {"expires_at": expires_at}))
    keys = [Key("p", name) for name in rows]
    assert [world.runtime.table.get(key) is not None for key in keys] == [False, False, True]
    assert set(world.runtime.table.get_many(keys)) == {Key("p", "later")}
    assert [item["sk"] for item in world.runtime.table.all(Query("p"))] == ["later"]
