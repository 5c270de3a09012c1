"""DynamoDB's item operations, answered by moto's handler without its general protocol layer.

moto parses each request and serialises each response by AWS's service description, member by
member. That takes several times as long as the operation. DynamoDB speaks plain JSON whose shape
is moto's own, so for the operations that the product uses `json` does the same work.
"""

import base64
import json
from typing import Any

from moto.core.exceptions import ServiceException
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.core.responses import ActionResult
from moto.core.utils import camelcase_to_underscores
from moto.dynamodb.responses import DynamoHandler
from werkzeug.exceptions import HTTPException

OPERATIONS = {
    name: camelcase_to_underscores(name)
    for name in (
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
    )
}
"""Each operation that is answered here, and the handler's method for it."""


def answer_item_operation(operation: str, body: bytes, region: str) -> tuple[int, bytes]:
    """Returns the status and the JSON body of DynamoDB's response to one of `OPERATIONS`."""
    handler = _Handler(operation, json.loads(body, object_hook=_with_bytes), region)
    try:
        result = getattr(handler, OPERATIONS[operation])().result
    except ServiceException as error:
        status, _, text = handler.serialized(ActionResult(error))
        return status, text.encode() if isinstance(text, str) else text
    except HTTPException as error:
        return error.code or 500, (error.description or "").encode()
    return 200, json.dumps(_without_none(result), default=_base64_text).encode()


class _Handler(DynamoHandler):
    """moto's handler with a request that is parsed already."""

    def __init__(self, operation: str, body: dict[str, Any], region: str) -> None:
        super().__init__()
        self.body = self.params = body
        self.current_account = DEFAULT_ACCOUNT_ID
        self.region = region
        # What moto asks for when it serialises an error.
        self.headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        }
        self.querystring = {}
        self.response_headers = {}


def _with_bytes(value: dict[str, Any]) -> dict[str, Any]:
    """An attribute value of type B or BS with bytes; every other object as it is.

    An attribute that is itself called B or BS holds an object, never a string or a list.
    """
    if len(value) == 1:
        [(kind, held)] = value.items()
        if kind == "B" and isinstance(held, str):
            return {"B": base64.b64decode(held)}
        if kind == "BS" and isinstance(held, list):
            return {"BS": [base64.b64decode(one) for one in held]}
    return value


def _without_none(result: Any) -> dict[str, Any]:
    """Members without a value aren't in a response."""
    return {name: value for name, value in result.items() if value is not None}


def _base64_text(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"no JSON for {type(value).__name__}")
