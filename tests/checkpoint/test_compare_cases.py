"""Two checkpoints side by side, and the checkpoint they both come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.checkpoint.lineage.comparison import (
    common_ancestor,
    compare_contents,
    compare_lines,
    fold_line,
)
from strandline.models.checkpoint import Content
from tests.support.checkpoint_requests import commit, new_space
from tests.support.comparisons import assert_problem
from tests.support.laws import law
from tests.support.world import World

LINES = st.lists(st.text(max_size=12), max_size=6)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Use Postgres.", "use  postgres", True),
        ("Ｕｓｅ Postgres!", "Use Postgres", True),
        ("Straße frei", "STRASSE FREI", True),
        ("Ship it — now", "ship it, now", True),
        ("don't ship", "don’t ship", True),
        ("用 Postgres。", "用 postgres", True),
        ("cafe\u0301", "café", True),
        ("Use C#", "Use C", False),
        ("5 % off", "5 off", False),
        ("limit -5", "limit 5", False),
        ("a != b", "a = b", False),
        ("resume", "résumé", False),
        ("2.5 days", "25 days", False),
        ("?!", "...", False),
        ("", " ", True),
    ],
)
def test_wording_is_compared_after_case_punctuation_and_space(
    a: str, b: str, *, same: bool
) -> None:
    """By Unicode's own folding; what changes the meaning isn't folded."""
    assert (fold_line(a) == fold_line(b)) is same


def test_each_line_is_shown_in_its_own_wording() -> None:
    """Shared lines in both; the rest on their own side, in order."""
    a = Content(title="a", decisions=("Use Postgres.", "Ship it", "Hire ada"))
    b = Content(title="b", decisions=("ship  IT!", "Buy it"), tasks=("Test",))
    found = compare_contents(a, b)
    assert found.decisions.model_dump(mode="json") == {
        "only_in_a": ["Use Postgres.", "Hire ada"],
        "only_in_b": ["Buy it"],
        "shared": [{"a": "Ship it", "b": "ship  IT!"}],
    }
    assert found.tasks.only_in_b == ("Test",)


@given(LINES, LINES)
@law()
def test_a_comparison_the_other_way_round_is_its_mirror(a: list[str], b: list[str]) -> None:
    """And every line of either side is on a side or in both."""
    there, back = compare_lines(a, b), compare_lines(b, a)
    assert (there.only_in_a, there.only_in_b) == (back.only_in_b, back.only_in_a)
    assert {(p.a, p.b) for p in there.shared} == {(p.b, p.a) for p in back.shared}
    shown = {fold_line(line) for line in there.only_in_a} | {fold_line(p.a) for p in there.shared}
    assert shown == {fold_line(line) for line in a}


@pytest.mark.parametrize(
    ("parents", "a", "b", "expected"),
    [
        ({"c": ("b",), "b": ("a",), "a": ()}, "c", "b", "b"),
        ({"c": ("b",), "b": ("a",), "a": ()}, "c", "c", "c"),
        ({"x": ("a",), "y": ("a",), "a": ()}, "x", "y", "a"),
        ({"x": (), "y": ()}, "x", "y", None),
        ({"m": ("x", "y"), "x": ("a",), "y": ("a",), "a": (), "z": ("y",)}, "m", "z", "y"),
        ({"x": ("n", "o"), "y": ("n", "o"), "n": ("o",), "o": ()}, "x", "y", "n"),
        ({"a": ("b",), "b": ("a",), "c": ("a",)}, "c", "b", "b"),
        ({"a": ("a",)}, "a", "missing", None),
    ],
    ids=["line", "same", "two branches", "strangers", "merge", "near one", "cycle", "missing"],
)
def test_the_nearest_common_ancestor_is_found(
    parents: dict[str, tuple[str, ...]], a: str, b: str, expected: str | None
) -> None:
    """By all parents, also of merges; a cycle ends the search and hangs nothing."""
    assert common_ancestor(parents, a, b) == expected


@given(st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=2), max_size=8))
@law()
def test_any_graph_has_an_answer(graph: dict[int, list[int]]) -> None:
    """However parents are tangled: one that both reach, and the same in either order."""
    parents = {str(k): tuple(str(p) for p in v) for k, v in graph.items()}
    found = common_ancestor(parents, "0", "1")
    assert found == common_ancestor(parents, "1", "0")
    assert found is None or found in "01234567"


def test_checkpoints_of_two_branches_are_compared_over_http(world: World) -> None:
    """With their places in the lineage and the checkpoint they come from."""
    space_id = new_space(world)
    base = commit(world, space_id, "base", decisions=["Use Postgres."])
    fork = world.call("POST", f"/v1/checkpoints/{base['id']}/fork", {"branch": "other"})
    a = commit(world, space_id, "a", decisions=["Use Postgres", "Ship it"])
    b = commit(world, space_id, "b", branch="other", decisions=["use postgres!"])
    found = world.call("GET", f"/v1/checkpoints/{a['id']}/compare?with={b['id']}")
    assert fork.status == 201
    assert found.status == 200
    assert (found["a"]["id"], found["b"]["id"]) == (a["id"], b["id"])
    assert found["common_ancestor"]["id"] == base["id"]
    assert found["decisions"] == {
        "only_in_a": ["Ship it"],
        "only_in_b": [],
        "shared": [{"a": "Use Postgres", "b": "use postgres!"}],
    }


@pytest.mark.parametrize("query", ["", "?with=", "?with=chk_1", "?with=%F0%9F%98%80", "?other=1"])
def test_a_comparison_needs_another_checkpoint(world: World, query: str) -> None:
    """400 without one, 404 for what is none."""
    made = commit(world, new_space(world))
    reply = world.call("GET", f"/v1/checkpoints/{made['id']}/compare{query}")
    expected = (404, "NOT_FOUND") if len(query) > len("?with=") and "with" in query else None
    assert_problem(reply, *(expected or (400, "INVALID")))


def test_a_checkpoint_of_another_space_is_not_compared(world: World) -> None:
    """Lines of two spaces have nothing to do with each other: 404."""
    one, other = commit(world, new_space(world)), commit(world, new_space(world))
    path = f"/v1/checkpoints/{one['id']}"
    assert_problem(world.call("GET", f"{path}/compare?with={other['id']}"), 404, "NOT_FOUND")
    assert_problem(world.call("POST", f"{path}/merge", {"with": other["id"]}), 404, "NOT_FOUND")
