"""The embedded services: safe for threads, closed to the outside, true to DynamoDB and SQS."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto.core import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import Item

from infra.local import embedded_aws
from infra.local.embedded_aws import EmbeddedAws
from infra.local.persistence import decode, encode
from infra.local.resources import TABLE, Data, create
from infra.local.template import load_template

DATA = Path(__file__).parents[2] / "infra/data.yaml"


def put(pk: str, sk: str, **attributes: Any) -> dict[str, Any]:
    """A Put of a transaction."""
    return {"Put": {"TableName": TABLE, "Item": {"pk": {"S": pk}, "sk": {"S": sk}, **attributes}}}


def add_one(pk: str, sk: str) -> dict[str, Any]:
    """An update that counts."""
    return {
        "TableName": TABLE,
        "Key": {"pk": {"S": pk}, "sk": {"S": sk}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }


def stored(dynamodb: Any, pk: str) -> dict[str, dict[str, Any]]:
    """The items of a partition by sort key."""
    reply = dynamodb.query(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": pk}},
    )
    return {item["sk"]["S"]: item for item in reply["Items"]}


def test_parallel_counts_lose_nothing(dynamodb: Any) -> None:
    """Eight threads that count in one item together reach the sum."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: dynamodb.update_item(**add_one("A", "n")), range(40)))
    assert stored(dynamodb, "A")["n"]["n"] == {"N": "40"}


def test_parallel_sends_and_deletes_lose_no_message(sqs: Any, data: Data) -> None:
    """A message that is sent while another is deleted stays."""

    def send_and_take(_: int) -> None:
        sqs.send_message(QueueUrl=data.queue_url, MessageBody="x")
        [message] = sqs.receive_message(QueueUrl=data.queue_url)["Messages"]
        sqs.send_message(QueueUrl=data.queue_url, MessageBody="y")
        sqs.delete_message(QueueUrl=data.queue_url, ReceiptHandle=message["ReceiptHandle"])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send_and_take, range(24)))
    reply = sqs.get_queue_attributes(
        QueueUrl=data.queue_url,
        AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
    )
    assert sum(map(int, reply["Attributes"].values())) == 24


def test_a_transaction_that_fails_changes_nothing(dynamodb: Any) -> None:
    """Puts, in-place updates and deletes before the failed condition are all taken back."""
    dynamodb.transact_write_items(
        TransactItems=[put("A", "1", n={"N": "1"}), put("A", "2"), put("B", "1")]
    )
    before = (stored(dynamodb, "A"), stored(dynamodb, "B"))
    with pytest.raises(ClientError, match="TransactionCanceled"):
        dynamodb.transact_write_items(
            TransactItems=[
                {"Update": add_one("A", "1")},
                {"Update": add_one("A", "9")},
                {"Delete": {"TableName": TABLE, "Key": {"pk": {"S": "A"}, "sk": {"S": "2"}}}},
                put("B", "1", word={"S": "new"}),
                {
                    "ConditionCheck": {
                        "TableName": TABLE,
                        "Key": {"pk": {"S": "C"}, "sk": {"S": "1"}},
                        "ConditionExpression": "attribute_exists(pk)",
                    }
                },
            ]
        )
    assert (stored(dynamodb, "A"), stored(dynamodb, "B")) == before


def test_a_query_sees_its_partition_in_order_and_by_pages(dynamodb: Any) -> None:
    """Ranges, direction, limit and continuation work as on the whole table."""
    for pk in ("A", "B"):
        for n in range(5):
            dynamodb.put_item(**put(pk, f"T{n}")["Put"])
    asked: dict[str, Any] = {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk AND sk BETWEEN :low AND :high",
        "ExpressionAttributeValues": {
            ":pk": {"S": "A"},
            ":low": {"S": "T1"},
            ":high": {"S": "T4"},
        },
        "ScanIndexForward": False,
        "Limit": 3,
    }
    first = dynamodb.query(**asked)
    second = dynamodb.query(**asked, ExclusiveStartKey=first["LastEvaluatedKey"])
    assert [i["sk"]["S"] for i in first["Items"] + second["Items"]] == ["T4", "T3", "T2", "T1"]
    assert "LastEvaluatedKey" not in second


def test_a_query_of_nothing_is_empty_and_leaves_nothing(dynamodb: Any) -> None:
    """A partition that isn't there has no items, before and after it is asked for."""
    assert stored(dynamodb, "nobody") == {}
    assert dynamodb.scan(TableName=TABLE)["Items"] == []


