"""Evidence, references and what refers to a memory, by example; the laws are tested beside this."""

from typing import Any

import pytest

from functions.diagnostics import evidence_expansion
from strandline.models.memory import Citation, Memory, Reference, inherited_turns
from tests.support.feedback_requests import claims, correct, give_feedback
from tests.support.stored_memories import make_memory, store_memories
from tests.support.world import Reply, World

LIST = "/v1/debug/memories"
MISSING = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"


def get(world: World, memory: Memory, what: str) -> Reply:
    return world.call("GET", f"{LIST}/{memory.id}/{what}", account=claims())


def said(world: World, text: str) -> Any:
    return world.say(world.session(), text)["user_turn"]


def kept(world: World, title: str, *turns: str, to: tuple[Memory, ...] = ()) -> Memory:
    links = tuple(Reference(memory_id=each.id, revision=each.revision) for each in to)
    memory = make_memory(world, title, f"What {title} says.", *turns)
    memory = memory.model_copy(
        update={"references": links, "inherited": inherited_turns(memory.evidence, to)}
    )
    store_memories(world, memory)
    return memory


@pytest.fixture
def chain(world: World) -> dict[str, Memory]:
    """`top` refers to `middle`, which refers to `bottom`; each cites a turn, the last two turns."""
    low = said(world, "I would rather not swim.")
    mid = said(world, "Perhaps on Sunday.")
    high = said(world, "Never on Monday.")
    bottom = kept(world, "bottom", low["id"], mid["id"])
    middle = kept(world, "middle", mid["id"], to=(bottom,))
    return {
        "bottom": bottom,
        "middle": middle,
        "top": kept(world, "top", high["id"], to=(middle,)),
    }


def test_evidence_is_direct_and_says_when_there_is_more(
    world: World, chain: dict[str, Memory]
) -> None:
    """The memory's own turns, word for word, with where they stand and who said them."""
    answer = get(world, chain["top"], "evidence").body
    [citation] = chain["top"].evidence
    assert answer == {
        "items": [
            {
                "turn_id": citation.turn_id,
                "turn_version": 1,
                "role": "user",
                "said_at": "2026-09-20T12:00:00.000000Z",
                "subject": "user",
                "citations": [{"word_start": 0, "word_end": 1, "text": "Never"}],
                "path": [{"memory_id": chain["top"].id, "revision": 1}],
                "source": {"state": "current"},
            }
        ],
        "cursor": None,
        "truncated": True,
    }
    assert get(world, chain["bottom"], "evidence")["truncated"] is False


def test_evidence_is_followed_as_far_as_is_asked(world: World, chain: dict[str, Memory]) -> None:
    """By depth, and by how many revisions; a turn that two cite stands once, the nearest way."""

    def found(query: str) -> tuple[dict[str, int], bool]:
        answer = get(world, chain["top"], f"evidence?{query}")
        texts = {i["citations"][0]["text"]: len(i["path"]) for i in answer["items"]}
        return texts, answer["truncated"]

    whole = {"Never": 1, "Perhaps": 2, "I": 3}
    assert found("depth=1") == ({"Never": 1, "Perhaps": 2}, True)
    assert found("depth=2") == (whole, False)
    assert found("depth=16&node_budget=2") == ({"Never": 1, "Perhaps": 2}, True)
    assert found("depth=16&node_budget=3") == (whole, False)
    first = get(world, chain["top"], "evidence?depth=2&limit=2")
    rest = get(world, chain["top"], f"evidence?depth=2&limit=2&cursor={first['cursor']}")
    every = get(world, chain["top"], "evidence?depth=2")["items"]
    assert first["items"] + rest["items"] == every
    assert get(world, chain["top"], f"evidence?depth=3&cursor={first['cursor']}").status == 400


@pytest.mark.parametrize(
    "query", ["depth=-1", "depth=17", "depth=x", "node_budget=0", "node_budget=101", "revision=0"]
)
def test_bounds_that_are_none_are_400(world: World, chain: dict[str, Memory], query: str) -> None:
    """As every list's are."""
    assert get(world, chain["top"], f"evidence?{query}").status == 400


