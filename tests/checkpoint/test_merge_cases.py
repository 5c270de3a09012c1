"""Three-way merges: what goes together goes together, what doesn't is told, nothing is lost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.checkpoint.lineage.comparison import LINE_FIELDS, fold_line
from functions.checkpoint.lineage.three_way_merge import merge_contents
from strandline.models.checkpoint import Artifact, Content
from strandline.models.memory import Reference
from tests.support.checkpoint_requests import commit, new_space
from tests.support.comparisons import assert_problem, state_of
from tests.support.laws import law
from tests.support.world import World

POSTGRES, MYSQL, DYNAMO = (
    "Use Postgres for the storage",
    "Use MySQL for the storage",
    "Use DynamoDB for the storage",
)
CASES: list[tuple[str, list[str], list[str], list[str], list[str], list[Any], list[Any]]] = [
    ("nothing changed", ["x"], ["x"], ["x"], ["x"], [], []),
    ("added by a", ["x"], ["x", "y"], ["x"], ["x", "y"], [], []),
    ("added by b", ["x"], ["x"], ["y", "x"], ["y", "x"], [], []),
    ("added by each", ["x"], ["x", "y"], ["x", "z"], ["x", "y", "z"], [], []),
    ("the same added by both", ["x"], ["x", "Y."], ["x", "y"], ["x", "Y."], [], []),
    ("removed by a", ["x", "y"], ["y"], ["x", "y"], ["y"], [], [("x", "a", None)]),
    ("removed by b", ["x", "y"], ["x", "y", "z"], ["y"], ["y", "z"], [], [("x", "b", None)]),
    ("removed by both", ["x", "y"], ["z"], ["w"], ["z", "w"], [],
     [("x", "both", None), ("y", "both", None)]),
    ("respelled by b", ["x y", "q"], ["x y", "q", "z"], ["X, y!", "q"], ["X, y!", "q", "z"],
     [], []),
    ("reworded by a", [POSTGRES, "q"], [MYSQL, "q"], [POSTGRES, "q", "z"], [MYSQL, "q", "z"], [],
     [(POSTGRES, "a", MYSQL)]),
    ("reworded by b", [POSTGRES, "q"], [POSTGRES, "q", "z"], [MYSQL, "q"], [MYSQL, "q", "z"], [],
     [(POSTGRES, "b", MYSQL)]),
    ("reworded alike by both", [POSTGRES], [MYSQL, "z"], [MYSQL.upper()], [MYSQL, "z"], [],
     [(POSTGRES, "both", MYSQL)]),
    ("reworded by both", [POSTGRES], [MYSQL], [DYNAMO], [MYSQL],
     [("changed on both sides", POSTGRES, MYSQL, DYNAMO)], []),
    ("reworded by a, removed by b", [POSTGRES, "q"], [MYSQL, "q"], ["q", "z"], [MYSQL, "q", "z"],
     [("changed and removed", POSTGRES, MYSQL, None)], []),
    ("removed by a, reworded by b", [POSTGRES, "q"], ["q", "z"], [MYSQL, "q"], ["q", "z"],
     [("changed and removed", POSTGRES, None, MYSQL)], []),
    ("one thing decided twice", ["q"], ["q", MYSQL], ["q", DYNAMO], ["q", MYSQL, DYNAMO],
     [("added alike", None, MYSQL, DYNAMO)], []),
    ("respelled by a, reworded by b", [POSTGRES, "q"], [f"{POSTGRES}!", "z", "q"], [MYSQL, "q"],
     [MYSQL, "z", "q"], [], [(POSTGRES, "b", MYSQL)]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_a_list_merges_line_by_line(case: tuple[Any, ...]) -> None:
    """The draft, the conflicts with all three wordings, and who removed what."""
    _, base, a, b, expected, conflicts, removed = case
    of = [Content(title="t", decisions=tuple(lines)) for lines in (base, a, b)]
    merged = merge_contents(*of)
    assert list(merged.content.decisions) == expected
    assert [(c.kind, c.base, c.a, c.b) for c in merged.conflicts] == conflicts
    assert [(r.text, r.by, r.replaced_by) for r in merged.removed] == removed


@pytest.mark.parametrize(
    ("base", "a", "b", "expected", "in_conflict"),
    [
        ("x", "x", "x", "x", False),
        ("x", "y", "x", "y", False),
        ("x", "x", "y", "y", False),
        ("x", "y", "y", "y", False),
        ("x", "y", "z", "y", True),
        ("x", "", "z", "", True),
        ("", "y", "", "y", False),
        (None, "y", "z", "y", True),
        (None, "", "z", "z", False),
    ],
)
def test_a_text_changed_on_both_sides_is_a_conflict(
    base: str | None, a: str, b: str, expected: str, *, in_conflict: bool
) -> None:
    """Changed on one side it is taken over; in a conflict the draft has the first side's."""
    old = None if base is None else Content(title="t", summary=base)
    merged = merge_contents(old, Content(title="t", summary=a), Content(title="t", summary=b))
    assert merged.content.summary == expected
    told = [(c.field, c.base, c.a, c.b) for c in merged.conflicts]
    assert told == ([("summary", base or "", a, b)] if in_conflict else [])


