"""Lists, heads and revisions as developers read them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from strandline.memories.transaction import StatusChange, apply_changes
from strandline.models.memory import Author, Kind, Memory, Reference, TurnTime, inherited_turns
from strandline.models.memory_status import State
from tests.support.feedback_requests import claims, correct, give_feedback, head
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import Reply, World

LIST = "/v1/debug/memories"


def get(world: World, path: str, account: str = "ada") -> Reply:
    return world.call("GET", path, account=claims(account))


def titles(world: World, query: str = "") -> set[str]:
    """The titles of a list, which must be there."""
    answer = get(world, f"{LIST}?limit=100{query}")
    assert answer.status == 200, answer.body
    return {item["title"] for item in answer["items"]}


def turn(world: World, session_id: str | None = None) -> str:
    return str(world.say(session_id or world.session(), "Some words.")["user_turn"]["id"])


def kept(world: World, title: str, *turns: str, **more: Any) -> Memory:
    change = more.pop("change", {})
    memory = make_memory(world, title, f"What {title} says.", *turns, **more)
    memory = memory.model_copy(update=change)
    store_memories(world, memory)
    return memory


def restand(world: World, memory: Memory, **status: Any) -> None:
    """Let a memory stand otherwise, as a job or a verdict would."""
    from strandline.memories import index_placement

    before = head(world, memory)
    entry = index_placement.read_entry(world.runtime.table, "ada", before)
    new = before.status.model_copy(update=status)
    change = StatusChange(before, new, ("freshness",), entry)
    apply_changes(world.runtime.table, "ada", [change], world.clock())


def test_a_list_leaves_out_what_is_disputed_or_out_of_date(world: World) -> None:
    """Stale, retracted, rejected and dismissed ones, each until just that is asked for."""
    one = turn(world)
    for name in ("fine", "stale", "retracted", "rejected", "dismissed", "saved", "confirmed"):
        memory = kept(world, name, one)
        if name == "stale":
            restand(world, memory, stale_since=world.clock())
        elif name == "retracted":
            restand(world, memory, state=State.RETRACTED)
        elif name != "fine":
            action = {"rejected": "reject", "dismissed": "dismiss", "saved": "save"}
            give_feedback(world, memory.id, action.get(name, "confirm"), 1)
    fine = {"fine", "saved", "confirmed"}
    assert titles(world) == fine
    assert titles(world, "&freshness=stale") == {"stale"}
    assert titles(world, "&freshness=any") == fine | {"stale"}
    assert titles(world, "&state=retracted") == {"retracted"}
    assert titles(world, "&review=rejected") == {"rejected"}
    assert titles(world, "&review=confirmed") == {"confirmed"}
    assert titles(world, "&review=any") == fine | {"rejected"}
    assert titles(world, "&dismissed=true") == {"dismissed"}
    assert titles(world, "&dismissed=any") == fine | {"dismissed"}
    assert titles(world, "&saved=true") == {"saved"}
    assert titles(world, "&saved=false") == {"fine", "confirmed"}
    everything = "&freshness=any&state=any&review=any&dismissed=any"
    assert len(titles(world, everything)) == 7
    listed = {memory["title"] for memory in world.memories()}
    assert listed == fine


def test_a_list_is_narrowed_by_what_a_memory_says_and_cites(world: World) -> None:
    """Kind, label, who wrote it, and the session or the turn it comes from."""
    session_id = world.session()
    one, two = turn(world, session_id), turn(world)
    kept(world, "plain", one)
    kept(world, "labelled", two, labels=("garden",))
    kept(world, "decided", two, kind=Kind.DECISION)
    kept(world, "own", one, change={"author": Author.USER})
    assert titles(world, "&kind=decision") == {"decided"}
    assert titles(world, "&label=garden") == {"labelled"}
    assert titles(world, "&actor=user") == {"own"}
    assert titles(world, "&actor=model&kind=observation") == {"plain", "labelled"}
    assert titles(world, f"&source={session_id}") == {"plain", "own"}
    assert titles(world, f"&source={two}") == {"labelled", "decided"}
    assert titles(world, "&source=nowhere") == set()


def day(number: int) -> datetime:
    """A day of September: the 21st is a Monday."""
    return datetime(2026, 9, number, 9, 0, tzinfo=UTC)


def test_time_filters_match_what_was_recorded_and_nothing_between(world: World) -> None:
    """Monday and Friday, one of them through a reference: not the days between."""
    world.clock.at = day(21)
    monday = turn(world)
    source = kept(world, "source", monday)
    world.clock.at = day(25)
    friday = turn(world)
    kept(
        world,
        "both",
        friday,
        change={
            "references": (Reference(memory_id=source.id, revision=1),),
            "inherited": inherited_turns((), [source]),
        },
    )
    spans = {
        ("2026-09-21", "2026-09-22"): {"source", "both"},
        ("2026-09-22", "2026-09-25"): set(),
        ("2026-09-25", "2026-09-26"): {"both"},
    }
    for (since, until), expected in spans.items():
        query = f"&from={since}T00:00:00Z&to={until}T00:00:00%2B00:00"
        assert titles(world, query) == expected, since
    assert titles(world, "&from=2026-09-24T00:00:00Z") == {"both"}
    assert titles(world, "&to=2026-09-24T00:00:00Z") == {"source", "both"}
    assert titles(world, "&from=2026-09-24t00:00:00z") == {"both"}
    assert titles(world, "&from=2026-09-25T11:00:00.000001+02:00") == set()
    assert titles(world, "&from=2026-09-25T11:00:00+02:00") == {"both"}
    [shown] = [m for m in get(world, LIST)["items"] if m["title"] == "both"]
    assert shown["recorded"] == [
        {"turn_id": monday, "at": "2026-09-21T09:00:00.000000Z", "inherited": True},
        {"turn_id": friday, "at": "2026-09-25T09:00:00.000000Z", "inherited": False},
    ]
    assert (shown["recorded_from"], shown["recorded_to"]) == (
        "2026-09-21T09:00:00.000000Z",
        "2026-09-25T09:00:00.000000Z",
    )


@pytest.mark.parametrize(
    "query",
    [
        "from=yesterday",
        "from=2026-09-20T12:00:00",
        "from=2026-09-20T12Z",
        "from=2026-02-30T12:00:00Z",
        "from=2026-W38-7T12:00:00Z",
        "from=20260920T120000Z",
        "from=2026-09-20X12:00:00Z",
        "from=2026-09-20T12:00:00Z&to=2026-09-20T12:00:00Z",
        "from=2026-09-21T12:00:00Z&to=2026-09-20T12:00:00Z",
        "to=7",
        "kind=thought",
        "review=maybe",
        "saved=perhaps",
        "actor=",
        "label=",
        "limit=0",
        "limit=101",
        "cursor=nonsense",
    ],
)
def test_a_filter_that_means_nothing_is_400(world: World, query: str) -> None:
    """And isn't taken for none."""
    assert get(world, f"{LIST}?{query}").status == 400


