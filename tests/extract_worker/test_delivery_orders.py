"""A law: whatever order, number and killing of deliveries, the table ends the same."""

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from strandline.providers.base import Message
from tests.support import invariants
from tests.support.crashing_client import Crashed, CrashingClient
from tests.support.extraction_replies import found, reply, said_in
from tests.support.laws import law
from tests.support.world import World

Row = dict[str, Any]

LOVES = found("The user loves Chinese food.", "I love Chinese food", topic="Chinese food")
HATES = found("The user hates Chinese food.", "I hate Chinese food", topic="Chinese food")
OSLO = found("The user lives in Oslo.", "I live in Oslo", topic="home city")
NUTS = found("The user is allergic to nuts.", "I'm allergic to nuts", topic="allergy")
INVENTED = found("The user owns a boat.", "I own a boat")

SAID: list[tuple[int, str, list[dict[str, Any]]]] = [
    (0, "I love Chinese food.", [LOVES]),
    (1, "I live in Oslo and I'm allergic to nuts.", [OSLO, NUTS, INVENTED]),
    (0, "thanks!", []),
    (1, "I hate Chinese food now.", [HATES]),
    (2, "As you know, I live in Oslo.", [OSLO, OSLO]),
]
"""In three sessions: a fact, two facts and an invention, nothing, a change, a fact again."""

BY_TEXT = {text: reply(*memories) for _, text, memories in SAID}


@dataclass(frozen=True)
class Queued:
    """A table with jobs that nobody has worked on yet, and their messages, oldest first."""

    rows: list[Row]
    messages: list[dict[str, str]]


def _answer(messages: Sequence[Message]) -> str:
    return BY_TEXT[said_in(messages)]


def _queued(world: World) -> Queued:
    """The first session has taught a memory already, so that its answers use one."""
    sessions = [world.session() for _ in range(3)]
    car = found("The user drives a red car.", "I drive a red car")
    world.learn(sessions[0], "I drive a red car.", car)
    world.background.default = _answer
    messages = []
    for session, text, _ in SAID:
        world.clock.advance(hours=1)
        answer = world.say(sessions[session], text, recall="account")
        messages.append({"account": "ada", "job_id": answer["extraction"]["job_id"]})
    world.clock.advance(hours=1)
    return Queued(world.rows(), messages)


def _comparable(world: World) -> list[Row]:
    """All rows without what may differ: when a worker came by, and how often."""
    aside = {
        "JOB#": {"attempts", "updated_at", "expires_at"},
        "EVENTS": {"created_at"},
    }
    return [
        {
            name: value
            for name, value in row.items()
            if not (row["sk"].startswith("JOB#") and name in aside["JOB#"])
            and not (row["pk"].endswith("#EVENTS") and name in aside["EVENTS"])
        }
        for row in world.rows()
    ]


def _unfinished(world: World) -> int:
    return sum(row["pk"].endswith("#OPEN") for row in world.rows())


def _plain(world: World, queued: Queued) -> list[Row]:
    """The table after every message came once, in order."""
    for message in queued.messages:
        assert world.deliver(message) == []
    invariants.hold(world)
    return _comparable(world)


@dataclass(frozen=True)
class Delivery:
    """A batch: which jobs, in which order, and the write that kills its worker, if any."""

    jobs: list[int]
    kill_at: int | None
    after: bool
    cold: bool


DELIVERIES = st.lists(
    st.builds(
        Delivery,
        jobs=st.lists(st.integers(0, len(SAID) - 1), min_size=1, max_size=4),
        kill_at=st.none() | st.integers(1, 6),
        after=st.booleans(),
        cold=st.booleans(),
    ),
    min_size=1,
    max_size=4,
)


def _deliver(world: World, queued: Queued, delivery: Delivery) -> None:
    at = delivery.kill_at or 0
    world.go_through(CrashingClient(world.client, at=at, after=delivery.after))
    if delivery.cold:
        world.cold()
    try:
        world.deliver(*(queued.messages[job] for job in delivery.jobs))
    except Crashed:
        world.clock.advance(seconds=world.runtime.settings.job_lease_seconds + 1)
    finally:
        world.go_through(world.client)


@pytest.mark.law
def test_any_interleaving_duplication_and_killing_ends_in_the_same_table(world: World) -> None:
    """Random batches with duplicates and kills, until all jobs are done: the plain run's table."""
    queued = _queued(world)
    began = world.clock.at
    expected = _plain(world, queued)
    assert [row["access_count"] for row in expected if row["pk"] == "A#ada#USE"] == [2, 0, 0, 0]
    assert [row["state"] for row in expected if row["sk"].startswith("JOB#")] == [
        "stored", "stored", "stored", "none", "stored", "stored",
    ]  # fmt: skip

    # Not shrunk: what fails is short already, and each example takes half a second.
    @law(10, phases=[Phase.reuse, Phase.generate])
    @given(deliveries=DELIVERIES, last=st.permutations(range(len(SAID))))
    def holds(deliveries: list[Delivery], last: list[int]) -> None:
        world.put_back(queued.rows)
        world.clock.at = began
        for delivery in deliveries:
            _deliver(world, queued, delivery)
        _deliver(world, queued, Delivery(last, None, after=False, cold=False))
        assert _unfinished(world) == 0
        assert _comparable(world) == expected
        invariants.hold(world)

    holds()


def test_a_kill_at_any_single_write_ends_in_the_same_table(world: World) -> None:
    """One batch of all, killed before or after one of its writes, and then delivered again."""
    queued = _queued(world)
    began = world.clock.at
    expected = _plain(world, queued)
    everything = list(range(len(SAID)))
    # Each job writes twice, its claim and its end: those of the first, the second, the last.
    for at, after in [(1, False), (1, True), (2, False), (2, True), (3, True), (10, True)]:
        world.put_back(queued.rows)
        world.clock.at = began
        _deliver(world, queued, Delivery(everything, at, after=after, cold=True))
        assert _unfinished(world) == len(SAID) - (at - (not after)) // 2
        _deliver(world, queued, Delivery(everything, None, after=False, cold=True))
        assert _comparable(world) == expected


def test_two_workers_at_once_end_in_the_same_table(world: World) -> None:
    """Two threads with the same messages in different orders: no memory twice, no gap."""
    queued = _queued(world)
    began = world.clock.at
    expected = _plain(world, queued)
    world.put_back(queued.rows)
    world.clock.at = began
    with ThreadPoolExecutor(2) as threads:
        workers = [
            threads.submit(_work_until_done, world, queued, random.Random(n)) for n in range(2)
        ]
        assert [worker.result(timeout=60) for worker in workers] == [True, True]
    assert _comparable(world) == expected
    invariants.hold(world)


def _work_until_done(world: World, queued: Queued, luck: random.Random) -> bool:
    """Deliver what isn't done, again and again; whether that came to an end."""
    left = list(range(len(queued.messages)))
    for _ in range(200):
        luck.shuffle(left)
        failed = world.deliver(*(queued.messages[job] for job in left))
        left = [left[int(number)] for number in failed]
        if not left:
            return True
    return False
