"""Laws of the graph: over random revisions and references, circles among them."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

from strandline.clock import Deadline
from strandline.deletion import deletion_requests
from strandline.memories.transaction import NewRevision, apply_changes
from strandline.models.memory import Memory, Reference, inherited_turns
from strandline.models.memory_head import Head
from strandline.recall.index_entries import index_entry
from strandline.store.memories import memory_heads
from tests.support import invariants
from tests.support.feedback_requests import claims
from tests.support.laws import law
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import World, running_world

Link = tuple[str, int]
Steps = list[tuple[int, bool, list[int]]]
"""What to write: which memory's next revision, whether with evidence, referring to what."""

STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.booleans(), st.lists(st.integers(0, 30), max_size=3)),
    min_size=1,
    max_size=9,
)


# Shrinking a failure takes longer than reading one: a graph is small as it comes.
LAW = law(
    8,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


class Graph:
    """A graph as it was written, kept beside what is stored of it."""

    def __init__(self, world: World, steps: Steps) -> None:
        self.world = world
        session_id = world.session()
        self.turns = [str(world.say(session_id, f"Word {n}.")["user_turn"]["id"]) for n in range(4)]
        foreign = world.say(world.session("bob"), "Word of bob.", "bob")["user_turn"]["id"]
        self.foreign = make_memory(world, "foreign", "What another says.", foreign)
        store_memories(world, self.foreign, account="bob")
        self.written: dict[Link, Memory] = {}
        self.current: dict[int, Memory] = {}
        for which, own, targets in steps:
            self._write(which, own, targets)

    def _write(self, which: int, own: bool, targets: list[int]) -> None:
        known = sorted(self.written)
        chosen = {known[number % len(known)] for number in targets} if known else set()
        references = tuple(Reference(memory_id=name, revision=n) for name, n in sorted(chosen))
        before = self.current.get(which)
        turn = (self.turns[which],) if own or not references else ()
        made = make_memory(self.world, f"memory {which}", f"What {which} says.", *turn)
        update: dict[str, Any] = {
            "references": references,
            "inherited": inherited_turns(made.evidence, [self.written[link] for link in chosen]),
        }
        if before is not None:
            update |= {"id": before.id, "revision": before.revision + 1}
        made = made.model_copy(update=update)
        self._publish(made)
        self.written[made.id, made.revision] = made
        self.current[which] = made

    def _publish(self, memory: Memory) -> None:
        if memory.revision == 1:
            store_memories(self.world, memory)
            return
        table = self.world.runtime.table
        head = memory_heads.find(table, "ada", memory.id)
        assert isinstance(head, Head)
        embedder = self.world.embedder
        [vector] = embedder.embed([memory.text], deadline=Deadline.after(5))
        entry = index_entry(memory, vector, embedder.space, "en")
        apply_changes(table, "ada", [NewRevision(memory, entry, head)], self.world.clock())

    def read(self, link: Link, what: str, query: str = "") -> Any:
        """All pages of a list of that revision or memory."""
        items: list[Any] = []
        cursor = ""
        while True:
            path = f"/v1/debug/memories/{link[0]}/{what}?limit=2{query}{cursor}"
            answer = self.world.call("GET", path, account=claims())
            assert answer.status == 200, answer.body
            items += answer["items"]
            self.truncated = answer.body.get("truncated")
            if answer["cursor"] is None:
                return items
            cursor = f"&cursor={answer['cursor']}"

    def distances(self, link: Link) -> dict[Link, int]:
        """Every revision that can be reached, itself included, and over how many references."""
        found, todo = {link: 0}, [link]
        for near in todo:
            for each in self.written[near].references:
                far = (each.memory_id, each.revision)
                if far not in found:
                    found[far] = found[near] + 1
                    todo.append(far)
        return found


@LAW
@given(STEPS)
def test_references_and_referenced_by_are_each_others_inverse(steps: Steps) -> None:
    """With history exactly so; without, for the revisions that are current."""
    with running_world() as world:
        graph = Graph(world, steps)
        outgoing, incoming, current = set(), set(), set()
        for link in graph.written:
            for target in graph.read(link, "references", f"&revision={link[1]}"):
                outgoing.add((link, (target["memory_id"], target["revision"])))
        for memory in graph.current.values():
            link = (memory.id, memory.revision)
            for found, query in ((incoming, "&history=true"), (current, "")):
                for item in graph.read(link, "referenced_by", query):
                    source = (item["memory_id"], item["revision"])
                    found |= {(source, (memory.id, n)) for n in item["target_revisions"]}
        assert incoming == outgoing
        now = {(memory.id, memory.revision) for memory in graph.current.values()}
        assert current == {(source, target) for source, target in outgoing if source in now}


@LAW
@given(STEPS, st.integers(0, 4), st.integers(1, 5))
def test_bounded_evidence_is_part_of_the_whole_and_says_so(
    steps: Steps, depth: int, budget: int
) -> None:
    """No circle hangs; each turn stands once, with a shortest way to a revision that cites it."""
    with running_world() as world:
        graph = Graph(world, steps)
        for link in graph.written:
            whole = graph.distances(link)
            nearest: dict[str, int] = {}
            for each, distance in whole.items():
                for citation in graph.written[each].evidence:
                    nearest.setdefault(citation.turn_id, distance)
            turns = nearest.keys()
            bounds = f"&revision={link[1]}&depth={depth}&node_budget={budget}"
            items = graph.read(link, "evidence", bounds)
            seen = [item["turn_id"] for item in items]
            assert len(seen) == len(set(seen))
            assert set(seen) <= turns
            assert graph.truncated is (len(whole) > budget or max(whole.values()) > depth)
            if not graph.truncated:
                assert set(seen) == turns
            for item in items:
                _is_a_way(graph, link, item)
                assert len(item["path"]) == nearest[item["turn_id"]] + 1
            everything = f"&revision={link[1]}&depth=16&node_budget=100"
            assert {item["turn_id"] for item in graph.read(link, "evidence", everything)} == turns
            assert graph.truncated is False


@LAW
@given(STEPS, st.sets(st.integers(0, 3), min_size=1, max_size=2))
def test_what_is_deleted_or_anothers_shows_nowhere(steps: Steps, deleted: set[int]) -> None:
    """Not in a list, a reference, a way or as a source; what is left holds together."""
    with running_world() as world:
        graph = Graph(world, steps)
        gone = {graph.current[n].id for n in deleted & graph.current.keys()}
        for memory_id in gone:
            deletion_requests.delete_memory(world.runtime, "ada", memory_id)
        hidden = {*gone, graph.foreign.id}
        shown = world.call("GET", "/v1/debug/memories?limit=100", account=claims())["items"]
        told = defaultdict(list)
        for memory in shown:
            link = (memory["id"], memory["revision"])
            told["list"].append(memory)
            for what in ("revisions", "references", "referenced_by", "evidence"):
                query = "&depth=16&node_budget=100" if what == "evidence" else ""
                told[what] += graph.read(link, what, query)
            told["history"] += graph.read(link, "referenced_by", "&history=true")
        assert not [name for name in hidden if name in str(dict(told))]
        for memory_id in gone:
            answer = world.call("GET", f"/v1/debug/memories/{memory_id}", account=claims())
            assert (answer.status, answer["code"]) == (410, "CONTENT_DELETED")
        invariants.hold(world)


def _is_a_way(graph: Graph, link: Link, item: Any) -> None:
    """From the revision asked about along references to one that cites the turn."""
    path = [(each["memory_id"], each["revision"]) for each in item["path"]]
    assert path[0] == link
    for before, after in pairwise(path):
        assert after in {(r.memory_id, r.revision) for r in graph.written[before].references}
    assert item["turn_id"] in {c.turn_id for c in graph.written[path[-1]].evidence}
