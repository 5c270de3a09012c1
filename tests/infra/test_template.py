"""What template.yaml and infra/data.yaml must say, each fact on its own."""

import re
from importlib import import_module
from typing import Any

import pytest

from functions.diagnostics.access import READ, TURNS, WRITE
from infra.local.template import Route, load_template, lookup, routes
from strandline.api.claims import principal
from strandline.settings import Settings
from tests.support.template_queries import DATA as DATA_TEMPLATE
from tests.support.template_queries import FUNCTIONS, NESTED, RESOURCES, ROOT, TEMPLATE, properties

NOT_IN_THE_TEMPLATE = {
    "openai_api_key": "a secret is named by OPENAI_API_KEY_PARAMETER, never given",
    "openrouter_api_key": "likewise by OPENROUTER_API_KEY_PARAMETER",
    "anthropic_api_key": "likewise by ANTHROPIC_API_KEY_PARAMETER",
}
DATA = DATA_TEMPLATE["Resources"]
TIMEOUTS = {
    "ChatFunction": 29,
    "DraftFunction": 29,
    "MountFunction": 29,
    "DiagnosticsFunction": 29,
    "ExtractFunction": 60,
    "MaintenanceFunction": 120,
}


SERVING = sorted({route.function for route in routes(TEMPLATE)})


def queue_event() -> dict[str, Any]:
    """The extract function's event-source mapping."""
    found: dict[str, Any] = properties("ExtractFunction")["Events"]["Jobs"]["Properties"]
    return found


def test_all_functions_are_these() -> None:
    """A function that is added must be added here, so that every fact below covers it."""
    assert set(FUNCTIONS) == set(TIMEOUTS)