def test_a_list_goes_on_with_the_same_filters_and_account_only(world: World) -> None:
    """Its cursor is refused with others; with the same it reaches the end."""
    one = turn(world)
    for number in range(3):
        kept(world, f"memory {number}", one)
    first = get(world, f"{LIST}?limit=2")
    assert len(first["items"]) == 2
    rest = get(world, f"{LIST}?limit=2&cursor={first['cursor']}")
    assert (len(rest["items"]), rest["cursor"]) == (1, None)
    for other in ("&kind=decision", "&saved=true", "&to=2030-01-01T00:00:00Z"):
        assert get(world, f"{LIST}?limit=2&cursor={first['cursor']}{other}").status == 400
    assert get(world, f"{LIST}?limit=2&cursor={first['cursor']}", "bob").status == 400


def test_a_head_is_told_whole(world: World) -> None:
    """Words, standing, citations without their text, references, what was recorded and when."""
    one = turn(world)
    target = kept(world, "target", one)
    link = Reference(memory_id=target.id, revision=1)
    memory = kept(world, "head", one, labels=("a",), change={"references": (link,)})
    world.clock.advance(minutes=1)
    give_feedback(world, memory.id, "confirm", 1)
    time = "2026-09-20T12:00:00.000000Z"
    assert get(world, f"{LIST}/{memory.id}").body == {
        "id": memory.id,
        "revision": 1,
        "current": True,
        "kind": "observation",
        "title": "head",
        "text": "What head says.",
        "importance": 0.5,
        "labels": ["a"],
        "subject": "user",
        "topic": "",
        "language": "en",
        "author": "model",
        "review": "confirmed",
        "reviewed_at": "2026-09-20T12:01:00.000000Z",
        "citations": [
            {
                "turn_id": one,
                "turn_version": 1,
                "role": "user",
                "word_start": 0,
                "word_end": 1,
                "said_at": time,
            }
        ],
        "references": [{"memory_id": target.id, "revision": 1}],
        "challenges": None,
        "created_at": time,
        "updated_at": time,
        "state": "active",
        "maturity": "settled",
        "freshness": "current",
        "stale_since": None,
        "saved": False,
        "dismissed": False,
        "flags": [],
        "recorded": [{"turn_id": one, "at": time, "inherited": False}],
        "recorded_from": time,
        "recorded_to": time,
    }


