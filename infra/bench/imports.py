"""Bench (c): CPU time of importing each handler, beside importing boto3 alone."""

import subprocess
import sys
from statistics import median
from typing import Any

MODULES = (
    "boto3",
    "functions.chat.app",
    "functions.checkpoint.mount_app",
    "functions.checkpoint.draft_app",
    "functions.diagnostics.app",
    "functions.extract.app",
    "functions.maintenance.app",
)
ROUNDS = 9
COLUMNS = ("module", "cpu_ms", "ratio_to_boto3")
_MEASURE = "import time; a = time.process_time(); import {}; print(time.process_time() - a)"


def run() -> list[dict[str, Any]]:
    """A row for each module, with COLUMNS: medians of processes run in turn."""
    times: dict[str, list[float]] = {module: [] for module in MODULES}
    for _ in range(ROUNDS):
        for module in MODULES:
            times[module].append(_once(module))
    base = median(times["boto3"])
    return [
        {
            "module": module,
            "cpu_ms": round(median(found) * 1000, 1),
            "ratio_to_boto3": round(median(found) / base, 2),
        }
        for module, found in times.items()
    ]


def _once(module: str) -> float:
    command = [sys.executable, "-c", _MEASURE.format(module)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  our own
    return float(done.stdout)