def test_functions_run_python_3_13_on_arm64() -> None:
    """Runtime and architecture are those the layer is built for."""
    shared = TEMPLATE["Globals"]["Function"]
    assert (shared["Runtime"], shared["Architectures"]) == ("python3.13", ["arm64"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_its_timeout(name: str) -> None:
    """No function runs on Lambda's own three seconds."""
    assert properties(name)["Timeout"] == TIMEOUTS[name]


def test_an_http_function_ends_before_the_gateway_gives_up() -> None:
    """The gateway waits 30 seconds: a function that runs longer works for nobody."""
    assert SERVING
    assert all(properties(name)["Timeout"] < 30 for name in SERVING)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_handler_is_imported_by_the_one_path(name: str) -> None:
    """Code, package and handler agree, so that the import path is the same everywhere."""
    code = properties(name)["CodeUri"].strip("/").replace("/", ".")
    build = RESOURCES[name]["Metadata"]["BuildProperties"]
    assert re.fullmatch(rf"{re.escape(code)}\.(\w+_)?app\.handler", properties(name)["Handler"])
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
    """The given ones or, when none is given, those of the stack's own users; never none."""
    jwt = properties("HttpApi")["Auth"]["Authorizers"]["Jwt"]
    issuer, audience = (
        {"Fn::If": ["OwnUsers", {"Fn::GetAtt": ["Auth", f"Outputs.{own}"]}, {"Ref": given}]}
        for own, given in (("Issuer", "JwtIssuer"), ("Audience", "JwtAudience"))
    )
    own_developers = {"Fn::GetAtt": ["Auth", "Outputs.DeveloperAudience"]}
    developers = {"Fn::If": ["OwnUsers", own_developers, {"Ref": "AWS::NoValue"}]}
    assert jwt == {
        "IdentitySource": "$request.header.Authorization",
        "JwtConfiguration": {"issuer": issuer, "audience": [audience, developers]},
    }
    assert TEMPLATE["Conditions"]["OwnUsers"] == {"Fn::Equals": [{"Ref": "JwtIssuer"}, ""]}
    assert RESOURCES["Auth"]["Condition"] == "OwnUsers"


def test_the_stacks_own_users_can_be_given_what_diagnostics_ask_for() -> None:
    """Scopes and a group under the names that the claims are read by; the first client has none."""
    made = {name: found["Properties"] for name, found in NESTED["Auth"]["Resources"].items()}
    server = made["Scopes"]
    scopes = [f"{server['Identifier']}/{scope['ScopeName']}" for scope in server["Scopes"]]
    assert made["DeveloperClient"]["AllowedOAuthScopes"] == scopes
    assert made["DeveloperClient"]["AllowedOAuthFlows"] == ["code"]
    claims = {"sub": "ada", "scope": " ".join(scopes)}
    claims["cognito:groups"] = f"[{made['Developers']['GroupName']}]"
    caller = principal({"requestContext": {"authorizer": {"jwt": {"claims": claims}}}})
    assert caller.scopes == {READ, WRITE, TURNS, "insights:read"}
    assert caller.developer is True
    assert not any(name.startswith("AllowedOAuth") for name in made["Client"])


def test_an_issuer_without_an_audience_is_refused() -> None:
    """A token that its issuer made for another service must not open this one."""
    [rule] = TEMPLATE["Rules"].values()
    given = {"Fn::Not": [{"Fn::Equals": [{"Ref": "JwtIssuer"}, ""]}]}
    needed = {"Fn::Not": [{"Fn::Equals": [{"Ref": "JwtAudience"}, ""]}]}
    assert rule["RuleCondition"] == given
    assert [assertion["Assert"] for assertion in rule["Assertions"]] == [needed]


def test_nobody_signs_up_to_the_stacks_own_users() -> None:
    """Accounts are made by an administrator; the pool is kept; nothing tells who has one."""
    users, client = (NESTED["Auth"]["Resources"][name] for name in ("Users", "Client"))
    assert users["Properties"]["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}
    assert (users["DeletionPolicy"], users["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert users["Properties"]["DeletionProtection"] == "ACTIVE"
    assert client["Properties"]["PreventUserExistenceErrors"] == "ENABLED"
    flows = client["Properties"]["ExplicitAuthFlows"]
    assert "ALLOW_USER_PASSWORD_AUTH" not in flows
    assert set(flows) == {
        "ALLOW_USER_SRP_AUTH",
        "ALLOW_ADMIN_USER_PASSWORD_AUTH",
        "ALLOW_REFRESH_TOKEN_AUTH",
    }


@pytest.mark.parametrize("name", SERVING)
def test_the_template_has_just_the_routes_that_are_served(name: str) -> None:
    """Every router's route is in the template, at its function, and the other way round."""
    app = import_module(properties(name)["Handler"].removesuffix(".handler")).app
    served = {
        f"{route.method.upper()} " + route.path.replace("<", "{").replace(">", "}")
        for route in (*app._static_routes, *app._dynamic_routes)
    }
    assert {route.key for route in routes(TEMPLATE) if route.function == name} == served
    assert served


def test_a_route_is_given_once() -> None:
    """Of two equal routes the gateway would take one, and nobody knows which."""
    keys = [route.key for route in routes(TEMPLATE)]
    assert len(keys) == len(set(keys))


def test_a_route_knows_its_path_and_method() -> None:
    """The reader gives what the template says."""
    assert Route("GET", "/v1/jobs/{job_id}", "ChatFunction", needs_token=True) in routes(TEMPLATE)


def test_cors_is_closed_until_it_is_opened() -> None:
    """By parameter; the default is an origin in a top-level domain that never exists (RFC 6761)."""
    cors = properties("HttpApi")["CorsConfiguration"]
    assert cors["AllowOrigins"] == {"Ref": "CorsOrigins"}
    assert "AllowCredentials" not in cors
    assert TEMPLATE["Parameters"]["CorsOrigins"]["Default"].endswith(".invalid")


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


def test_requests_are_traced() -> None:
    """X-Ray, in every function."""
    assert TEMPLATE["Globals"]["Function"]["Tracing"] == "Active"
    assert all("Tracing" not in properties(name) for name in FUNCTIONS)


def test_a_burst_of_jobs_is_bounded() -> None:
    """The model behind the worker has limits of its own."""
    assert queue_event()["ScalingConfig"] == {"MaximumConcurrency": {"Ref": "ExtractConcurrency"}}
    assert TEMPLATE["Parameters"]["ExtractConcurrency"]["Default"] == 10


def test_maintenance_runs_each_minute() -> None:
    """The longest a job waits for its re-drive after it fell due."""
    event = properties("MaintenanceFunction")["Events"]["EveryMinute"]
    assert event == {"Type": "Schedule", "Properties": {"Schedule": "rate(1 minute)"}}


def test_the_layer_is_built_by_its_makefile() -> None:
    """The makefile has the target that SAM calls for the layer's name."""
    assert RESOURCES["StrandlineLayer"]["Metadata"]["BuildMethod"] == "makefile"
    assert "\nbuild-StrandlineLayer:" in (ROOT / "shared/Makefile").read_text()
    assert TEMPLATE["Globals"]["Function"]["Layers"] == [{"Ref": "StrandlineLayer"}]


@pytest.mark.parametrize("name", NESTED)
def test_what_the_template_takes_from_a_nested_stack_is_there(name: str) -> None:
    """Every X.Outputs.Y that is used is an output of X, and every parameter is one of X."""
    used = {got[1] for got in lookup(TEMPLATE, "Fn::GetAtt") if got[0] == name}
    assert {got.removeprefix("Outputs.") for got in used} <= set(NESTED[name]["Outputs"])
    assert used
    given = properties(name).get("Parameters", {})
    assert set(given) == set(NESTED[name].get("Parameters", {}))
    assert load_template(ROOT / properties(name)["TemplateURL"]) == NESTED[name]


def test_data_and_users_outlive_the_stack() -> None:
    """The nested stacks that hold what can't be made again are retained."""
    for name in ("Data", "Auth"):
        assert RESOURCES[name]["DeletionPolicy"] == "Retain"
        assert RESOURCES[name]["UpdateReplacePolicy"] == "Retain"


def test_a_function_has_few_enough_routes() -> None:
    """SAM gives Lambda one permission of some 400 bytes a route; a policy holds 20,480 bytes."""
    for name in FUNCTIONS:
        assert sum(route.function == name for route in routes(TEMPLATE)) <= 45
