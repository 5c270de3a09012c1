"""What the product writes for its operators: log lines and metrics."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from strandline.observability import logger


class _Kept(logging.Handler):
    """Keeps what passes by."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@contextmanager
def log_lines() -> Iterator[list[logging.LogRecord]]:
    """The log records written meanwhile."""
    handler = _Kept()
    logger.addHandler(handler)
    try:
        yield handler.records
    finally:
        logger.removeHandler(handler)


def metrics(printed: str) -> list[str]:
    """The names of what was counted in what was printed, in order; times taken are left aside."""
    documents: list[dict[str, Any]] = [
        json.loads(line) for line in printed.splitlines() if line.startswith('{"_aws"')
    ]
    return [
        metric["Name"]
        for document in documents
        for group in document["_aws"]["CloudWatchMetrics"]
        for metric in group["Metrics"]
        if metric["Unit"] == "Count"
    ]
