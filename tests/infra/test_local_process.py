"""`python -m infra.local` as a process: it says where it serves, and how it can't."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Served:
    """A running process and what it printed before it was ready."""

    process: subprocess.Popen[str]
    welcome: str
    address: str


def start(port: str, folder: Path, **settings: str) -> subprocess.Popen[str]:
    """Start the runner."""
    return subprocess.Popen(
        [sys.executable, "-m", "infra.local"],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PORT": port, "STRANDLINE_DATA": str(folder), **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A runner on a free port. Whatever a test does, it is gone afterwards."""
    process = start("0", tmp_path_factory.mktemp("served") / "data")
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "/messages" in line:
            break
    found = re.search(r"http://127\.0\.0\.1:\d+", "".join(lines))
    assert found is not None, process.communicate()
    yield Served(process, "".join(lines), found[0])
    if process.poll() is None:
        process.kill()
    process.communicate()


def test_it_says_where_it_serves_and_what_to_try(served: Served) -> None:
    """The address and three curl lines: a token, a session, a message."""
    curls = re.findall(r"curl -s (\S+)", served.welcome)
    assert curls == [
        f"{served.address}/local/token",
        f"{served.address}/v1/sessions",
        f"{served.address}/v1/sessions/$SESSION/messages",
    ]


def test_it_serves_over_a_real_socket(served: Served) -> None:
    """A token is issued; without one a route of template.yaml is closed; others aren't there."""
    token = httpx.post(f"{served.address}/local/token", json={"account": "ada"})
    assert token.status_code == 201
    assert len(token.json()["token"].split(".")) == 3
    assert httpx.get(f"{served.address}/v1/sessions").status_code == 401
    assert httpx.get(f"{served.address}/v1/nothing").status_code == 404
    assert httpx.get(f"{served.address}/local/queue").json()["held"] is False


def test_a_port_in_use_is_one_clear_line(served: Served, tmp_path: Path) -> None:
    """The second on a port ends at once with a sentence and status 1."""
    port = served.address.rpartition(":")[2]
    second = start(port, tmp_path / "data")
    out, err = second.communicate(timeout=60)
    assert (second.returncode, out) == (1, "")
    assert err == (
        f"Strandline can't start: port {port} on 127.0.0.1 can't be had: Address already in use. "
        "PORT=… takes another.\n"
    )


def test_a_setting_out_of_range_is_one_clear_line(tmp_path: Path) -> None:
    """It is named as the environment names it, before anything is served or stored."""
    wrong = start("0", tmp_path / "data", RECALL_THRESHOLD="2")
    out, err = wrong.communicate(timeout=60)
    assert (wrong.returncode, out) == (1, "")
    assert err == (
        "Strandline can't start: RECALL_THRESHOLD: Input should be less than or equal to 1\n"
    )
    assert not (tmp_path / "data").exists()


def test_a_signal_ends_it_well(served: Served) -> None:
    """SIGTERM is a clean stop: status 0."""
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(timeout=60) == 0
