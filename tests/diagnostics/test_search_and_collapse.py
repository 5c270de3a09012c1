"""Searching memories, and equivalent ones shown once, in search and in recall."""

from typing import Any

import pytest

from strandline.models.memory import Kind, Memory
from tests.support import invariants
from tests.support.feedback_requests import claims, give_feedback
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import Reply, World

BEES = "The user keeps bees in the garden."


def search(world: World, question: str, query: str = "", account: str = "ada") -> Reply:
    path = f"/v1/debug/memories/search?q={question.replace(' ', '+')}{query}"
    return world.call("GET", path, account=claims(account))


def titles(answer: Reply) -> list[str]:
    return [item["title"] for item in answer["items"]]


def turn(world: World, account: str = "ada") -> str:
    said = world.say(world.session(account), "Word.", account)
    return str(said["user_turn"]["id"])


def kept(world: World, title: str, text: str, *turns: str, **more: Any) -> Memory:
    memory = make_memory(world, title, text, *turns, **more)
    store_memories(world, memory)
    return memory


def test_words_find_memories_best_first(world: World) -> None:
    """Every memory with one of them, whole; no model and no embedder is asked."""
    one = turn(world)
    kept(world, "Bees", BEES, one)
    kept(world, "Garden", "The user waters the garden.", one)
    kept(world, "Tea", "The user drinks tea.", one)
    world.embedder.fails = True
    found = search(world, "Which bees are in my garden?")
    assert titles(found) == ["Bees", "Garden"]
    first, second = found["items"]
    assert first["score"] > second["score"] > 0
    assert (first["matched"], second["matched"]) == (2, 1)
    assert (first["text"], first["equivalents"], found["cursor"]) == (BEES, [], None)
    assert titles(search(world, "zeppelin")) == []
    assert search(world, " ").status == 400


def test_a_search_is_paged_to_its_end_without_repeating(world: World) -> None:
    """Equal scores too: by the time of the last change, then by id."""
    one = turn(world)
    for number in range(7):
        kept(world, f"Bees {number % 3}", f"Bee house number {number}.", one)
    whole = [item["id"] for item in search(world, "bee house")["items"]]
    paged, cursor = [], ""
    for _ in range(4):
        page = search(world, "bee house", f"&limit=2{cursor}")
        paged += [item["id"] for item in page["items"]]
        cursor = f"&cursor={page['cursor']}"
    assert paged == whole
    assert len(set(whole)) == 7
    assert page["cursor"] is None


@pytest.mark.parametrize("changed", ["&kind=decision", "&label=x", "&review=confirmed"])
def test_a_cursor_belongs_to_its_question_filters_and_account(world: World, changed: str) -> None:
    """Anything else is 400."""
    one = turn(world)
    for number in range(3):
        kept(world, "Bees", f"Bee house number {number}.", one)
    cursor = search(world, "bee house", "&limit=1")["cursor"]
    assert search(world, "bee house", f"&limit=1&cursor={cursor}").status == 200
    assert search(world, "bee house", f"&limit=1&cursor={cursor}{changed}").status == 400
    assert search(world, "bee nest", f"&limit=1&cursor={cursor}").status == 400
    assert search(world, "bee house", f"&limit=1&cursor={cursor}", "bob").status == 400


def test_filters_narrow_a_search(world: World) -> None:
    """As they narrow a list."""
    one, two = turn(world), turn(world)
    kept(world, "Bees", BEES, one, labels=("garden",))
    kept(world, "Hives", "The user decided to buy bees.", two, kind=Kind.DECISION)
    assert titles(search(world, "bees", "&kind=decision")) == ["Hives"]
    assert titles(search(world, "bees", "&label=garden")) == ["Bees"]
    assert titles(search(world, "bees", f"&source={two}")) == ["Hives"]


def test_what_may_not_be_shown_is_not_found(world: World) -> None:
    """Rejected, dismissed, deleted or another account's."""
    one = turn(world)
    memories = [kept(world, n, f"The {n} bees.", one) for n in ("first", "second", "third")]
    other = make_memory(world, "foreign", "The foreign bees.", turn(world, "bob"))
    store_memories(world, other, account="bob")
    give_feedback(world, memories[0].id, "reject", 1)
    give_feedback(world, memories[1].id, "dismiss", 1)
    world.call("DELETE", f"/v1/memories/{memories[2].id}")
    assert titles(search(world, "bees")) == []
    give_feedback(world, memories[1].id, "undismiss", 1)
    assert titles(search(world, "bees")) == ["second"]


