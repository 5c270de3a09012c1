"""template.yaml and its nested templates, as tests ask about them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from infra.local.template import load_template

ROOT = Path(__file__).parents[2]
TEMPLATE = load_template(ROOT / "template.yaml")
RESOURCES = TEMPLATE["Resources"]
DATA = load_template(ROOT / "infra/data.yaml")
AUTH = load_template(ROOT / "infra/auth.yaml")
ALARMS = load_template(ROOT / "infra/alarms.yaml")
NESTED = {"Data": DATA, "Auth": AUTH, "Alarms": ALARMS}

FUNCTIONS = tuple(n for n, r in RESOURCES.items() if r["Type"] == "AWS::Serverless::Function")


def properties(name: str) -> dict[str, Any]:
    """The properties of a resource of template.yaml."""
    found: dict[str, Any] = RESOURCES[name]["Properties"]
    return found


def statements(function: str | None = None) -> list[dict[str, Any]]:
    """Every policy statement written in the template, or those of one function."""
    owners = RESOURCES if function is None else [function, *_role(function)]
    return [
        statement
        for name in owners
        for policy in properties(name).get("Policies", [])
        for listed in policy.get("PolicyDocument", policy)["Statement"]
        for statement in _alternatives(listed)
    ]


def actions(function: str, service: str = "") -> set[str]:
    """All actions of a service that a function's policies allow, on whatever and when ever."""
    found = {action for statement in statements(function) for action in listed(statement["Action"])}
    return {action for action in found if action.startswith(service)}


def listed(value: Any) -> list[Any]:
    """IAM takes one or a list of them."""
    return value if isinstance(value, list) else [value]


def _role(function: str) -> list[str]:
    """The role resource that is written out for the function, if one is."""
    role = properties(function).get("Role")
    return [role["Fn::GetAtt"][0]] if role else []


def _alternatives(statement: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Both ways of a conditional statement; nothing for no statement."""
    if "Fn::If" in statement:
        for way in statement["Fn::If"][1:]:
            yield from _alternatives(way)
    elif statement != {"Ref": "AWS::NoValue"}:
        yield statement
