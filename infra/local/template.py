"""What the runner and the tests read from template.yaml: routes, functions, resources.

CloudFormation's short tags become its long form: `!Ref X` is `{"Ref": "X"}`, `!GetAtt A.B.C` is
`{"Fn::GetAtt": ["A", "B.C"]}`, any other `!Name value` is `{"Fn::Name": value}`
(https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Template = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's tags. Dates stay text."""


def _long_form(loader: yaml.SafeLoader, name: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if name == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {name if name in ("Ref", "Condition") else f"Fn::{name}": value}


_Loader.add_multi_constructor("!", _long_form)
_Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda _loader, node: str(node.value))


def load_template(path: Path) -> Template:
    """The template as plain values."""
    loaded: Template = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a SafeLoader
    return loaded


@dataclass(frozen=True, slots=True)
class Route:
    """One route of the HTTP API, the function that serves it, and whether it needs a token."""

    method: str
    path: str
    function: str
    needs_token: bool

    @property
    def key(self) -> str:
        """The route key: `GET /v1/jobs/{job_id}`."""
        return f"{self.method} {self.path}"

    def match(self, path: str) -> dict[str, str] | None:
        """The path parameters if this route serves the decoded `path`; none of them is empty."""
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(self.path))
        found = re.fullmatch(pattern, path)
        return None if found is None else found.groupdict()


@dataclass(frozen=True, slots=True)
class Function:
    """What Lambda would know of a function. `timeout` in seconds, `memory` in MB."""

    name: str
    handler: str
    timeout: int
    memory: int
    events: dict[str, Any] = field(hash=False)
    variables: dict[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class QueueMapping:
    """The event-source mapping: which function takes batches of what size, in what window.

    `partial_failures` says whether the function's answer names the records that failed.
    """

    function: Function
    batch_size: int
    window_seconds: float
    partial_failures: bool


@dataclass(frozen=True, slots=True)
class Schedule:
    """A function that is started every so many seconds."""

    function: Function
    every_seconds: int


def functions(template: Template) -> dict[str, Function]:
    """Every function by its logical id, with the template's globals under its own properties."""
    shared = template.get("Globals", {}).get("Function", {})
    return {
        name: _function(name, shared, resource["Properties"])
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Function"
    }


def _function(name: str, shared: Template, own: Template) -> Function:
    both = shared | own
    variables = {
        key: value
        for part in (shared, own)
        for key, value in part.get("Environment", {}).get("Variables", {}).items()
    }
    return Function(
        name=name,
        handler=both["Handler"],
        timeout=both["Timeout"],
        memory=both["MemorySize"],
        events=own.get("Events", {}),
        variables=variables,
    )


def routes(template: Template) -> tuple[Route, ...]:
    """Every HttpApi event, in the template's order."""
    return tuple(
        Route(
            method=event["Properties"]["Method"].upper(),
            path=event["Properties"]["Path"],
            function=function.name,
            needs_token=event["Properties"].get("Auth", {}).get("Authorizer") != "NONE",
        )
        for function in functions(template).values()
        for event in function.events.values()
        if event["Type"] == "HttpApi"
    )


def serving(
    all_routes: Iterable[Route], method: str, path: str
) -> tuple[Route, dict[str, str]] | None:
    """The route that serves the decoded path, and its parameters: the most exact one, as on AWS.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
    """
    matching = [
        (route, parameters)
        for route in all_routes
        if route.method == method and (parameters := route.match(path)) is not None
    ]
    return min(matching, key=lambda found: len(found[1]), default=None)


def queue_mapping(template: Template) -> QueueMapping:
    """The one SQS event of the template."""
    [mapping] = [
        QueueMapping(
            function=function,
            batch_size=event["Properties"]["BatchSize"],
            window_seconds=event["Properties"]["MaximumBatchingWindowInSeconds"],
            partial_failures="ReportBatchItemFailures"
            in event["Properties"].get("FunctionResponseTypes", []),
        )
        for function in functions(template).values()
        for event in function.events.values()
        if event["Type"] == "SQS"
    ]
    return mapping


def schedules(template: Template) -> tuple[Schedule, ...]:
    """Every schedule of the template; only `rate(n minutes)` is understood."""
    found = []
    for function in functions(template).values():
        for event in function.events.values():
            if event["Type"] == "Schedule":
                rate = re.fullmatch(r"rate\((\d+) minutes?\)", event["Properties"]["Schedule"])
                if rate is None:
                    raise ValueError(f"{function.name}: the runner knows schedules in minutes only")
                found.append(Schedule(function, int(rate[1]) * 60))
    return tuple(found)


def variables(template: Template) -> dict[str, str | None]:
    """Every environment variable of the functions, with what the template alone says of it.

    That is its text, its parameter's default, or None for what only a deployment knows.
    """
    parameters = template.get("Parameters", {})
    found: dict[str, str | None] = {}
    for function in functions(template).values():
        for name, value in function.variables.items():
            if isinstance(value, dict):
                default = parameters.get(value.get("Ref"), {}).get("Default")
                found[name] = None if default is None else str(default)
            else:
                found[name] = str(value)
    return found


def lookup(value: Any, intrinsic: str) -> Iterator[tuple[str, ...]]:
    """The arguments of every use of that intrinsic function in `value`."""
    if isinstance(value, dict):
        if set(value) == {intrinsic}:
            argument = value[intrinsic]
            yield tuple(argument) if isinstance(argument, list) else (argument,)
        for inner in value.values():
            yield from lookup(inner, intrinsic)
    elif isinstance(value, list):
        for inner in value:
            yield from lookup(inner, intrinsic)