def test_equivalent_memories_are_shown_once(world: World) -> None:
    """The same words, whatever their case and spacing, of the same kind on the same turns."""
    one, two = turn(world), turn(world)
    first = kept(world, "Bees", BEES, one, two, importance=0.9)
    second = kept(world, "Beekeeping", "the user  keeps bees in the garden", two, one)
    for question in ("/v1/debug/memories/search?q=bees", "/v1/recall?q=bees+in+the+garden"):
        [item] = world.call("GET", question, account=claims())["items"]
        assert item["equivalents"] in ([first.id], [second.id])
    [recalled] = world.call("GET", "/v1/recall?q=bees+in+the+garden")["items"]
    assert (recalled["memory_id"], recalled["equivalents"]) == (first.id, [second.id])
    for memory in (first, second):
        assert world.call("GET", f"/v1/memories/{memory.id}").status == 200
    assert len(world.memories()) == 2
    answer = world.say(world.session(), "What about the bees in the garden?")
    [line] = answer["context"]["memories"]
    assert (line["memory_id"], line["equivalents"]) == (first.id, [second.id])
    assert world.chat.text(-1).lower().count("keeps bees") == 1
    invariants.hold(world)


@pytest.mark.parametrize(
    ("text", "kind", "own"),
    [
        ("The user keeps bees in the cellar.", Kind.OBSERVATION, False),
        ("The user doesn't keep bees in the garden.", Kind.OBSERVATION, False),
        ("The user keeps 2 bees in the garden.", Kind.OBSERVATION, False),
        ("The user keeps bees in the garden?", Kind.OBSERVATION, False),
        (BEES, Kind.DECISION, False),
        (BEES, Kind.OBSERVATION, True),
    ],
    ids=["another place", "denied", "a number", "in doubt", "another kind", "another turn"],
)
def test_other_qualifiers_stay_apart(world: World, text: str, kind: Kind, own: bool) -> None:
    """Another word, number, kind or source is another account."""
    one, two = turn(world), turn(world)
    kept(world, "First", BEES, one)
    kept(world, "Second", text, two if own else one, kind=kind)
    found = world.call("GET", "/v1/recall?q=bees+in+the+garden&limit=9")["items"]
    assert {(hit["title"], tuple(hit["equivalents"])) for hit in found} == {
        ("First", ()),
        ("Second", ()),
    }


def test_a_filter_finds_the_equivalent_that_passes_it(world: World) -> None:
    """Labels and judgments are each memory's own; the others are named all the same."""
    one = turn(world)
    first = kept(world, "Bees", BEES, one)
    second = kept(world, "Beekeeping as a hobby", BEES, one, labels=("hobby",))
    give_feedback(world, second.id, "save", 1)
    for query in ("&label=hobby", "&saved=true"):
        [item] = search(world, "bees", query)["items"]
        assert (item["id"], item["equivalents"]) == (second.id, [first.id])
    [item] = search(world, "hobby")["items"]
    assert (item["id"], item["equivalents"]) == (second.id, [first.id])
    assert len(search(world, "bees", "&limit=1")["items"]) == 1
    assert search(world, "bees", "&limit=1")["cursor"] is None


def test_a_collapse_does_not_shorten_what_is_recalled(world: World) -> None:
    """Five are asked for and five different ones come, though the best has three equivalents."""
    one = turn(world)
    for _ in range(4):
        kept(world, "Bees", BEES, one, importance=1.0)
    for number in range(6):
        kept(world, f"Hive {number}", f"Bees of hive {number} in the garden.", one)
    found = world.call("GET", "/v1/recall?q=bees+in+the+garden&limit=5")["items"]
    assert [len(hit["equivalents"]) for hit in found] == [3, 0, 0, 0, 0]


def test_an_equivalent_stands_again_when_the_other_goes(world: World) -> None:
    """In a warm process as well."""
    one = turn(world)
    first = kept(world, "Bees", BEES, one, importance=0.9)
    second = kept(world, "Beekeeping", BEES, one)
    assert len(search(world, "bees")["items"]) == 1
    give_feedback(world, first.id, "reject", 1)
    [item] = search(world, "bees")["items"]
    assert (item["id"], item["equivalents"]) == (second.id, [])
