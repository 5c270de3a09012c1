"""The house's rules, where a machine can see them kept."""

import ast
import re
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from infra.local.template import load_template, routes
from infra.openapi import apps
from strandline import keys

ROOT = Path(__file__).parents[1]
TEMPLATE = load_template(ROOT / "template.yaml")
FOLDERS = {"shared/strandline": "strandline", "functions": "functions", "infra": "infra"}
MODULES = sorted(
    path.relative_to(ROOT)
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
    if "__pycache__" not in path.parts
)
MOST_LINES_OF_A_FUNCTION = 60
MOST_LINES_OF_A_FILE = 400
LONGER: dict[str, str] = {}
"""What may be longer, by `path` or `path:function`, each with its reason."""
DISTRIBUTIONS = {"strandline", "functions", "infra"}


def tree(path: Path) -> ast.Module:
    """A module's syntax."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """Every module that a module imports, wherever in it."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("function", sorted({route.function for route in routes(TEMPLATE)}))
def test_a_functions_routes_are_the_templates(function: str) -> None:
    """Each route of its resolver is in the template, and the other way round."""
    app = apps(TEMPLATE)[function]
    resolved = {
        f"{route.method} {route.path.replace('<', '{').replace('>', '}')}"
        for route in chain(app._static_routes, app._dynamic_routes)
    }
    assert resolved == {route.key for route in routes(TEMPLATE) if route.function == function}


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_dependencies_point_one_way(path: Path) -> None:
    """Functions know strandline and themselves; strandline knows nothing of ours."""
    ours = {name for name in imported(path) if name.partition(".")[0] in DISTRIBUTIONS}
    if path.is_relative_to("shared"):
        assert {name for name in ours if not f"{name}.".startswith("strandline.")} == set()
    elif path.is_relative_to("functions"):
        own = f"functions.{path.parts[1]}."
        foreign = {
            name
            for name in ours
            if not f"{name}.".startswith(("strandline.", own)) and name != "functions"
        }
        assert foreign == set()


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_files_and_functions_stay_short(path: Path) -> None:
    """A function of 60 lines or a file of 400 has to be argued for."""
    lines = (ROOT / path).read_text(encoding="utf-8").count("\n")
    assert lines <= MOST_LINES_OF_A_FILE or str(path) in LONGER
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= MOST_LINES_OF_A_FUNCTION or f"{path}:{node.name}" in LONGER, node.name


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_every_module_class_and_public_function_says_its_promise(path: Path) -> None:
    """A docstring, whose first line is a sentence or names a thing."""
    module = tree(path)
    assert ast.get_docstring(module) or not module.body, "the module has none"
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


def test_every_key_is_in_the_table_of_keys() -> None:
    """The docstring of keys.py is the whole database: each key function's row is in it."""
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in (keys.__doc__ or "").splitlines()
        if line.startswith("| ") and "---" not in line
    ][1:]
    described = {(shape(row[1]), shape(row[2])) for row in rows}
    made = set()
    for name, function in vars(keys).items():
        annotations = getattr(function, "__annotations__", {})
        if annotations.get("return") is keys.Key and not name.startswith("_"):
            given = [
                1 if kind is int else f"<{argument}>"
                for argument, kind in annotations.items()
                if argument != "return"
            ]
            key = function(*given)
            made.add((shape(key.pk), shape(key.sk)))
    assert made == described


def shape(key: str) -> str:
    """A key without what varies in it: `A#{account}#S#{session}` is `A#*#S#*`."""
    varying = r"\{\w+\}|%3C\w+%3E|<\w+>|\b[0-9a-f]{64}\b|\b\d+\b"
    return re.sub(varying, "*", key)


def test_no_tracked_file_names_this_machine_or_a_registry() -> None:
    """A clone works anywhere: no absolute path of a developer's, no package index."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a clone")
    # In pieces, so that this file itself is clean.
    forbidden = re.compile(
        "/" + r"(?:home|Users|root|work)/\w"
        r"|(?:files\.pythonhosted|pypi\.python)\." + r"org|pypi\.org/" + "simple|index" + "-url ="
    )
    for name in listed.stdout.split("\0"):
        path = ROOT / name
        if not name or not path.is_file() or path.suffix in (".gz", ".onnx"):
            continue
        found = forbidden.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{name}: {found and found[0]}"
