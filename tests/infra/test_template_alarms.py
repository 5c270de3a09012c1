"""Alarms and dashboard: what they look at is what the code and AWS really emit."""

import ast
import json
import re
from typing import Any

import pytest

from strandline.observability import metric
from tests.support.logs_and_metrics import metrics
from tests.support.template_queries import ALARMS, FUNCTIONS, RESOURCES, ROOT, properties

FOUND = ALARMS["Resources"]
WATCHED = {n: r["Properties"] for n, r in FOUND.items() if r["Type"] == "AWS::CloudWatch::Alarm"}
AWS_METRICS = {
    "AWS/SQS": {"ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"},
    "AWS/ApiGateway": {"5xx"},
    "AWS/Lambda": {"Errors", "Throttles", "Duration"},
    "AWS/DynamoDB": {"ReadThrottleEvents", "WriteThrottleEvents"},
}


def emitted() -> dict[str, set[str]]:
    """Every metric that the code emits by name, with its dimensions beside `service`."""
    found: dict[str, set[str]] = {}
    for folder in ("functions", "shared/strandline"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "metric":
                    [name] = [a.value for a in node.args[:1] if isinstance(a, ast.Constant)]
                    dimensions = {k.arg for k in node.keywords if k.arg} - {"value", "unit"}
                    found.setdefault(str(name), set()).update(dimensions)
    return found


def dashboard() -> list[dict[str, Any]]:
    """The dashboard's widgets."""
    body = FOUND["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    found: list[dict[str, Any]] = json.loads(body)["widgets"]
    return found


@pytest.mark.parametrize(
    ("namespace", "name"),
    [
        ("AWS/SQS", "ApproximateNumberOfMessagesVisible"),
        ("AWS/SQS", "ApproximateAgeOfOldestMessage"),
        ("AWS/ApiGateway", "5xx"),
        ("Strandline", "RecallFailed"),
        ("Strandline", "ExtractionFailed"),
        ("Strandline", "JobsRedriven"),
    ],
)
def test_what_must_wake_someone_has_an_alarm(namespace: str, name: str) -> None:
    """Dead and late jobs, server errors, failures of recall and extraction, re-drives."""
    watched = {(alarm["Namespace"], alarm["MetricName"]) for alarm in WATCHED.values()}
    assert (namespace, name) in watched


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_has_its_three_alarms(function: str) -> None:
    """Errors, throttles, and a duration within a tenth of the time-out."""
    own = {
        alarm["MetricName"]: alarm
        for alarm in WATCHED.values()
        if {"Name": "FunctionName", "Value": {"Ref": function}} in alarm["Dimensions"]
    }
    assert set(own) == {"Errors", "Throttles", "Duration"}
    limit = properties(function)["Timeout"] * 1000
    assert 0.85 * limit <= own["Duration"]["Threshold"] <= 0.95 * limit


def test_the_first_dead_message_is_told() -> None:
    """One is enough, within a minute."""
    dead = WATCHED["DeadJobs"]
    assert dead["Dimensions"] == [{"Name": "QueueName", "Value": {"Ref": "JobDeadLetterQueue"}}]
    assert (dead["Threshold"], dead["ComparisonOperator"]) == (0, "GreaterThanThreshold")
    assert (dead["Period"], dead["EvaluationPeriods"]) == (60, 1)


def test_alarms_look_at_metrics_that_exist() -> None:
    """Of AWS's by their documented names; of ours, those the code emits without more dimensions."""
    ours = emitted()
    for name, alarm in WATCHED.items():
        if alarm["Namespace"] == "Strandline":
            assert ours[alarm["MetricName"]] == set(), name
            assert alarm["Dimensions"] == [{"Name": "service", "Value": {"Ref": "Service"}}]
        else:
            assert alarm["MetricName"] in AWS_METRICS[alarm["Namespace"]], name


def test_every_alarm_tells_and_is_quiet_without_data() -> None:
    """Each goes to the topic when there is one, says where to read on, and needs no traffic."""
    told = {"Fn::If": ["SomeoneIsTold", [{"Ref": "Topic"}], {"Ref": "AWS::NoValue"}]}
    sections = set(
        re.findall(r"^## (.+)$", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    )
    for name, alarm in WATCHED.items():
        assert (alarm["AlarmActions"], alarm["OKActions"]) == (told, told), name
        assert alarm["TreatMissingData"] == "notBreaching", name
        [section] = re.findall(r'docs/operations\.md, "(.+)"\.$', alarm["AlarmDescription"])
        assert section in sections, name


def test_a_metric_carries_the_service_the_alarms_ask_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stack's name is the service, so that two stacks of one account are told apart."""
    variables = RESOURCES["Alarms"]["Properties"]["Parameters"]
    assert variables["Service"] == {"Ref": "AWS::StackName"}
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "the-stack")
    metric("RecallFailed")
    printed = capsys.readouterr().out
    assert metrics(printed) == ["RecallFailed"]
    [group] = json.loads(printed)["_aws"]["CloudWatchMetrics"]
    assert (group["Namespace"], group["Dimensions"]) == ("Strandline", [["service"]])
    assert json.loads(printed)["service"] == "the-stack"


def test_the_dashboard_shows_every_metric_of_ours() -> None:
    """What is emitted and not shown is paid for and unseen."""
    text = json.dumps(dashboard())
    assert {name for name in emitted() if name not in text} == set()


def test_the_dashboard_asks_for_metrics_by_their_dimensions() -> None:
    """CloudWatch shows an empty graph, and no error, for a metric with one dimension too few."""
    ours = emitted()
    shown = [
        listed
        for widget in dashboard()
        for listed in widget["properties"].get("metrics", [])
        if listed[0] == "Strandline"
    ]
    assert shown
    for _, name, *rest in shown:
        given = {key for key in rest[::2] if isinstance(key, str)}
        assert given == ours[name] | {"service"}, name


def test_the_dashboard_shows_what_a_person_on_call_asks_first() -> None:
    """Turns, answering time, extraction lag, memories, failures, cost; and no widget overlaps."""
    titles = " · ".join(widget["properties"]["title"] for widget in dashboard())
    for wanted in (
        "Turns",
        "Seconds to an answer",
        "the model",
        "lag",
        "stored",
        "dropped, by",
        "failed",
        "cost",
    ):
        assert wanted in titles
    places = [
        (x, y)
        for w in dashboard()
        for x in range(w["x"], w["x"] + w["width"])
        for y in range(w["y"], w["y"] + w["height"])
    ]
    assert len(places) == len(set(places))
    assert all(x < 24 for x, _ in places)


def test_what_the_dashboard_names_is_given_to_it() -> None:
    """Every ${Name} in it is a parameter or a pseudo-parameter."""
    used = set(
        re.findall(r"\$\{([\w:]+)\}", FOUND["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"])
    )
    assert {name for name in used if not name.startswith("AWS::")} <= set(ALARMS["Parameters"])