def test_the_sparse_index_holds_open_jobs_only(dynamodb: Any) -> None:
    """Items with both index keys are found, of every partition, in the order they are due."""
    open_job = {"open_shard": {"S": "0"}}
    dynamodb.put_item(**put("A", "J1", due_at={"S": "2026-02"}, **open_job)["Put"])
    dynamodb.put_item(**put("B", "J2", due_at={"S": "2026-01"}, **open_job)["Put"])
    dynamodb.put_item(**put("B", "J3", due_at={"S": "2026-01"})["Put"])
    dynamodb.put_item(**put("B", "J4", due_at={"S": "2026-09"}, **open_job)["Put"])
    reply = dynamodb.query(
        TableName=TABLE,
        IndexName="open_jobs",
        KeyConditionExpression="open_shard = :shard AND due_at <= :due",
        ExpressionAttributeValues={":shard": {"S": "0"}, ":due": {"S": "2026-03"}},
    )
    assert [item["sk"]["S"] for item in reply["Items"]] == ["J2", "J1"]


def test_a_write_is_reported_whole(embedded: EmbeddedAws, dynamodb: Any) -> None:
    """Each call's items at once, as they now are; reads and refused writes report nothing."""
    seen: list[tuple[str, dict[Any, Any]]] = []
    embedded.observe(lambda table, items: seen.append((table, items)))
    dynamodb.transact_write_items(
        TransactItems=[put("A", "1", n={"N": "1"}, v={"B": b"\x00\xff"}), put("A", "2")]
    )
    dynamodb.update_item(**add_one("A", "1"))
    dynamodb.batch_write_item(
        RequestItems={TABLE: [{"DeleteRequest": {"Key": {"pk": {"S": "A"}, "sk": {"S": "2"}}}}]}
    )
    with pytest.raises(ClientError):
        dynamodb.put_item(**put("A", "1")["Put"], ConditionExpression="attribute_not_exists(pk)")
    stored(dynamodb, "A")
    one = {"pk": {"S": "A"}, "sk": {"S": "1"}, "n": {"N": "1"}, "v": {"B": b"\x00\xff"}}
    assert seen == [
        (TABLE, {("A", "1"): one, ("A", "2"): {"pk": {"S": "A"}, "sk": {"S": "2"}}}),
        (TABLE, {("A", "1"): one | {"n": {"N": "2"}}}),
        (TABLE, {("A", "2"): None}),
    ]


def test_loaded_items_are_as_if_written(embedded: EmbeddedAws, dynamodb: Any) -> None:
    """Binary, nested and empty values come back equal, over the way they take to disk."""
    item = {
        "pk": {"S": "A"},
        "sk": {"S": "1"},
        "v": {"B": b"\x00\xff"},
        "l": {"L": [{"M": {"x": {"N": "1.50"}, "y": {"BOOL": True}}}, {"NULL": True}, {"S": ""}]},
        "ss": {"SS": ["a", "b"]},
        "bs": {"BS": [b"\xff"]},
        "m": {"M": {"B": {"B": b"\x01"}}},
    }
    seen: list[dict[Any, Any]] = []
    embedded.observe(lambda table, items: seen.append(items))
    dynamodb.put_item(TableName=TABLE, Item=item)
    written = stored(dynamodb, "A")
    dynamodb.delete_item(TableName=TABLE, Key={"pk": {"S": "A"}, "sk": {"S": "1"}})
    embedded.load(TABLE, [decode(encode(kept)) for kept in seen[0].values()])
    assert stored(dynamodb, "A") == written


def test_a_process_has_one_set_of_services(embedded: EmbeddedAws, dynamodb: Any) -> None:
    """Others are refused before they disturb those that run."""
    dynamodb.put_item(**put("A", "1")["Put"])
    with pytest.raises(RuntimeError, match="already"):
        EmbeddedAws().start()
    assert list(stored(dynamodb, "A")) == ["1"]


def test_no_socket_is_opened_for_what_is_not_embedded(embedded: EmbeddedAws) -> None:
    """A client of another endpoint is refused, not let through."""
    client = boto3.client("dynamodb", region_name="us-east-1", endpoint_url="http://192.0.2.1")
    with pytest.raises(ConnectionError, match="the embedded services don't have"):
        client.list_tables()


def test_items_are_not_kept_for_ever(dynamodb: Any) -> None:
    """moto's own record of every item it ever made stays empty."""
    dynamodb.put_item(**put("A", "1")["Put"])
    stored(dynamodb, "A")
    instances: Any = Item
    assert len(instances.instances_tracked) == 0


def test_creating_twice_is_creating_once(data: Data, dynamodb: Any) -> None:
    """What is there is used as it is, as at an endpoint that another run has used."""
    dynamodb.put_item(**put("A", "1")["Put"])
    assert create(load_template(DATA), data.region) == data
    assert list(stored(dynamodb, "A")) == ["1"]


def test_the_queues_are_as_the_template_says(sqs: Any, data: Data) -> None:
    """Visibility, retention and redrive come from infra/data.yaml."""
    reply = sqs.get_queue_attributes(QueueUrl=data.queue_url, AttributeNames=["All"])
    attributes = reply["Attributes"]
    assert attributes["VisibilityTimeout"] == "361"
    assert attributes["MessageRetentionPeriod"] == "345600"
    assert '"maxReceiveCount": 6' in attributes["RedrivePolicy"]
    dead = sqs.get_queue_attributes(QueueUrl=data.dead_queue_url, AttributeNames=["All"])
    assert dead["Attributes"]["MessageRetentionPeriod"] == "1209600"


