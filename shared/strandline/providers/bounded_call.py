"""Calls through a provider's SDK, each within a hard bound.

An SDK's own time-outs count per read, so that a server which trickles bytes outlives them. Here a
call runs on a thread of its own with a client of its own; when the deadline passes, the caller
goes on and the client is closed, which ends the thread at its next read. Clients that finished
their call wait for the next one, with their connections.
"""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar

from strandline.clock import Deadline
from strandline.errors import ModelTimeout

_MAX_IDLE = 8


class Closable(Protocol):
    """A client as far as it matters here."""

    def close(self) -> None:
        """Let go of every connection."""
        ...


Where = TypeVar("Where", bound=Hashable)
Client = TypeVar("Client", bound=Closable)
Answer = TypeVar("Answer")


class ClientPool(Generic[Where, Client]):
    """The process's clients of one SDK that no call uses at the moment."""

    def __init__(self, make: Callable[[Where], Client]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._idle: dict[Where, list[Client]] = {}

    def take(self, where: Where) -> Client:
        """A client for that place, used before if there is one."""
        with self._lock:
            idle = self._idle.get(where)
            if idle:
                return idle.pop()
        return self._make(where)

    def give_back(self, where: Where, client: Client) -> None:
        """Keep `client` for the next call, or close it when enough are kept."""
        with self._lock:
            idle = self._idle.setdefault(where, [])
            if len(idle) < _MAX_IDLE:
                idle.append(client)
                return
        client.close()

    def close(self) -> None:
        """Close every idle client."""
        with self._lock:
            idle, self._idle = self._idle, {}
        for client in (client for kept in idle.values() for client in kept):
            client.close()


def call_within_deadline(
    clients: ClientPool[Where, Client],
    where: Where,
    call: Callable[[Client], Answer],
    translated: Callable[[BaseException], BaseException],
    deadline: Deadline,
) -> Answer:
    """What `call` gives with a client for that place, before the deadline.

    Raises ModelTimeout when the time is up, else what `translated` makes of what `call` raised,
    without the original: that may hold headers and bodies.
    """
    remaining_or_timeout(deadline)
    use = _Use(clients, where)
    answer: Future[Answer] = Future()
    threading.Thread(target=_work, args=(use, call, answer), daemon=True).start()
    try:
        error = answer.exception(timeout=deadline.remaining())
    except TimeoutError:
        use.abandon()
        raise ModelTimeout from None
    if error is not None:
        raise translated(error)
    return answer.result()


def remaining_or_timeout(deadline: Deadline) -> float:
    """The SDK's time-out for each read. Raises ModelTimeout when nothing is left."""
    left = deadline.remaining()
    if left <= 0:
        raise ModelTimeout
    return left


class _Use(Generic[Where, Client]):
    """One call's client: given back after the call, closed when the caller gave up."""

    def __init__(self, clients: ClientPool[Where, Client], where: Where) -> None:
        self._clients = clients
        self._where = where
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._abandoned = False

    def begin(self) -> Client:
        client = self._clients.take(self._where)
        with self._lock:
            if not self._abandoned:
                self._client = client
                return client
        # Nothing was sent with it. Making a process's first client can outlast a deadline.
        self._clients.give_back(self._where, client)
        raise ModelTimeout

    def end(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            self._clients.give_back(self._where, client)

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            client, self._client = self._client, None
        if client is not None:
            client.close()


def _work(
    use: _Use[Where, Client], call: Callable[[Client], Answer], answer: "Future[Answer]"
) -> None:
    try:
        given = call(use.begin())
        use.end()
        answer.set_result(given)
    except Exception as error:  # noqa: BLE001 - handed to the caller, who raises it
        use.end()
        answer.set_exception(error)