def test_artifacts_merge_by_name_and_memories_by_id() -> None:
    """Another text of a name, another revision of a memory: reworded, not added."""
    old = Content(
        title="t",
        artifacts=(Artifact(name="route", text="north"), Artifact(name="kit", text="tent")),
        memories=(Reference(memory_id="m", revision=1),),
    )
    a = old.model_copy(update={"artifacts": (Artifact(name="route", text="south"),)})
    b = old.model_copy(
        update={
            "artifacts": (Artifact(name="route", text="west"), old.artifacts[1]),
            "memories": (Reference(memory_id="m", revision=2),),
        }
    )
    merged = merge_contents(old, a, b)
    assert merged.content.artifacts == a.artifacts
    assert merged.content.memories == b.memories
    [conflict] = merged.conflicts
    assert (conflict.a, conflict.b) == ("route: south", "route: west")
    told = [(r.field, r.text, r.by) for r in merged.removed]
    assert told == [("artifacts", "kit: tent", "a"), ("memories", "m 1", "b")]


WORDS = st.sampled_from(["use", "Postgres", "MySQL", "for", "storage", "not", "ship", "it.", "用"])
LINE = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
CONTENT = st.builds(
    Content,
    title=LINE,
    summary=LINE,
    **{name: st.lists(LINE, max_size=5).map(tuple) for name in LINE_FIELDS},
    artifacts=st.lists(st.builds(Artifact, name=LINE, text=LINE), max_size=3).map(tuple),
)


def told_of(merged: Any, field: str) -> set[str]:
    """Everything a merge says of a field, folded."""
    draft = getattr(merged.content, field)
    texts = [draft] if isinstance(draft, str) else list(draft)
    for conflict in merged.conflicts:
        texts += [each for each in (conflict.a, conflict.b) if conflict.field == field and each]
    texts += [each.text for each in merged.removed if each.field == field]
    return {fold_line(text) for text in texts}


@given(CONTENT, CONTENT, CONTENT)
@law(150)
def test_a_merge_loses_nothing(base: Content, a: Content, b: Content) -> None:
    """Every line of either side is in the draft, in a conflict or in what was removed."""
    merged = merge_contents(base, a, b)
    for side in (a, b):
        for name in LINE_FIELDS:
            assert {fold_line(line) for line in getattr(side, name)} <= told_of(merged, name)
        texts = {fold_line(f"{each.name}: {each.text}") for each in side.artifacts}
        kept = {fold_line(f"{each.name}: {each.text}") for each in merged.content.artifacts}
        said = {fold_line(t) for c in merged.conflicts for t in (c.a, c.b) if t}
        gone = {fold_line(each.text) for each in merged.removed}
        assert texts <= kept | said | gone
    for name in ("title", "summary"):
        changed = {
            fold_line(getattr(s, name)) for s in (a, b) if getattr(s, name) != getattr(base, name)
        }
        assert changed <= told_of(merged, name)


