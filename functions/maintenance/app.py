"""The maintenance function's handler: runs on a schedule."""

from collections.abc import Mapping
from typing import Any

from functions.maintenance.redrive import redrive
from strandline.clock import Deadline
from strandline.runtime import runtime

SECONDS_TO_END = 10.0
"""What the run keeps of the function's time-out to end what it has begun."""


def handler(_event: Mapping[str, Any], context: Any) -> dict[str, int]:
    """Continues every job that is due; returns how many were sent and how many finished."""
    seconds = context.get_remaining_time_in_millis() / 1000 - SECONDS_TO_END
    return redrive(runtime(), Deadline.after(seconds))
