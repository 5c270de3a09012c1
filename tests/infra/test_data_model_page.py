"""docs/data-model.md says what keys.py and the table say."""

import inspect
import json
import re
from typing import Any

from strandline import keys
from tests.support.extraction_replies import found, reply
from tests.support.template_queries import DATA, ROOT
from tests.support.world import World

PAGE = (ROOT / "docs/data-model.md").read_text(encoding="utf-8")
EXAMPLES: list[dict[str, Any]] = [
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
]


def rows(text: str) -> list[tuple[str, ...]]:
    """Item, pk, sk and reader of each row of the first table that has them."""
    lines = text[text.index("| item | pk | sk |") :].splitlines()
    table = lines[2 : lines.index("") if "" in lines else len(lines)]
    return [tuple(c.strip().strip("`") for c in line.strip("|").split("|"))[:4] for line in table]


def pattern(key: str) -> re.Pattern[str]:
    """A key's form as a pattern; `{account}` and the like are one part each."""
    return re.compile(re.sub(r"\\{\w+\\}", "[^#]+", re.escape(key)))


def item_of(pk: str, sk: str) -> str:
    """Which item of the table has such a key."""
    matching = [
        row[0]
        for row in rows(PAGE)
        if pattern(row[1]).fullmatch(pk) and pattern(row[2]).fullmatch(sk)
    ]
    assert len(matching) == 1, (pk, sk, matching)
    return matching[0]


def test_the_page_has_the_table_of_the_keys() -> None:
    """Row by row what the docstring of keys.py says; and each row says what it holds."""
    assert rows(PAGE) == rows(keys.__doc__ or "")
    table = PAGE[PAGE.index("| item |") :].split("\n\n")[0].splitlines()[2:]
    assert all(cell.strip() for line in table for cell in line.strip("|").split("|"))


def test_every_key_function_makes_a_key_of_the_table() -> None:
    """No key is born that the page doesn't have, and no row is of a key that nobody makes."""
    made = set()
    for _, function in inspect.getmembers(keys, inspect.isfunction):
        signature = inspect.signature(function)
        if signature.return_annotation is keys.Key:
            given = [1 if p.annotation is int else "x1" for p in signature.parameters.values()]
            made.add(item_of(*function(*given)))
    assert made == {row[0] for row in rows(PAGE)}


def test_the_index_is_the_tables() -> None:
    """Its name and its keys."""
    [index] = DATA["Resources"]["Table"]["Properties"]["GlobalSecondaryIndexes"]
    names = [key["AttributeName"] for key in index["KeySchema"]]
    assert f"| `{index['IndexName']}` | `{names[0]}`: " in PAGE
    assert f"| `{names[1]}` |" in PAGE
    shards = f"`OPEN#0` to `OPEN#{keys.OPEN_JOBS_SHARDS - 1}`"
    assert shards in PAGE


def test_the_examples_are_like_real_items(world: World) -> None:
    """Each example's keys have the form of a real item's, and all its attributes are real ones."""
    space_id = world.call("POST", "/v1/spaces", {"name": "House"})["id"]
    session_id = world.session(space_id=space_id)
    world.background.will(reply(found("The user moved to Oslo.", "I moved to Oslo")))
    assert world.say(session_id, "I moved to Oslo and I love tea.").status == 201
    world.drain()
    real: dict[str, set[str]] = {}
    for row in world.rows():
        real.setdefault(item_of(row["pk"], row["sk"]), set()).update(row)
    assert len(EXAMPLES) >= 7
    for example in EXAMPLES:
        name = item_of(example["pk"], example["sk"])
        assert set(example) <= real[name], name
