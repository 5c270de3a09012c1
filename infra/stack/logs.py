"""What the deployed functions logged, for whoever has to find out why a run failed."""

from pathlib import Path
from typing import Any


def keep(logs: Any, path: Path) -> int:
    """Write every log group's events to a file, group by group; how many."""
    kept = 0
    with path.open("w", encoding="utf-8") as file:
        for page in logs.get_paginator("describe_log_groups").paginate():
            for group in page["logGroups"]:
                file.write(f"== {group['logGroupName']}\n")
                events = logs.filter_log_events(logGroupName=group["logGroupName"])["events"]
                for event in events:
                    file.write(event["message"].rstrip() + "\n")
                    kept += 1
    return kept
