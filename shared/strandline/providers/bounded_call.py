"""Calls through a provider's SDK with a hard deadline.

An SDK's own time-outs apply to each read, so a server that sends byte by byte outlives them. Here
each call runs on its own thread with its own client. When the deadline passes, the caller
continues and the client is closed, which ends the thread at its next read. Clients that finished
their calls are pooled with their connections.
"""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar

from strandline.clock import Deadline
from strandline.errors import ModelTimeout

_MAX_IDLE = 8
"""The most idle clients that are kept for each endpoint."""


class Closable(Protocol):
    """An SDK client that can be closed."""

    def close(self) -> None:
        """Closes every connection."""
        ...


Target = TypeVar("Target", bound=Hashable)
Client = TypeVar("Client", bound=Closable)
Answer = TypeVar("Answer")


class ClientPool(Generic[Target, Client]):
    """The idle clients of one SDK in this process, by target (endpoint). Thread-safe."""

    def __init__(self, make: Callable[[Target], Client]) -> None:
        """Makes an empty pool. `make` makes a client when none is idle."""
        self._make = make
        self._lock = threading.Lock()
        self._idle: dict[Target, list[Client]] = {}

    def take(self, target: Target) -> Client:
        """Returns a client of that target: an idle one, or a new one if there is none."""
        with self._lock:
            idle = self._idle.get(target)
            if idle:
                return idle.pop()
        return self._make(target)

    def give_back(self, target: Target, client: Client) -> None:
        """Returns `client` to the pool, or closes it if the pool has enough."""
        with self._lock:
            idle = self._idle.setdefault(target, [])
            if len(idle) < _MAX_IDLE:
                idle.append(client)
                return
        client.close()

    def close(self) -> None:
        """Closes every idle client."""
        with self._lock:
            idle, self._idle = self._idle, {}
        for client in (client for kept in idle.values() for client in kept):
            client.close()


def call_within_deadline(
    clients: ClientPool[Target, Client],
    target: Target,
    call: Callable[[Client], Answer],
    translate: Callable[[BaseException], BaseException],
    deadline: Deadline,
) -> Answer:
    """Returns the result of `call` with a client of that target, before the deadline.

    Raises ModelTimeout when the deadline passes. What `call` raises is raised as `translate`
    returns it, without the original as its cause: that may hold headers and bodies.
    """
    remaining_or_timeout(deadline)
    lease = _ClientLease(clients, target)
    answer: Future[Answer] = Future()
    threading.Thread(target=_run_call, args=(lease, call, answer), daemon=True).start()
    try:
        error = answer.exception(timeout=deadline.remaining())
    except TimeoutError:
        lease.abandon()
        raise ModelTimeout from None
    if error is not None:
        raise translate(error)
    return answer.result()


def remaining_or_timeout(deadline: Deadline) -> float:
    """Returns the seconds until the deadline, above 0. Raises ModelTimeout when it has passed."""
    left = deadline.remaining()
    if left <= 0:
        raise ModelTimeout
    return left


class _ClientLease(Generic[Target, Client]):
    """The client of one call: given back after the call, or closed when the caller gave up."""

    def __init__(self, clients: ClientPool[Target, Client], target: Target) -> None:
        self._clients = clients
        self._target = target
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._abandoned = False

    def begin(self) -> Client:
        client = self._clients.take(self._target)
        with self._lock:
            if not self._abandoned:
                self._client = client
                return client
        # Nothing was sent. Making the first client of a process can take longer than the deadline.
        self._clients.give_back(self._target, client)
        raise ModelTimeout

    def end(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            self._clients.give_back(self._target, client)

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            client, self._client = self._client, None
        if client is not None:
            client.close()


def _run_call(
    lease: _ClientLease[Target, Client], call: Callable[[Client], Answer], answer: "Future[Answer]"
) -> None:
    try:
        result = call(lease.begin())
        lease.end()
        answer.set_result(result)
    except Exception as error:  # noqa: BLE001 - handed to the caller, who raises it
        lease.end()
        answer.set_exception(error)
