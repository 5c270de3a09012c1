"""The check that the locks keep up with pyproject.toml, with a compiler that needs no network."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from infra.checks import lock

PINNED = "numpy==2.4.0 ; python_full_version >= '3.11' \\\n    --hash=sha256:aa\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose locks agree."""
    (tmp_path / "shared").mkdir()
    (tmp_path / lock.LAYER).write_text(PINNED)
    (tmp_path / lock.WITH_ANTHROPIC).write_text(PINNED + "anthropic==2.14.0\n")
    (tmp_path / lock.EVERYTHING).write_text(PINNED + "ruff==0.17.0\n")
    return tmp_path


def test_a_lock_that_comes_out_the_same_is_right(root: Path) -> None:
    """Compiling over a lock that fits changes nothing, and nothing is said."""
    assert lock.lagging(root, lambda options, path: None) == []
    assert lock.disagreeing(root) == []


def test_a_lock_that_comes_out_different_lags(root: Path) -> None:
    """A package that pyproject.toml gained shows as a lag of exactly the lock it belongs to."""

    def with_one_more(options: Sequence[str], path: Path) -> None:
        if options == ("--group", "dev"):
            path.write_text(path.read_text() + "httpx==0.28.1\n")

    [fault] = lock.lagging(root, with_one_more)
    assert fault == "requirements-dev.txt lags behind pyproject.toml: run `make lock`."


def test_the_locks_themselves_are_not_written(root: Path) -> None:
    """The check compiles a copy: it reports, it doesn't repair."""

    def emptied(options: Sequence[str], path: Path) -> None:
        path.write_text("")

    assert len(lock.lagging(root, emptied)) == 3
    assert (root / lock.LAYER).read_text() == PINNED


def test_each_lock_is_compiled_over_its_own_pins(root: Path) -> None:
    """The copy begins as the lock, so that newer releases alone are no lag."""
    seen: list[str] = []
    lock.lagging(root, lambda options, path: seen.append(path.read_text()))
    assert seen == [PINNED, PINNED + "anthropic==2.14.0\n", PINNED + "ruff==0.17.0\n"]


def test_one_package_has_one_version_in_all(root: Path) -> None:
    """What is tested is what the layer carries."""
    (root / lock.EVERYTHING).write_text(PINNED.replace("2.4.0", "2.4.1"))
    assert lock.disagreeing(root) == [
        f"numpy is 2.4.0 in shared/{name}.txt and 2.4.1 in requirements-dev.txt."
        for name in ("requirements", "requirements-anthropic")
    ]


def test_a_universal_lock_may_pin_a_package_twice() -> None:
    """Two pins with different markers are both read; comments and hashes are not pins."""
    text = (
        "# via numpy==1\nnumpy==2.4.0 ; a\n    --hash=sha256:b\nnumpy==2.5.0 ; b\nMoto[sqs]==5.2\n"
    )
    assert lock.pins(text) == {"numpy": {"2.4.0", "2.5.0"}, "moto": {"5.2"}}


def test_a_uv_that_fails_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The check doesn't pass because it could not be made."""
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\necho no network >&2\nexit 2\n")
    uv.chmod(0o755)
    assert lock.main(str(uv)) == 1
    assert capsys.readouterr().err == "uv could not compile pyproject.toml: no network\n"


def test_the_committed_locks_agree() -> None:
    """The repository's own locks pin no package differently."""
    assert lock.disagreeing(lock.ROOT) == []