def test_history_is_read_revision_by_revision(world: World) -> None:
    """Newest first, each with the judgment that was given on it; an unknown number is missing."""
    memory = kept(world, "words", turn(world))
    give_feedback(world, memory.id, "confirm", 1)
    correct(world, memory.id, 1)
    give_feedback(world, memory.id, "reject", 2)
    path = f"{LIST}/{memory.id}/revisions"
    shown = get(world, path)["items"]
    assert [(r["revision"], r["current"], r["author"], r["review"]) for r in shown] == [
        (2, True, "user", "rejected"),
        (1, False, "model", "confirmed"),
    ]
    assert get(world, f"{path}/1").body == shown[1]
    assert get(world, f"{path}/1")["text"] == "What words says."
    first = get(world, f"{path}?limit=1")
    rest = get(world, f"{path}?limit=1&cursor={first['cursor']}")
    assert [first["items"], rest["items"]] == [shown[:1], shown[1:]]
    unknown = ("3", "0", "-1", "9" * 1_100)
    assert [get(world, f"{path}/{number}").status for number in unknown] == [404] * 4
    assert [get(world, f"{path}/{number}").status for number in ("x", "1.5")] == [400] * 2


def test_a_memory_of_a_session_that_is_being_deleted_is_gone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the moment it is hidden, not only when it is removed."""
    from strandline.deletion import deletion_requests

    monkeypatch.setattr(deletion_requests, "SECONDS_FOR_REMOVAL", 0.0)
    session_id = world.session()
    memory = kept(world, "words", turn(world, session_id))
    link = Reference(memory_id=memory.id, revision=1)
    other = kept(world, "other", turn(world), change={"references": (link,)})
    world.call("DELETE", f"/v1/sessions/{session_id}")
    for what in ("", "/revisions", "/revisions/1", "/references", "/referenced_by", "/evidence"):
        assert get(world, f"{LIST}/{memory.id}{what}").status == 410, what
    assert titles(world) == {"other"}
    assert get(world, f"{LIST}/{other.id}/references")["items"] == []
    deep = get(world, f"{LIST}/{other.id}/evidence?depth=5").body
    assert [item["path"][-1]["memory_id"] for item in deep["items"]] == [other.id]


def test_inherited_times_are_bounded_and_the_newest(world: World) -> None:
    """A memory doesn't grow without end with what it refers to."""
    at = world.clock()
    many = tuple(TurnTime(turn_id=f"trn_{n:03d}", said_at=at) for n in range(300))
    memory = make_memory(world, "many", "Many.").model_copy(update={"inherited": many})
    kept_ = inherited_turns((), [memory])
    assert len(kept_) == 128
    assert kept_[-1].turn_id == "trn_299"
