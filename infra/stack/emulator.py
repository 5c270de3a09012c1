"""An AWS emulator of one's own: started for one run, with nothing of it left afterwards."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import boto3
from botocore.config import Config

REGION = "us-east-1"
PACKAGES = ("ministack==1.5.33", "aws-sam-translator==1.115.0", "cryptography==50.0.2")
"""Installed apart from the project, for it pins a botocore of its own."""
_NOT_THEIRS = ("AWS_", "OPENAI_", "ANTHROPIC_", "PYTHON", "VIRTUAL_ENV")
"""What of this process's environment neither the emulator nor a function in it gets to see."""
_SECONDS_TO_START = 120.0
_SECONDS_TO_STOP = 10.0


class Emulator:
    """The emulator; use it in a `with`. Its log stays in `log` after it has stopped."""

    def __init__(self, uv: str, log: Path) -> None:
        self.log = log
        self.port = _free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self._uv = uv
        self._scratch = Path(tempfile.mkdtemp(prefix="strandline-stack-"))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        name, *beside = PACKAGES
        extra = [part for package in beside for part in ("--with", package)]
        run = [self._uv, "tool", "run", "--quiet", "--python", sys.executable, "--from", name]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603  uv, as the Makefile names it
                [*run, *extra, "ministack"],
                cwd=self._scratch,
                env=self._own_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait_until_it_answers(self._process)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the emulator and what it started, and remove its files."""
        if self._process is not None:
            _end_group(self._process)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def client(self, service: str) -> Any:
        """A boto3 client of the emulator, as its root user."""
        config = Config(retries={"total_max_attempts": 3}, read_timeout=60, connect_timeout=5)
        return boto3.client(
            service,
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id="test",
            aws_secret_access_key="test",  # noqa: S106  the emulator's own root
            config=config,
        )

    def environment(self) -> dict[str, str]:
        """The environment of a command that should take the emulator for AWS."""
        return _kept() | {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "SAM_CLI_TELEMETRY": "0",
        }

    def _own_environment(self) -> dict[str, str]:
        return _kept() | {
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(self.port),
            # Policies are enforced: a function gets a session of its own role, and no more.
            "AUTH": "true",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "TMPDIR": str(self._scratch),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + _SECONDS_TO_START
        while time.monotonic() < until:
            if process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.2)
        said = self.log.read_text(errors="replace")[-2000:]
        raise RuntimeError(f"The emulator did not start; its log ends with:\n{said}")


def _kept() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_NOT_THEIRS)}
    return kept | {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """The process led a session of its own: whatever it started is in that group."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, signal_number)
        except ProcessLookupError:
            break
        until = time.monotonic() + _SECONDS_TO_STOP
        while time.monotonic() < until and _group_lives(process):
            time.sleep(0.1)
    process.wait(_SECONDS_TO_STOP)


def _group_lives(process: subprocess.Popen[bytes]) -> bool:
    process.poll()  # a dead leader that nobody waited for would count as alive
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True
