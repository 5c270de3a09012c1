"""What template.yaml and infra/data.yaml must say, each fact on its own."""

from pathlib import Path
from typing import Any

import pytest

from infra.local.template import Route, load_template, lookup, routes
from strandline.settings import Settings

ROOT = Path(__file__).parents[2]
NOT_IN_THE_TEMPLATE = {
    "openai_api_key": "a secret is named by OPENAI_API_KEY_PARAMETER, never given"
}
FUNCTIONS = ("ChatFunction", "ExtractFunction", "MaintenanceFunction")

TEMPLATE = load_template(ROOT / "template.yaml")
DATA = load_template(ROOT / "infra/data.yaml")["Resources"]
RESOURCES = TEMPLATE["Resources"]


def properties(name: str) -> dict[str, Any]:
    """The properties of a resource of template.yaml."""
    found: dict[str, Any] = RESOURCES[name]["Properties"]
    return found


def statements() -> list[tuple[str, dict[str, Any]]]:
    """Every policy statement written in the template, with the resource it stands in."""
    found = []
    for name, resource in RESOURCES.items():
        for policy in resource.get("Properties", {}).get("Policies", []):
            document = policy.get("PolicyDocument", policy)
            found += [(name, statement) for statement in document["Statement"]]
    return found


def actions(name: str) -> set[str]:
    """All actions a function's policies allow."""
    return {
        action
        for owner, statement in statements()
        if owner == name
        for action in (
            [statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"]
        )
    }


def queue_event() -> dict[str, Any]:
    """The extract function's event-source mapping."""
    found: dict[str, Any] = properties("ExtractFunction")["Events"]["Jobs"]["Properties"]
    return found


def test_all_functions_are_these() -> None:
    """A function that is added must be added here, so that every fact below covers it."""
    found = {n for n, r in RESOURCES.items() if r["Type"] == "AWS::Serverless::Function"}
    assert found == set(FUNCTIONS)


def test_functions_run_python_3_13_on_arm64() -> None:
    """Runtime and architecture are those the layer is built for."""
    shared = TEMPLATE["Globals"]["Function"]
    assert (shared["Runtime"], shared["Architectures"]) == ("python3.13", ["arm64"])


@pytest.mark.parametrize(
    ("name", "timeout"),
    [("ChatFunction", 29), ("ExtractFunction", 60), ("MaintenanceFunction", 120)],
)
def test_every_function_says_its_timeout(name: str, timeout: int) -> None:
    """No function runs on Lambda's own three seconds."""
    assert properties(name)["Timeout"] == timeout


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_handler_is_imported_by_the_one_path(name: str) -> None:
    """Code, package and handler agree, so that the import path is the same everywhere."""
    code = properties(name)["CodeUri"].strip("/").replace("/", ".")
    build = RESOURCES[name]["Metadata"]["BuildProperties"]
    assert properties(name)["Handler"] == f"{code}.app.handler"
    assert build == {"ParentPackageMode": "explicit", "ParentPackages": code}


def test_failures_in_a_batch_are_reported_one_by_one() -> None:
    """Without ReportBatchItemFailures one poison record repeats nine good ones."""
    assert queue_event()["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_batches_are_ten_within_a_second() -> None:
    """The mapping's size and window are those the visibility time-out is computed from."""
    assert (queue_event()["BatchSize"], queue_event()["MaximumBatchingWindowInSeconds"]) == (10, 1)


def test_nothing_filters_the_queue() -> None:
    """FilterCriteria would delete what doesn't match, unseen."""
    assert "FilterCriteria" not in queue_event()


def test_a_message_stays_invisible_long_enough() -> None:
    """Visibility is at least six time-outs and the batching window, as AWS asks."""
    needed = (
        6 * properties("ExtractFunction")["Timeout"]
        + queue_event()["MaximumBatchingWindowInSeconds"]
    )
    assert DATA["JobQueue"]["Properties"]["VisibilityTimeout"] >= needed


def test_a_poison_message_ends_in_the_dead_letter_queue() -> None:
    """After six deliveries; and there it stays for 14 days, the longest there is."""
    redrive = DATA["JobQueue"]["Properties"]["RedrivePolicy"]
    assert redrive == {
        "deadLetterTargetArn": {"Fn::GetAtt": ["JobDeadLetterQueue", "Arn"]},
        "maxReceiveCount": 6,
    }
    assert DATA["JobDeadLetterQueue"]["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 3600


def test_a_dead_message_outlives_a_live_one() -> None:
    """A message keeps its age when it moves, so the first queue's retention is the shorter."""
    live = DATA["JobQueue"]["Properties"]["MessageRetentionPeriod"]
    assert live < DATA["JobDeadLetterQueue"]["Properties"]["MessageRetentionPeriod"]


def test_the_tables_keys_are_these() -> None:
    """A table's keys can't be changed in place: a change of these loses the data."""
    table = DATA["Table"]["Properties"]
    assert table["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]
    assert {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]} == {
        "pk": "S",
        "sk": "S",
        "open_shard": "S",
        "due_at": "S",
    }


def test_open_jobs_are_found_by_their_index() -> None:
    """The re-drive's index: by shard, in the order they are due, with the whole item."""
    [index] = DATA["Table"]["Properties"]["GlobalSecondaryIndexes"]
    assert index == {
        "IndexName": "open_jobs",
        "KeySchema": [
            {"AttributeName": "open_shard", "KeyType": "HASH"},
            {"AttributeName": "due_at", "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }


def test_the_table_is_kept_and_can_be_restored() -> None:
    """Retained, protected, restorable to a point in time, encrypted, with expiry, paid by use."""
    table = DATA["Table"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert table["Properties"]["DeletionProtectionEnabled"] is True
    assert (
        table["Properties"]["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
        is True
    )
    assert table["Properties"]["SSESpecification"] == {"SSEEnabled": True}
    assert table["Properties"]["TimeToLiveSpecification"] == {
        "AttributeName": "expires_at",
        "Enabled": True,
    }
    assert table["Properties"]["BillingMode"] == "PAY_PER_REQUEST"


def test_every_route_but_health_needs_a_token() -> None:
    """The default authorizer stands, and health alone is let off."""
    assert properties("HttpApi")["Auth"]["DefaultAuthorizer"] == "Jwt"
    assert [r.key for r in routes(TEMPLATE) if not r.needs_token] == ["GET /v1/health"]


def test_a_token_is_checked_against_issuer_and_audience() -> None:
    """Both come from parameters without a default: nobody deploys an open system by accident."""
    jwt = properties("HttpApi")["Auth"]["Authorizers"]["Jwt"]
    assert jwt["JwtConfiguration"] == {
        "issuer": {"Ref": "JwtIssuer"},
        "audience": [{"Ref": "JwtAudience"}],
    }
    assert "Default" not in TEMPLATE["Parameters"]["JwtIssuer"]
    assert "Default" not in TEMPLATE["Parameters"]["JwtAudience"]


def test_the_routes_are_those_of_the_product() -> None:
    """Every path and method, each once."""
    assert sorted(r.key for r in routes(TEMPLATE)) == sorted(
        f"{method} /v1/{path}"
        for methods, path in (
            ("POST GET", "spaces"),
            ("GET PATCH DELETE", "spaces/{space_id}"),
            ("POST GET", "sessions"),
            ("GET PATCH DELETE", "sessions/{session_id}"),
            ("POST", "sessions/{session_id}/messages"),
            ("GET", "sessions/{session_id}/turns"),
            ("GET", "turns/{turn_id}"),
            ("POST", "turns/{turn_id}/reply"),
            ("GET", "turns/{turn_id}/receipt"),
            ("POST GET", "turns/{turn_id}/notes"),
            ("GET", "memories"),
            ("GET DELETE", "memories/{memory_id}"),
            ("GET", "recall"),
            ("GET PATCH", "profile"),
            ("GET", "providers"),
            ("GET", "jobs/{job_id}"),
            ("GET", "events"),
            ("GET", "health"),
        )
        for method in methods.split()
    )
    assert {r.function for r in routes(TEMPLATE)} == {"ChatFunction"}


def test_a_route_knows_its_path_and_method() -> None:
    """The reader gives what the template says."""
    assert Route("GET", "/v1/jobs/{job_id}", "ChatFunction", needs_token=True) in routes(TEMPLATE)


def test_cors_is_closed() -> None:
    """No origin is let in."""
    assert "CorsConfiguration" not in properties("HttpApi")


def test_the_api_is_throttled_and_logs_access() -> None:
    """On the default stage, with numbers; the access log names no account and no path."""
    api = properties("HttpApi")
    assert api["StageName"] == "$default"
    assert set(api["DefaultRouteSettings"]) == {"ThrottlingRateLimit", "ThrottlingBurstLimit"}
    assert api["AccessLogSettings"]["DestinationArn"] == {"Fn::GetAtt": ["AccessLogs", "Arn"]}
    assert "claims" not in api["AccessLogSettings"]["Format"]
    assert "$context.path" not in api["AccessLogSettings"]["Format"]


def test_every_log_ends() -> None:
    """Each function has a log group of its own, and each group a retention."""
    groups = {n for n, r in RESOURCES.items() if r["Type"] == "AWS::Logs::LogGroup"}
    used = {properties(name)["LoggingConfig"]["LogGroup"]["Ref"] for name in FUNCTIONS}
    assert len(used) == len(FUNCTIONS)
    assert groups == used | {"AccessLogs"}
    assert all("RetentionInDays" in properties(name) for name in groups)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_setting_is_a_variable(name: str) -> None:
    """A field of Settings without a variable could not be set where it counts."""
    shared = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    own = properties(name).get("Environment", {}).get("Variables", {})
    wanted = {field.upper() for field in Settings.model_fields if field not in NOT_IN_THE_TEMPLATE}
    given = {key for key in shared | own if not key.startswith("POWERTOOLS_")}
    assert given == wanted


def test_a_written_value_is_the_settings_default() -> None:
    """A number that stands in both places is the same number."""
    shared = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    written = {key.lower(): value for key, value in shared.items() if isinstance(value, str)}
    written = {key: value for key, value in written.items() if key in Settings.model_fields}
    defaults = Settings().model_dump(include=set(written))
    assert Settings.model_validate(written).model_dump(include=set(written)) == defaults
    assert len(written) > 10


def test_no_secret_stands_in_the_template() -> None:
    """Of a provider's key only the parameter's name is there."""
    assert "OPENAI_API_KEY" not in TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    assert TEMPLATE["Parameters"]["OpenAiApiKeyParameter"]["Default"].startswith("/")


def test_no_policy_says_everything() -> None:
    """No star in an action, and no resource that is or ends in one."""
    found = statements()
    assert len(found) >= len(FUNCTIONS)
    for name, statement in found:
        resources = (
            statement["Resource"]
            if isinstance(statement["Resource"], list)
            else [statement["Resource"]]
        )
        assert all("*" not in str(r) for r in resources), name
        assert "*" not in str(statement["Action"]), name


def test_no_function_scans_or_makes_tables() -> None:
    """Nobody reads the whole table, and nobody changes it."""
    allowed = {
        a
        for name in (*FUNCTIONS, "ExtractRole")
        for a in actions(name)
        if a.startswith("dynamodb:")
    }
    assert allowed <= {
        f"dynamodb:{verb}"
        for verb in (
            "GetItem",
            "BatchGetItem",
            "Query",
            "PutItem",
            "UpdateItem",
            "DeleteItem",
            "ConditionCheckItem",
            "BatchWriteItem",
        )
    }


def test_only_the_worker_takes_jobs() -> None:
    """Chat and maintenance put jobs into the queue; they can't take them out."""
    assert {a for a in actions("ChatFunction") if a.startswith("sqs:")} == {"sqs:SendMessage"}
    assert {a for a in actions("MaintenanceFunction") if a.startswith("sqs:")} == {
        "sqs:SendMessage"
    }
    assert {a for a in actions("ExtractRole") if a.startswith("sqs:")} == {
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:ChangeMessageVisibility",
        "sqs:GetQueueAttributes",
    }


def test_nobody_may_read_the_dead_letter_queue() -> None:
    """The dead-letter queue is for people; no policy names it."""
    assert "JobDeadLetterQueue" not in str(statements())


def test_the_worker_has_a_role_of_its_own() -> None:
    """SAM's generated role for an SQS event may receive from every queue of the account."""
    assert properties("ExtractFunction")["Role"] == {"Fn::GetAtt": ["ExtractRole", "Arn"]}
    assert "AWSLambdaSQSQueueExecutionRole" not in str(RESOURCES)


def test_only_maintenance_reads_the_open_jobs() -> None:
    """The index holds jobs of all accounts, so the functions that serve one can't read it."""
    readers = {name for name, statement in statements() if "/index/" in str(statement["Resource"])}
    assert readers == {"MaintenanceFunction"}


def test_the_key_that_may_be_read_is_the_named_one() -> None:
    """ssm:GetParameter, on that parameter alone."""
    found = [s for _, s in statements() if "ssm:" in str(s["Action"])]
    assert {str(s["Action"]) for s in found} == {"ssm:GetParameter"}
    assert all(str(s["Resource"]).endswith(":parameter${OpenAiApiKeyParameter}'}") for s in found)


def test_maintenance_runs_each_minute() -> None:
    """The longest a job waits for its re-drive after it fell due."""
    event = properties("MaintenanceFunction")["Events"]["EveryMinute"]
    assert event == {"Type": "Schedule", "Properties": {"Schedule": "rate(1 minute)"}}


def test_the_layer_is_built_by_its_makefile() -> None:
    """The makefile has the target that SAM calls for the layer's name."""
    assert RESOURCES["StrandlineLayer"]["Metadata"]["BuildMethod"] == "makefile"
    assert "\nbuild-StrandlineLayer:" in (ROOT / "shared/Makefile").read_text()
    assert TEMPLATE["Globals"]["Function"]["Layers"] == [{"Ref": "StrandlineLayer"}]


def test_what_the_template_takes_from_the_data_stack_is_there() -> None:
    """Every Data.Outputs.X that is used is an output of infra/data.yaml."""
    outputs = set(load_template(ROOT / "infra/data.yaml")["Outputs"])
    used = {name for name in lookup(TEMPLATE, "Fn::GetAtt") if name[0] == "Data"}
    assert {name[1].removeprefix("Outputs.") for name in used} <= outputs
    assert used