ITEM = {
    "pk": {"S": "A"},
    "sk": {"S": "1"},
    "B": {"M": {"B": {"B": b"\x00\xff"}, "BS": {"BS": [b"\x01", b"\x02"]}, "empty": {"M": {}}}},
    "l": {"L": [{"N": "1.50"}, {"NULL": True}, {"BOOL": False}, {"S": ""}, {"L": []}]},
    "s": {"SS": ["a", "ß"]},
    "n": {"NS": ["1", "2.5"]},
}
KEY = {"pk": {"S": "A"}, "sk": {"S": "1"}}
ABSENT = {"pk": {"S": "A"}, "sk": {"S": "absent"}}
VALUES = {":b": {"B": b"\x00\xff"}, ":n": {"N": "1"}}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("put_item", {"Item": ITEM}),
    ("put_item", {"Item": ITEM, "ReturnValues": "ALL_OLD"}),
    ("put_item", {"Item": ITEM, "ConditionExpression": "attribute_not_exists(pk)"}),
    (
        "put_item",
        {
            "Item": ITEM,
            "ConditionExpression": "attribute_not_exists(pk)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
    ),
    ("put_item", {"Item": ITEM | {"sk": {"S": ""}}}),
    ("get_item", {"Key": KEY}),
    ("get_item", {"Key": KEY, "ReturnConsumedCapacity": "TOTAL", "ConsistentRead": True}),
    (
        "get_item",
        {
            "Key": KEY,
            "ProjectionExpression": "sk, #b.#b, l[0]",
            "ExpressionAttributeNames": {"#b": "B"},
        },
    ),
    ("get_item", {"Key": ABSENT}),
    ("get_item", {"Key": {"pk": {"S": "A"}}}),
    (
        "update_item",
        {
            "Key": KEY,
            "UpdateExpression": "SET b = :b ADD c :n",
            "ExpressionAttributeValues": VALUES,
            "ReturnValues": "ALL_NEW",
        },
    ),
    ("update_item", {"Key": KEY, "UpdateExpression": "SET", "ReturnValues": "ALL_NEW"}),
    (
        "query",
        {
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": "A"}},
            "Limit": 1,
        },
    ),
    (
        "query",
        {
            "KeyConditionExpression": "pk = :pk",
            "FilterExpression": "b = :b",
            "ExpressionAttributeValues": {":pk": {"S": "A"}, ":b": {"B": b"\x00\xff"}},
        },
    ),
    ("query", {"KeyConditionExpression": "nothing", "ExpressionAttributeValues": {}}),
    ("scan", {}),
    ("delete_item", {"Key": KEY, "ReturnValues": "ALL_OLD"}),
    ("delete_item", {"Key": KEY, "ConditionExpression": "attribute_exists(pk)"}),
]
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {"TableName": TABLE, **arguments}) for name, arguments in CALLS),
    ("get_item", {"TableName": "nosuch", "Key": KEY}),
    ("batch_write_item", {"RequestItems": {TABLE: [{"PutRequest": {"Item": ITEM}}]}}),
    ("batch_get_item", {"RequestItems": {TABLE: {"Keys": [KEY, ABSENT]}}}),
    ("batch_get_item", {"RequestItems": {TABLE: {"Keys": [KEY, KEY]}}}),
    ("transact_get_items", {"TransactItems": [{"Get": {"TableName": TABLE, "Key": KEY}}]}),
    ("transact_write_items", {"TransactItems": [put("B", "1", v={"B": b"\xfe"}), put("B", "2")]}),
    ("transact_write_items", {"TransactItems": [put("B", "1"), put("B", "1")]}),
    (
        "transact_write_items",
        {
            "TransactItems": [
                put("B", "3"),
                {
                    "Update": {
                        **add_one("A", "1"),
                        "ConditionExpression": "attribute_not_exists(pk)",
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                    }
                },
            ]
        },
    ),
    ("scan", {"TableName": TABLE, "Limit": 2}),
]


def replies(dynamodb: Any) -> list[Any]:
    """What a client gives for each of `REQUESTS`, one after the other: results and errors."""
    found = []
    for name, arguments in REQUESTS:
        try:
            reply = getattr(dynamodb, name)(**arguments)
        except ClientError as error:
            reply = error.response
        status = reply.pop("ResponseMetadata")["HTTPStatusCode"]
        found.append((name, status, reply))
    return found


def test_item_operations_are_answered_as_by_the_whole_of_moto(
    dynamodb: Any, data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results, errors and binary values are the same with and without its protocol layer."""
    direct = replies(dynamodb)
    dynamodb_backends[DEFAULT_ACCOUNT_ID][data.region].tables[data.table].items.clear()
    monkeypatch.setattr(embedded_aws, "OPERATIONS", {})
    assert direct == replies(dynamodb)
    assert {status for _, status, _ in direct} == {200, 400}
