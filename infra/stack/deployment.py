"""`sam deploy` of the built template, and what the stack says of itself afterwards."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.stack.emulator import Emulator
from infra.stack.event_source_mapping import number_the_concurrency

STACK = "strandline"


@dataclass(frozen=True, slots=True)
class Stack:
    """A deployed stack: its outputs, and its resources' physical ids by logical id."""

    outputs: Mapping[str, str]
    resources: Mapping[str, str]

    @property
    def api_id(self) -> str:
        """The HTTP API's id."""
        return self.resources["HttpApi"]


def deploy(
    emulator: Emulator,
    sam: list[str],
    template: Path,
    parameters: Mapping[str, str],
    name: str = STACK,
) -> Stack:
    """Create the stack or update it, as `sam deploy` does. Raises RuntimeError with its words."""
    given = [f"{name}={value}" for name, value in parameters.items()]
    run = subprocess.run(  # noqa: S603  the SAM CLI that the Makefile names
        [
            *sam, "deploy", "--template-file", str(template), "--stack-name", name,
            "--resolve-s3", "--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND",
            "--no-confirm-changeset", "--no-fail-on-empty-changeset", "--no-progressbar",
            *(["--parameter-overrides", *given] if given else []),
        ],
        env=emulator.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    if run.returncode:
        raise RuntimeError(f"sam deploy failed:\n{run.stdout[-4000:]}\n{run.stderr[-4000:]}")
    stack = describe(emulator, name)
    number_the_concurrency(emulator.client("lambda"), stack.resources["ExtractFunction"])
    return stack


def describe(emulator: Emulator, name: str = STACK) -> Stack:
    """The stack as it stands."""
    cloudformation = emulator.client("cloudformation")
    [stack] = cloudformation.describe_stacks(StackName=name)["Stacks"]
    found = cloudformation.describe_stack_resources(StackName=name)["StackResources"]
    return Stack(
        outputs={o["OutputKey"]: o["OutputValue"] for o in stack.get("Outputs", [])},
        resources={r["LogicalResourceId"]: r["PhysicalResourceId"] for r in found},
    )
