"""A client of the table that ends the process at a chosen write."""

from typing import Any

WRITES = frozenset(
    {"put_item", "update_item", "delete_item", "transact_write_items", "batch_write_item"}
)


class Crashed(BaseException):
    """The process ends here: nothing that catches errors catches this."""


class CrashingClient:
    """Passes every call on, and ends the process before or after its write number `at`."""

    def __init__(self, client: Any, *, at: int, after: bool) -> None:
        self._client = client
        self._at = at
        self._after = after
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        return self._counted(call) if name in WRITES else call

    def _counted(self, call: Any) -> Any:
        def write(**request: Any) -> Any:
            self.writes += 1
            if self.writes != self._at:
                return call(**request)
            if self._after:
                call(**request)
            raise Crashed

        return write
