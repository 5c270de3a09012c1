"""The scheduled functions: once at the start, then at their rate, never twice at a time."""

import logging
import threading
import uuid
from datetime import UTC, datetime
from typing import Any

from infra.local.api_events import ACCOUNT_ID
from infra.local.lambda_environments import FunctionFailed, Lambdas
from infra.local.template import Schedule

_log = logging.getLogger("infra.local")


class Clockwork:
    """Starts the scheduled functions, one thread each, until it is stopped."""

    def __init__(self, schedules: tuple[Schedule, ...], lambdas: Lambdas, region: str) -> None:
        self._lambdas = lambdas
        self._region = region
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(schedule,), name="schedule", daemon=True)
            for schedule in schedules
        ]

    def start(self) -> None:
        """The first run of each function begins now."""
        for thread in self._threads:
            thread.start()

    def stop(self, patience: float = 2.0) -> None:
        """Start nothing more, and wait a moment for what runs."""
        self._stopped.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(patience)

    def _run(self, schedule: Schedule) -> None:
        while not self._stopped.is_set():
            try:
                self._lambdas.call(schedule.function, scheduled_event(self._region))
            except (FunctionFailed, TimeoutError) as error:
                why = "it took too long" if isinstance(error, TimeoutError) else error
                _log.error("%s failed: %s", schedule.function.name, why)
            self._stopped.wait(schedule.every_seconds)


def scheduled_event(region: str) -> dict[str, Any]:
    """What EventBridge sends when a schedule is due.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
    """
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT_ID,
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": region,
        "resources": [f"arn:aws:events:{region}:{ACCOUNT_ID}:rule/local"],
        "detail": {},
    }
