"""docs/architecture.md names what exists, and the pages link to pages that exist."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.template_queries import ROOT

PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
MAP = PAGE[PAGE.index("## Map") : PAGE.index("## Order of imports")]
CODE = re.compile(r"`((?:functions|strandline|infra|tests)/[\w/]+(?:\.py)?)(?::([\w.]+))?`")
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")],
    key=str,
)
NOT_YET = {"shared/strandline/language/data/da.toml": "the example of a file to add"}
"""Paths on pages that are no files of the tree, each with its reason."""


def real(path: str) -> Path:
    """The file or folder that a path on a page means: `strandline/` is in `shared/`."""
    return ROOT / ("shared" if path.startswith("strandline/") else "") / path


def defined(module: Path) -> set[str]:
    """The functions and classes of a module, and the methods of its classes as `Class.method`."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, kinds):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, kinds)}
    return names


def packages() -> list[str]:
    """Every package of the functions and of strandline, written as the page writes it."""
    folders = (ROOT / "functions", ROOT / "shared" / "strandline")
    found = {path.parent for folder in folders for path in folder.rglob("*.py")}
    names = {str(path.relative_to(ROOT)).removeprefix("shared/") for path in found}
    return sorted(names - {"strandline"})


@pytest.mark.parametrize(("path", "name"), sorted(set(CODE.findall(PAGE))), ids=":".join)
def test_what_the_page_names_exists(path: str, name: str) -> None:
    """Each path is a file or folder, and each function is defined in its file."""
    assert real(path).exists()
    if name:
        assert name in defined(real(path))


def test_every_step_of_a_walk_names_a_function() -> None:
    """There are three walks, and each of their steps names a file and a function or class."""
    walks = re.split(r"^## ", PAGE, flags=re.MULTILINE)[-3:]
    for walk in walks:
        steps = re.findall(r"^\d+\. .+$", walk, re.MULTILINE)
        assert len(steps) >= 5, walk[:30]
        for step in steps:
            assert any(name for _, name in CODE.findall(step)), step


@pytest.mark.parametrize("package", packages())
def test_every_package_is_on_the_map(package: str) -> None:
    """A package has a row, and a package within it is named in that row."""
    top, within = package.split("/")[:2], package.split("/")[2:]
    [row] = [line for line in MAP.splitlines() if line.startswith(f"| `{'/'.join(top)}` |")]
    assert all(f"`{name}`" in row for name in within), row


def test_every_module_of_strandline_itself_is_on_the_map() -> None:
    """The modules beside the packages have rows, too."""
    for module in (ROOT / "shared/strandline").glob("*.py"):
        assert module.name == "__init__.py" or f"`strandline/{module.name}`" in MAP, module.name


def test_the_order_is_the_contracts() -> None:
    """The page's list of layers is the one that import-linter reads."""
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = configuration["tool"]["importlinter"]["contracts"]
    [layers] = [each["layers"] for each in contracts if each["type"] == "layers"]
    [block] = re.findall(r"```\n(.*?)\n```", PAGE, re.DOTALL)
    assert block.splitlines() == layers


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    """Each relative link of a page leads to a file, and to a heading of it where it names one."""
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        name, _, heading = target.partition("#")
        linked = (page.parent / name) if name else page
        assert linked.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", each).lower().replace(" ", "-") for each in headings}
            assert heading in slugs, target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_that_a_page_names_exists(page: Path) -> None:
    """Paths in backticks, with or without `shared/`, are files or folders of the tree."""
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:functions|shared|strandline|infra|tests|docs)/[\w./-]+)`", text)
    missing = sorted({path for path in named if path not in NOT_YET and not real(path).exists()})
    assert missing == []
