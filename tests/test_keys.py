"""Keys: one to one with what they name, held apart, and in the order of what they count."""

from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from strandline import ids, keys
from tests.support.laws import law
from tests.support.world import START

TEXTS = st.text(min_size=1, max_size=40) | st.sampled_from(
    ["#", "A#", "ada#OPEN", "ada", "Ada", "ada ", "a%23b", "a#b", "%", "%25", "ada@example.com",
     "auth0|7", "é", "e\u0301", "用户", "🙂", "a/b", "ada#S#ses_1"],
)  # fmt: skip
NUMBERS = st.integers(0, ids.MAX_SEQUENCE)
CHANGES = st.integers(0, keys.MAX_CHANGE)
SESSION = "ses_01M2ZAZZG0A1267H6DEX2FQR9R"
EXAMPLES = law()


@EXAMPLES
@given(account=TEXTS)
def test_an_account_comes_back_from_its_part(account: str) -> None:
    """The part is percent-encoded, holds one `#` and loses nothing: so it is one to one."""
    part = keys.account_part(account)
    assert part.startswith("A#")
    assert part.isascii()
    assert part.count("#") == 1
    assert unquote(part.removeprefix("A#"), errors="strict") == account


@EXAMPLES
@given(first=TEXTS, second=TEXTS)
def test_two_accounts_never_share_a_partition(first: str, second: str) -> None:
    """No partition of one account is, or begins as, a partition of another."""
    if first == second:
        return
    mine, theirs = keys.account_part(first), keys.account_part(second)
    for partition in (mine, f"{mine}#", keys.session_partition(first, SESSION)):
        assert partition != theirs
        assert not partition.startswith(f"{theirs}#")


@EXAMPLES
@given(account=TEXTS)
def test_every_partition_begins_with_its_account(account: str) -> None:
    """IAM's leading keys can hold accounts apart."""
    all_keys = [
        keys.profile(account),
        keys.space(account, "spc_1"),
        keys.session(account, SESSION),
        keys.deletion_mark(account, SESSION),
        keys.idempotency(account, "key"),
        keys.job(account, "job_1"),
        keys.open_job(account, "job_1"),
        keys.space_member(account, "spc_1", SESSION),
        keys.turn(account, SESSION, 1),
        keys.receipt(account, SESSION, 1),
        keys.note(account, SESSION, 1, "not_1"),
        keys.citation(account, SESSION, 1, "mem_1"),
        keys.memory(account, "mem_1"),
        keys.memory_usage(account, "mem_1"),
        keys.deleted_statement(account, "print"),
        keys.revision(account, "mem_1", 1),
        keys.vector_record(account, 1),
        keys.event(account, 1),
    ]
    assert len(set(all_keys)) == len(all_keys)
    for key in all_keys:
        assert key.pk == keys.account_part(account) or key.pk.startswith(
            f"{keys.account_part(account)}#"
        )


@EXAMPLES
@given(a=NUMBERS, b=NUMBERS)
def test_sequence_order_is_text_order(a: int, b: int) -> None:
    """Turns, receipts, notes and citations sort by their number."""
    for key in (
        lambda n: keys.turn("ada", SESSION, n),
        lambda n: keys.receipt("ada", SESSION, n),
        lambda n: keys.note("ada", SESSION, n, "not_1"),
        lambda n: keys.citation("ada", SESSION, n, "mem_1"),
    ):
        assert (key(a).sk < key(b).sk) == (a < b)
        assert key(a).pk == key(b).pk


@EXAMPLES
@given(a=CHANGES, b=CHANGES)
def test_change_order_is_text_order(a: int, b: int) -> None:
    """The log and the feed sort by change number, which comes back from the key."""
    assert (keys.vector_record("ada", a).sk < keys.vector_record("ada", b).sk) == (a < b)
    assert keys.event("ada", a).sk == keys.vector_record("ada", a).sk == keys.change_part(a)
    assert int(keys.change_part(a)) == a


@EXAMPLES
@given(number=NUMBERS)
def test_a_turn_is_found_under_what_its_id_names(number: int) -> None:
    """An id of a turn leads to its key and to no other."""
    session_id = ids.new_id("ses", START)
    turn_id = ids.turn_id(session_id, number)
    assert keys.turn("ada", *ids.parse_turn_id(turn_id)) == keys.turn("ada", session_id, number)


@EXAMPLES
@given(account=TEXTS, key=TEXTS)
def test_a_clients_key_never_becomes_part_of_ours(account: str, key: str) -> None:
    """An idempotency key goes in as a hash of fixed length."""
    part = keys.idempotency(account, key).sk.removeprefix("ONCE#")
    assert len(part) == 64
    assert set(part) <= set("0123456789abcdef")


@EXAMPLES
@given(account=TEXTS)
def test_open_jobs_are_in_one_of_the_index_partitions(account: str) -> None:
    """The re-drive looks at each of these, so no account's jobs are out of its sight."""
    shards = {f"OPEN#{number}" for number in range(keys.OPEN_JOBS_SHARDS)}
    assert keys.open_shard(account) in shards
    assert keys.open_shard(account) == keys.open_shard(account)
