"""Deploying again: the functions change, the data stays."""

from infra.stack.deployment import deploy
from tests.support.deployment import BUILT, Account, Control, Deployment

OWN_USERS = "strandline-own-users"


def test_a_stack_without_an_issuer_has_users_of_its_own(
    target: Deployment, control: Control
) -> None:
    """A user pool and a client, whose tokens it trusts; deleted, it leaves table and users."""
    own = deploy(control.emulator, control.sam, BUILT, {}, name=OWN_USERS)
    cognito = control.emulator.client("cognito-idp")
    pool = own.outputs["UserPoolId"]
    settings = cognito.describe_user_pool(UserPoolId=pool)["UserPool"]
    assert settings["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"] is True
    clients = cognito.list_user_pool_clients(UserPoolId=pool, MaxResults=10)["UserPoolClients"]
    assert own.outputs["JwtAudience"] in {client["ClientId"] for client in clients}
    assert own.outputs["DeveloperAudience"] in {client["ClientId"] for client in clients}
    developers = cognito.describe_user_pool_client(
        UserPoolId=pool, ClientId=own.outputs["DeveloperAudience"]
    )["UserPoolClient"]
    assert "strandline/debug:read" in developers["AllowedOAuthScopes"]
    groups = cognito.list_groups(UserPoolId=pool)["Groups"]
    assert [group["GroupName"] for group in groups] == ["developers"]
    assert own.outputs["DeveloperSignIn"].startswith("https://strandline-")
    assert own.outputs["JwtIssuer"].endswith(f"/{pool}")
    target.tell(f"own users: {own.outputs['JwtIssuer']}")

    cloudformation = control.emulator.client("cloudformation")
    cloudformation.delete_stack(StackName=OWN_USERS)
    cloudformation.get_waiter("stack_delete_complete").wait(
        StackName=OWN_USERS, WaiterConfig={"Delay": 1, "MaxAttempts": 60}
    )
    table = control.emulator.client("dynamodb").describe_table(TableName=own.outputs["TableName"])
    assert table["Table"]["DeletionProtectionEnabled"] is True
    assert cognito.describe_user_pool(UserPoolId=pool)["UserPool"]["Id"] == pool
    target.tell(f"deleted, and its table is still there: {own.outputs['TableName']}")


def test_an_update_keeps_the_data(target: Deployment, ada: Account, control: Control) -> None:
    """After a second deployment with another parameter everything is there, and goes on."""
    session_id = ada.session()
    said = ada.say(session_id, "I love repairing old clocks.")
    job = ada.ended(said["extraction"]["job_id"])
    assert job["result"]["stored"]
    before = {path: ada.get(path) for path in ("/v1/sessions", "/v1/memories", "/v1/events")}
    table = control.stack.outputs["TableName"]

    control.deploy(LogLevel="DEBUG", ExtractConcurrency="4")

    lambdas, name = control.emulator.client("lambda"), control.stack.resources["ExtractFunction"]
    found = lambdas.get_function_configuration(FunctionName=name)
    assert found["Environment"]["Variables"]["LOG_LEVEL"] == "DEBUG"
    [mapping] = lambdas.list_event_source_mappings(FunctionName=name)["EventSourceMappings"]
    assert mapping["ScalingConfig"]["MaximumConcurrency"] == 4
    assert control.stack.outputs["TableName"] == table
    assert {path: ada.get(path) for path in before} == before
    answer = ada.say(ada.session(), "What do I love repairing?")
    recalled = {memory["memory_id"] for memory in answer["context"]["memories"]}
    assert set(job["result"]["stored"]) <= recalled
    assert ada.ended(answer["extraction"]["job_id"])["state"] in ("stored", "none")
    target.tell(control.queues())
