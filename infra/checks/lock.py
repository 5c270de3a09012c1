"""`python -m infra.checks.lock path/to/uv`: do the locks say what pyproject.toml asks for?

Each lock is compiled again over a copy of itself, so that pins that still fit stay; a lock that
comes out different lags behind. Hashes and versions come from the index that uv is set up with.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAYER = "shared/requirements.txt"
WITH_ANTHROPIC = "shared/requirements-anthropic.txt"
EVERYTHING = "requirements-dev.txt"
LOCKS: dict[str, tuple[str, ...]] = {
    LAYER: (),
    WITH_ANTHROPIC: ("--extra", "anthropic"),
    EVERYTHING: ("--group", "dev"),
}
OPTIONS = ("--quiet", "--universal", "--generate-hashes", "--no-header", "--no-emit-index-url")

Compile = Callable[[Sequence[str], Path], None]
"""Compiles pyproject.toml, with these options, over the lock at that path."""


class CompileFailed(Exception):
    """The lock could not be compiled."""


def main(uv: str) -> int:
    """0 when the locks are right; else 1 and a sentence for each fault."""
    try:
        faults = [*lagging(ROOT, uv_compile(uv)), *disagreeing(ROOT)]
    except CompileFailed as error:
        faults = [f"uv could not compile pyproject.toml: {error}"]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def uv_compile(uv: str) -> Compile:
    """Compiling with that uv, as `make lock` does."""

    def run(options: Sequence[str], lock: Path) -> None:
        command = [uv, "pip", "compile", *OPTIONS, "pyproject.toml", *options, "-o", str(lock)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - the Makefile's own uv
        if done.returncode != 0:
            raise CompileFailed(done.stderr.strip())

    return run


def lagging(root: Path, compile_lock: Compile) -> list[str]:
    """A sentence for each lock that comes out different. Raises CompileFailed."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for name, options in LOCKS.items():
            again = Path(folder) / Path(name).name
            shutil.copyfile(root / name, again)
            compile_lock(options, again)
            if again.read_text() != (root / name).read_text():
                faults.append(f"{name} lags behind pyproject.toml: run `make lock`.")
    return faults


def disagreeing(root: Path) -> list[str]:
    """A sentence for each package that a layer's lock pins to another version than the tests'."""
    found = {name: pins((root / name).read_text()) for name in LOCKS}
    everything = found.pop(EVERYTHING)
    return [
        f"{name} is {_listed(layer[name])} in {lock}"
        f" and {_listed(everything[name])} in {EVERYTHING}."
        for lock, layer in found.items()
        for name in sorted(layer.keys() & everything.keys())
        if layer[name] != everything[name]
    ]


def pins(lock: str) -> dict[str, set[str]]:
    """Each package of a lock with its versions: a universal lock may hold more than one."""
    found: dict[str, set[str]] = {}
    line = r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)"
    for name, version in re.findall(line, lock, re.MULTILINE):
        found.setdefault(name.lower(), set()).add(version)
    return found


def _listed(versions: set[str]) -> str:
    return " or ".join(sorted(versions))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
