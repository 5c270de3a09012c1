"""`python -m infra.local`: serve the product on 127.0.0.1:$PORT, data in $STRANDLINE_DATA."""

import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from botocore.exceptions import BotoCoreError, ClientError

from infra.local.persistence import UnknownFormat
from infra.local.runner import FolderInUse, Runner

ROOT = Path(__file__).parents[2]

_WELCOME = """
Strandline serves http://{address}

  TOKEN=$(curl -s http://{address}/local/token -d '{{"account": "ada"}}' | cut -d'"' -f4)
  SESSION=$(curl -s http://{address}/v1/sessions -H "Authorization: Bearer $TOKEN" \
-H 'Content-Type: application/json' -d '{{}}' | grep -o 'ses_[0-9A-Z]*' | head -1)
  curl -s http://{address}/v1/sessions/$SESSION/messages -H "Authorization: Bearer $TOKEN" \
-H 'Content-Type: application/json' -d '{{"content": "I moved to Oslo and I love its ferries."}}'
"""


_CANT_START = (OSError, ValueError, BotoCoreError, ClientError, FolderInUse, UnknownFormat)


class _Server(uvicorn.Server):
    """uvicorn, with the welcome when it really listens, and signals that end it quietly."""

    def __init__(self, config: uvicorn.Config, address: str) -> None:
        super().__init__(config)
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(_WELCOME.format(address=self._address), flush=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own raises the signal once more at the end, before the data is saved."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def main() -> int:
    """Serve until a signal; 0 when it ended well, 1 with one line when it couldn't begin."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    logging.getLogger("botocore").setLevel(logging.WARNING)
    try:
        listener = _listen(os.environ.get("PORT") or "3000")
        runner = Runner(ROOT, Path(os.environ.get("STRANDLINE_DATA") or ".strandline"))
    except _CANT_START as error:
        print(f"Strandline can't start: {error}", file=sys.stderr)
        return 1
    try:
        runner.start()
        _serve(runner, listener)
    finally:
        runner.stop()
    return 0


def _listen(port: str) -> socket.socket:
    """A socket on loopback. Raises OSError or ValueError with a sentence."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", int(port)))
    except (OverflowError, ValueError):
        raise ValueError(f"PORT must be a number from 0 to 65535, not {port!r}") from None
    except OSError as error:
        why = f"{error.strerror}. PORT=… takes another."
        raise OSError(f"port {port} on 127.0.0.1 can't be had: {why}") from None
    return listener


def _serve(runner: Runner, listener: socket.socket) -> None:
    host, port = listener.getsockname()
    config = uvicorn.Config(
        runner.application,
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    _Server(config, f"{host}:{port}").run(sockets=[listener])


if __name__ == "__main__":
    sys.exit(main())