def test_every_citation_of_a_turn_keeps_its_own_bounds(world: World) -> None:
    """Two quotes of one turn are one source, in the order they stand in."""
    turn = said(world, "I don't eat pork, and I never did.")
    memory = make_memory(world, "pork", "No pork.", turn["id"])
    bounds = ((5, 8), (0, 4))
    evidence = tuple(
        Citation(**memory.evidence[0].model_dump(exclude={"word_start", "word_end"}), **each)
        for each in ({"word_start": a, "word_end": b} for a, b in bounds)
    )
    memory = memory.model_copy(update={"evidence": evidence})
    store_memories(world, memory)
    [item] = get(world, memory, "evidence")["items"]
    assert [c["text"] for c in item["citations"]] == ["I don't eat pork", "I never did"]


def test_a_page_of_evidence_ends_where_it_has_cost_enough(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many turns are asked for; its cursor leads to the others, each of them once."""
    monkeypatch.setattr(evidence_expansion, "TURNS_PER_READ", 2)
    monkeypatch.setattr(evidence_expansion, "MAX_PAGE_BYTES", len("First words.Second words.") - 1)
    texts = ("First words.", "Second words.", "Third words.", "Fourth words.", "Fifth words.")
    turns = [said(world, text)["id"] for text in texts]
    memory = kept(world, "words", *turns)
    pages: list[list[str]] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = get(world, memory, f"evidence?limit=100{cursor}")
        pages.append([item["citations"][0]["text"] for item in answer["items"]])
        cursor = f"&cursor={answer['cursor']}" if answer["cursor"] else None
    assert pages == [["First", "Second"], ["Third", "Fourth"], ["Fifth"]]


def test_pinned_lists_stay_with_the_revision_they_began_with(world: World) -> None:
    """The memory is corrected between two pages: the second is still of the first's revision."""
    one, two = said(world, "First words."), said(world, "Second words.")
    targets = tuple(kept(world, f"target {n}", one["id"]) for n in range(3))
    memory = kept(world, "words", one["id"], two["id"], to=targets)
    pages = {what: get(world, memory, f"{what}?limit=1") for what in ("references", "evidence")}
    correct(world, memory.id, 1)
    assert [r["memory_id"] for r in get(world, memory, "references")["items"]] == [memory.id]
    second = get(world, memory, f"references?limit=1&cursor={pages['references']['cursor']}")
    assert [r["memory_id"] for r in second["items"]] == [targets[1].id]
    second = get(world, memory, f"evidence?limit=1&cursor={pages['evidence']['cursor']}")
    assert second["items"][0]["path"] == [{"memory_id": memory.id, "revision": 1}]
    pinned = get(world, memory, "references?revision=1")["items"]
    assert [r["memory_id"] for r in pinned] == [target.id for target in targets]
    assert get(world, memory, "references?revision=3").status == 404
    assert get(world, memory, "evidence?revision=3").status == 404


def test_an_updated_target_does_not_hide_who_still_refers_to_it(world: World) -> None:
    """By default current revisions, to whatever revision; narrowed by it, widened by history."""
    turn = said(world, "Some words.")
    target = kept(world, "target", turn["id"])
    still = kept(world, "still", turn["id"], to=(target,))
    once = kept(world, "once", turn["id"], to=(target,))
    correct(world, once.id, 1)
    correct(world, target.id, 1)

    def found(query: str) -> set[tuple[str, int, bool, tuple[int, ...]]]:
        items = get(world, target, f"referenced_by?{query}")["items"]
        return {
            (i["memory_id"], i["revision"], i["current"], tuple(i["target_revisions"]))
            for i in items
        }

    own = (target.id, 2, True, (1,))
    now = {(still.id, 1, True, (1,)), own}
    assert found("") == now
    assert found("target_revision=1") == now
    assert found("target_revision=2") == set()
    assert found("history=true") == now | {(once.id, 1, False, (1,))}


def test_a_new_link_is_no_event_of_its_target(world: World) -> None:
    """The feed tells of the memory that refers; whoever shows its links looks them up anew."""
    turn = said(world, "Some words.")
    target = kept(world, "target", turn["id"])
    near = kept(world, "near", turn["id"], to=(target,))
    events = world.call("GET", "/v1/events")["items"]
    assert [(e["type"], e["memory_id"]) for e in events] == [
        ("memory.created", target.id),
        ("memory.created", near.id),
    ]


def test_a_deleted_source_leaves_its_place_and_no_word(world: World) -> None:
    """The other turn's evidence stays; the deleted one's is gone from the new revision."""
    one, two = said(world, "Secret words."), said(world, "Other words.")
    memory = kept(world, "words", one["id"], two["id"])
    world.call("DELETE", f"/v1/turns/{one['id']}")
    items = get(world, memory, "evidence")["items"]
    assert [item["turn_id"] for item in items] == [two["id"]]


def test_a_source_that_expired_keeps_its_bounds_and_the_memory_its_text(world: World) -> None:
    """The turn's row is gone and its session is there: that is what retention does."""
    turn = said(world, "Old words.")
    memory = kept(world, "words", turn["id"])
    [row] = [row for row in world.rows() if row.get("id") == turn["id"]]
    world.client.delete_item(TableName=world.data.table, Key={"pk": row["pk"], "sk": row["sk"]})
    [item] = get(world, memory, "evidence")["items"]
    assert item["source"] == {"state": "expired"}
    assert item["citations"] == [{"word_start": 0, "word_end": 1, "text": None}]
    assert item["said_at"] == "2026-09-20T12:00:00.000000Z"
    assert world.call("GET", f"{LIST}/{memory.id}", account=claims())["text"] == memory.text


def test_what_was_only_recalled_does_not_make_stale(world: World) -> None:
    """A memory that was in the prompt when another was learned has no say in that one."""
    turn = said(world, "Some words.")
    recalled = kept(world, "recalled", turn["id"])
    aside = kept(world, "aside", turn["id"])
    correct(world, recalled.id, 1)
    shown = world.call("GET", f"{LIST}/{aside.id}", account=claims())
    assert (shown["freshness"], shown["references"]) == ("current", [])


def test_what_refers_to_corrected_words_is_stale_at_once(world: World) -> None:
    """And so is what refers to that; a verdict that changes no words leaves both as they are."""
    turn = said(world, "Some words.")
    target = kept(world, "target", turn["id"])
    near = kept(world, "near", turn["id"], to=(target,))
    far = kept(world, "far", turn["id"], to=(near,))

    def freshness() -> list[str]:
        shown = [world.call("GET", f"{LIST}/{m.id}", account=claims()) for m in (near, far)]
        return [each["freshness"] for each in shown]

    give_feedback(world, target.id, "confirm", 1)
    assert freshness() == ["current", "current"]
    correct(world, target.id, 1)
    assert freshness() == ["stale", "stale"]


@pytest.mark.parametrize("what", ["", "/revisions", "/references", "/referenced_by", "/evidence"])
def test_a_deleted_memory_is_410_wherever_it_is_asked_about(world: World, what: str) -> None:
    """With the time; giving it feedback as well; deleting it again is fine."""
    memory = kept(world, "words", said(world, "Some words.")["id"])
    path = f"{LIST}/{memory.id}"
    assert world.call("DELETE", path, account=claims()).status == 204
    gone = world.call("GET", path + what, account=claims())
    assert (gone.status, gone["code"]) == (410, "CONTENT_DELETED")
    assert gone["removed_at"] == "2026-09-20T12:00:00.000000Z"
    assert give_feedback(world, memory.id, "confirm", 1).status == 410
    assert world.call("DELETE", path, account=claims()).status == 204
    assert world.call("DELETE", path, account=claims("bob")).status == 404
    assert world.call("GET", f"{LIST}/{MISSING}{what}", account=claims()).status == 404
