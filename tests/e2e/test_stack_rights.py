"""Each function runs with its own role's rights, and these are enforced in this very run."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.deployment import Control, Deployment, eventually


@contextmanager
def under_role_of(control: Control, function: str, other: str) -> Iterator[None]:
    """Let a function run with another one's role for a while."""
    lambdas = control.emulator.client("lambda")
    names = {name: control.stack.resources[name] for name in (function, other)}
    found = {
        name: lambdas.get_function_configuration(FunctionName=physical)
        for name, physical in names.items()
    }

    def give(role: str) -> None:
        # The emulator starts a new process only for a new environment, if it is the old one.
        variables = {"Variables": found[function]["Environment"]["Variables"]}
        lambdas.update_function_configuration(
            FunctionName=names[function], Role=role, Environment=variables
        )
        waiter = lambdas.get_waiter("function_updated_v2")
        waiter.wait(FunctionName=names[function], WaiterConfig={"Delay": 1, "MaxAttempts": 60})

    give(found[other]["Role"])
    try:
        yield
    finally:
        give(found[function]["Role"])


def test_maintenance_with_the_workers_role_may_not_look_for_jobs(
    target: Deployment, control: Control
) -> None:
    """The index of open jobs is refused to that role, and given to maintenance's own."""
    lambdas, name = (
        control.emulator.client("lambda"),
        control.stack.resources["MaintenanceFunction"],
    )
    with under_role_of(control, "MaintenanceFunction", "ExtractFunction"):
        refused = lambdas.invoke(FunctionName=name, Payload=b"{}")
        said = json.loads(refused["Payload"].read())
        target.tell(f"with the worker's role: {said.get('errorType')}")
        assert refused.get("FunctionError")
        assert "AccessDenied" in said["errorMessage"]
    eventually(
        lambda: "FunctionError" not in lambdas.invoke(FunctionName=name, Payload=b"{}"),
        "maintenance with its own role again",
    )
    target.tell("with its own: done")