@given(CONTENT, CONTENT)
@law()
def test_merging_with_oneself_or_with_what_did_not_change_is_the_other(
    a: Content, x: Content
) -> None:
    """merge(a, a) = a, and the side that changed is taken whole, without a conflict."""
    for base in (a, x, None):
        assert merge_contents(base, a, a).content == a
        assert merge_contents(base, a, a).conflicts == ()
    assert merge_contents(a, a, x).content == x
    assert merge_contents(a, x, a).content == x
    assert merge_contents(a, a, x).conflicts == merge_contents(a, x, a).conflicts == ()


def two_lines(world: World) -> tuple[str, str, str]:
    """A space, and the heads of two branches that come from one checkpoint."""
    space_id = new_space(world)
    base = commit(world, space_id, "base", decisions=[POSTGRES, "Go"])
    world.call("POST", f"/v1/checkpoints/{base['id']}/fork", {"branch": "other"})
    a = commit(world, space_id, "main", decisions=[MYSQL, "Go"], tasks=["Buy"])
    b = commit(world, space_id, "base", branch="other", decisions=[DYNAMO, "Go"], tasks=["Sell"])
    return space_id, a["id"], b["id"]


def test_a_merge_is_drafted_and_committed_with_both_parents(world: World) -> None:
    """The draft is a commit's body as it stands; the lineage shows both lines meet."""
    space_id, a, b = two_lines(world)
    before = state_of(world)
    drafted = world.call("POST", f"/v1/checkpoints/{a}/merge", {"with": b})
    assert drafted.status == 200
    assert state_of(world) == before
    assert drafted["draft"]["tasks"] == ["Buy", "Sell"]
    [conflict] = drafted["conflicts"]
    assert (conflict["base"], conflict["a"], conflict["b"]) == (POSTGRES, MYSQL, DYNAMO)
    made = world.call("POST", f"/v1/spaces/{space_id}/checkpoints", drafted["draft"])
    assert made.status == 201
    assert (made["parent_id"], made["merge_parent_id"]) == (a, b)
    nodes = world.call("GET", f"/v1/spaces/{space_id}/lineage")["nodes"]
    assert nodes[-1]["parents"] == [a, b]
    compared = world.call("GET", f"/v1/checkpoints/{made['id']}/compare?with={b}")
    assert compared["common_ancestor"]["id"] == b


def test_a_merge_drafted_for_an_older_head_is_not_committed_on_a_newer_one(world: World) -> None:
    """What the draft was made of would be lost from view: 409 names the head, nothing is stored."""
    space_id, a, b = two_lines(world)
    draft = world.call("POST", f"/v1/checkpoints/{a}/merge", {"with": b})["draft"]
    head = commit(world, space_id, "meanwhile")["id"]
    before = state_of(world)
    refused = world.call("POST", f"/v1/spaces/{space_id}/checkpoints", draft)
    assert (refused.status, refused["code"], refused["head"]) == (409, "CONFLICT", head)
    assert state_of(world) == before


def test_only_a_branchs_head_is_merged_into(world: World) -> None:
    """Else the commit would have another parent than the draft was made for: 409 names the head."""
    space_id, a, b = two_lines(world)
    head = commit(world, space_id, "moved on")["id"]
    refused = world.call("POST", f"/v1/checkpoints/{a}/merge", {"with": b})
    assert (refused.status, refused["code"], refused["head"]) == (409, "CONFLICT", head)
    path = f"/v1/checkpoints/{head}/merge"
    wrong = world.call("POST", path, {"with": b, "branch": "other"})
    assert (wrong.status, wrong["head"]) == (409, b)
    assert_problem(world.call("POST", path, {"with": head}), 400, "INVALID")
    assert_problem(world.call("POST", path, {}), 400, "INVALID")
    assert_problem(world.call("POST", path, {"with": "chk_1"}), 404, "NOT_FOUND")
