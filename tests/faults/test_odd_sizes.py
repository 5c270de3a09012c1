"""Texts at the edge of what an item holds, made of what JSON prints long."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.item_size import MAX_ITEM_BYTES, stored_size
from tests.support.laws import law
from tests.support.world import World


@pytest.mark.parametrize("letter", ["\x01", "\n", "\\", '"', "\x7f"], ids=repr)
def test_a_byte_counts_once_however_json_prints_it(world: World, letter: str) -> None:
    """A hundred thousand of them and a letter is the limit, stored and given back exactly."""
    content = letter * 99_999 + "a"
    session_id = world.session()
    answer = world.say(session_id, content)
    assert answer.status == 201
    assert world.call("GET", f"/v1/turns/{answer['user_turn']['id']}")["content"] == content


def test_a_page_of_them_is_bounded_as_it_is_printed(world: World) -> None:
    """Lambda takes 6 MB of response: the page ends before, and the list goes on."""
    session_id = world.session()
    for _ in range(8):
        world.say(session_id, "\x01" * 99_999 + "a", history="off", recall="off")
    path, seen, cursor = f"/v1/sessions/{session_id}/turns?limit=100", 0, ""
    while cursor is not None:
        page = world.call("GET", path + (f"&cursor={cursor}" if cursor else ""))
        assert len(json.dumps(page.body)) < 4_000_000
        seen, cursor = seen + len(page["items"]), page["cursor"]
    assert seen == 16


@pytest.mark.parametrize("letter", ["a", "\n", "\x01", "\U0001f41d"], ids=repr)
@pytest.mark.parametrize("less", [0, 100, 1_000, 1_990, 2_000, 3_000])
def test_an_answer_near_the_limit_is_stored_or_the_models_fault(
    world: World, letter: str, less: int
) -> None:
    """Never the user's, and never half stored."""
    size = len(letter.encode())
    answer = letter * ((MAX_ITEM_BYTES - less) // size)
    world.chat.will(answer)
    session_id = world.session()
    reply = world.say(session_id, "Write a book.")
    [question, *answers] = world.call("GET", f"/v1/sessions/{session_id}/turns")["items"]
    if less >= 2_000:
        assert reply.status == 201
        assert [turn["content"] for turn in answers] == [answer]
    else:
        assert (reply.status, reply["code"]) == (502, "MODEL_REPLY_INVALID")
        assert (question["status"], answers) == ("unanswered", [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


@law()
@given(JSON)
def test_the_stored_size_is_never_told_too_small(value: Any) -> None:
    """Names, texts as UTF-8, a byte for each further element and three for each whole."""
    assert stored_size(value) >= least(value)
    assert stored_size({"v": b"\x00" * 7, "n": Decimal("1.5")}) >= 3 + 1 + 7 + 1 + 2


def least(value: Any) -> int:
    """What the value takes at the very least."""
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, list):
        return 3 + sum(1 + least(each) for each in value)
    if isinstance(value, dict):
        return 3 + sum(1 + len(name.encode()) + least(each) for name, each in value.items())
    return 1
