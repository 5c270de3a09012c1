"""The maintenance function's handler: runs on a schedule."""

from collections.abc import Mapping
from typing import Any

from functions.maintenance.redrive import redrive
from strandline.clock import Deadline
from strandline.runtime import runtime

SECONDS_TO_END = 10.0


def handler(_event: Mapping[str, Any], context: Any) -> dict[str, int]:
    """Go on with every job whose time has come; how many were sent and how many finished."""
    left = context.get_remaining_time_in_millis() / 1000 - SECONDS_TO_END
    return redrive(runtime(), Deadline.after(left))
