"""What each function may do: the least that its own code does."""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline import keys
from tests.support.extraction_replies import found, reply
from tests.support.laws import law
from tests.support.template_queries import (
    FUNCTIONS,
    RESOURCES,
    TEMPLATE,
    actions,
    listed,
    statements,
)
from tests.support.world import World

TABLE = {"Fn::GetAtt": ["Data", "Outputs.TableArn"]}


def test_no_policy_says_everything() -> None:
    """No star in an action, and no resource that is or holds one."""
    for name in FUNCTIONS:
        assert statements(name), name
        for statement in statements(name):
            assert "*" not in str(statement["Action"]), name
            assert all("*" not in str(r) for r in listed(statement["Resource"])), name


def test_no_function_scans_or_makes_tables() -> None:
    """Nobody reads the whole table, and nobody changes it."""
    allowed = {action for name in FUNCTIONS for action in actions(name, "dynamodb:")}
    verbs = "GetItem BatchGetItem Query PutItem UpdateItem DeleteItem ConditionCheckItem"
    assert allowed == {f"dynamodb:{verb}" for verb in (*verbs.split(), "BatchWriteItem")}


def test_data_is_the_stacks_own_table() -> None:
    """Every statement on DynamoDB names this table or its index."""
    for statement in statements():
        if "dynamodb:" in str(statement["Action"]):
            index = {"Fn::Sub": "${Data.Outputs.TableArn}/index/open_jobs"}
            assert statement["Resource"] in (TABLE, index)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("ChatFunction", {"sqs:SendMessage"}),
        ("DiagnosticsFunction", {"sqs:SendMessage"}),
        ("MaintenanceFunction", {"sqs:SendMessage"}),
        (
            "ExtractFunction",
            {
                "sqs:ReceiveMessage",
                "sqs:DeleteMessage",
                "sqs:ChangeMessageVisibility",
                "sqs:GetQueueAttributes",
            },
        ),
    ],
)
def test_only_the_worker_takes_jobs(name: str, allowed: set[str]) -> None:
    """Chat, diagnostics and maintenance put jobs into the queue; they can't take them out."""
    assert actions(name, "sqs:") == allowed


def test_nobody_may_read_the_dead_letter_queue() -> None:
    """The dead-letter queue is for people; no policy names it."""
    assert "JobDeadLetterQueue" not in str(statements())


def test_the_worker_has_a_role_of_its_own() -> None:
    """SAM's generated role for an SQS event may receive from every queue of the account."""
    role = RESOURCES["ExtractFunction"]["Properties"]["Role"]
    assert role == {"Fn::GetAtt": ["ExtractRole", "Arn"]}
    assert "AWSLambdaSQSQueueExecutionRole" not in str(RESOURCES)


def test_only_maintenance_reads_the_open_jobs() -> None:
    """The index holds jobs of all accounts, so the functions that serve one can't read it."""
    readers = {n for n in FUNCTIONS for s in statements(n) if "/index/" in str(s["Resource"])}
    assert readers == {"MaintenanceFunction"}


def test_the_key_that_may_be_read_is_the_named_one() -> None:
    """The parameter that a parameter names, or the secret; and maintenance reads neither."""
    found = [s for s in statements() if str(s["Action"]).startswith(("ssm:", "secretsmanager:"))]
    assert {s["Action"] for s in found} == {"ssm:GetParameter", "secretsmanager:GetSecretValue"}
    for statement in found:
        told = json.dumps(statement["Resource"])
        assert "OpenAiApiKeySecret" in told
        assert "OpenAiApiKeyParameter" in told or statement["Action"].startswith("secrets")
    assert not actions("MaintenanceFunction", "ssm:")
    assert not actions("MaintenanceFunction", "secretsmanager:")


def test_no_secret_stands_in_the_template() -> None:
    """Of a provider's key only the name of what holds it is there."""
    assert "OPENAI_API_KEY" not in TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    assert TEMPLATE["Parameters"]["OpenAiApiKeyParameter"]["Default"].startswith("/")


def patterns(action: str) -> list[str]:
    """The partitions on which the worker may do that."""
    [statement] = [s for s in statements("ExtractFunction") if action in listed(s["Action"])]
    assert list(statement["Condition"]) == ["ForAllValues:StringLike"]
    found: list[str] = statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    return found


def allowed(action: str, pk: str) -> bool:
    """Whether IAM's StringLike lets the worker do that in this partition."""
    return any(fnmatchcase(pk, pattern.replace("[", "[[]")) for pattern in patterns(action))


@given(account=st.text(min_size=1, max_size=40), name=st.from_regex(r"\A[a-z0-9_]{1,20}\Z"))
@law()
def test_the_worker_cant_delete_a_session_or_what_was_said_in_it(account: str, name: str) -> None:
    """Whatever the account is called, no pattern reaches these partitions."""
    for key in (
        keys.session(account, name),
        keys.space(account, name),
        keys.profile(account),
        keys.job(account, name),
        keys.turn(account, name, 1),
        keys.receipt(account, name, 1),
        keys.note(account, name, 1, name),
        keys.space_member(account, name, name),
        keys.memory(account, name),
        keys.revision(account, name, 1),
        keys.event(account, 1),
    ):
        assert not allowed("dynamodb:DeleteItem", key.pk)
    for key in (keys.session(account, name), keys.profile(account), keys.job(account, name)):
        assert not allowed("dynamodb:PutItem", key.pk)


class Watched:
    """A client of the table that notes each action and the partition it touches."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.seen: set[tuple[str, str]] = set()

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)

        def noted(**request: Any) -> Any:
            self.seen |= set(_touched(name, request))
            return call(**request)

        return noted


def _touched(method: str, request: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """IAM checks a transaction as its parts; a batch as a whole."""
    if method == "transact_write_items":
        for operation in request["TransactItems"]:
            for verb, what in operation.items():
                yield f"dynamodb:{verb}Item", (what.get("Key") or what["Item"])["pk"]
        return
    action = "dynamodb:" + "".join(part.capitalize() for part in method.split("_"))
    key = request.get("Key") or request.get("Item") or {}
    yield action, key.get("pk", "")


def test_the_worker_does_nothing_that_it_may_not(world: World) -> None:
    """Learning, citing again, revising, failing and finding a session gone, each as allowed."""
    watched = Watched(world.client)
    first, second = world.session(), world.session()
    tea, more = found("The user loves tea.", "I love tea"), found("The user loves tea.", "love tea")
    coffee = found("The user loves coffee now.", "I love coffee now, not tea")
    turns = [(first, "I love tea.", tea), (second, "Yes, I love tea!", more)]
    turns += [(second, "I love coffee now, not tea.", coffee), (second, "I moved.", None)]
    for session_id, said, learned in turns:
        if learned is not None:
            world.background.will(reply(learned))
        answer = world.say(session_id, said)
        world.go_through(watched)
        bodies = [{"account": "ada", "job_id": answer["extraction"]["job_id"]}]
        for body in bodies * (1 if learned is not None else 4):
            world.deliver(body)
        world.go_through(world.client)
    last = world.say(first, "I have a cat.")
    world.call("DELETE", f"/v1/sessions/{first}")
    world.go_through(watched)
    world.deliver({"account": "ada", "job_id": last["extraction"]["job_id"]})
    done = {action for action, _ in watched.seen}
    assert done <= actions("ExtractFunction", "dynamodb:")
    assert {"dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:UpdateItem"} <= done
    limited = ("dynamodb:PutItem", "dynamodb:DeleteItem")
    refused = {(a, pk) for a, pk in watched.seen if a in limited and not allowed(a, pk)}
    assert refused == set()
