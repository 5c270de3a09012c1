"""The table and the queues of infra/data.yaml, made by API calls: embedded, or at an endpoint."""

import json
import os
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import ClientError

from infra.local.embedded_aws import REGION
from infra.local.template import Template

TABLE = "strandline"
QUEUES = {"JobQueue": "strandline-jobs", "JobDeadLetterQueue": "strandline-dead-jobs"}


_THE_USERS = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL")


@dataclass(frozen=True, slots=True)
class Data:
    """Where the data is."""

    table: str
    queue_url: str
    queue_arn: str
    dead_queue_url: str
    region: str


def close_the_way_out() -> None:
    """No profile, no configured endpoint, no instance metadata: nothing of the user's is used."""
    for name in list(os.environ):
        if name.startswith(_THE_USERS):
            del os.environ[name]
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def region_of_endpoint() -> str:
    """The region to use with AWS_ENDPOINT_URL; both of its variables say it afterwards."""
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or REGION
    os.environ |= {"AWS_REGION": region, "AWS_DEFAULT_REGION": region}
    return region


def create(data: Template, region: str) -> Data:
    """Make what isn't there yet. Raises ClientError."""
    resources = data["Resources"]
    dynamodb = boto3.client("dynamodb", region_name=region)
    sqs = boto3.client("sqs", region_name=region)
    _create_table(dynamodb, resources["Table"]["Properties"])
    dead_url = _create_queue(sqs, QUEUES["JobDeadLetterQueue"], resources["JobDeadLetterQueue"], {})
    arns = {"JobDeadLetterQueue": _arn(sqs, dead_url)}
    url = _create_queue(sqs, QUEUES["JobQueue"], resources["JobQueue"], arns)
    return Data(TABLE, url, _arn(sqs, url), dead_url, region)


def _create_table(dynamodb: Any, properties: Template) -> None:
    """Without what only a deployed table needs: point-in-time recovery, protection, encryption."""
    wanted = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
    try:
        dynamodb.create_table(TableName=TABLE, **{name: properties[name] for name in wanted})
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceInUseException":
            raise
        return
    dynamodb.get_waiter("table_exists").wait(TableName=TABLE)
    dynamodb.update_time_to_live(
        TableName=TABLE, TimeToLiveSpecification=properties["TimeToLiveSpecification"]
    )


def _create_queue(sqs: Any, name: str, resource: Template, arns: dict[str, str]) -> str:
    properties = resource["Properties"]
    attributes = {
        key: str(properties[key])
        for key in ("VisibilityTimeout", "MessageRetentionPeriod")
        if key in properties
    }
    if "RedrivePolicy" in properties:
        policy = dict(properties["RedrivePolicy"])
        policy["deadLetterTargetArn"] = arns[policy["deadLetterTargetArn"]["Fn::GetAtt"][0]]
        attributes["RedrivePolicy"] = json.dumps(policy)
    url: str = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    return url


def _arn(sqs: Any, url: str) -> str:
    reply = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    arn: str = reply["Attributes"]["QueueArn"]
    return arn
