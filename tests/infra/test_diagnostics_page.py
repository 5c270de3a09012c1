"""The page on diagnostics: each requirement names tests that prove it, and they are there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d+ \|", line)
]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_the_rows_are_numbered_through() -> None:
    """None is left out, none stands twice."""
    assert [int(row[0]) for row in ROWS] == list(range(1, len(ROWS) + 1))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0]))
def test_a_requirement_is_proved_by_tests_that_are_there(row: list[str]) -> None:
    """Every row names at least one test, by file and function."""
    named = NAMED.findall(row[-1])
    assert named, row
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert name in functions, f"{path} has no {name}"
