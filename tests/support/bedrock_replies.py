"""What Bedrock's runtime answers, in its own JSON, for the loopback server."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.openai_server import Received, Reply


def text(*blocks: str) -> list[dict[str, Any]]:
    """A content of text blocks."""
    return [{"text": block} for block in blocks]


def used(name: str, given: Any) -> dict[str, Any]:
    """The block of a tool's use."""
    return {
        "toolUse": {"toolUseId": "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q", "name": name, "input": given}
    }


def converse(content: Any = None, stop: str = "end_turn", usage: Any = None) -> Reply:
    """A reply of Converse, with 7 tokens in and 3 out unless told otherwise."""
    said = text("Hello.") if content is None else content
    return Reply(
        {
            "output": {"message": {"role": "assistant", "content": said}},
            "stopReason": stop,
            "usage": usage or {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10},
            "metrics": {"latencyMs": 351},
        }
    )


def failure(status: int, kind: str, **headers: str) -> Reply:
    """An exception the way Bedrock words it; its message quotes the request, as real ones do."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(
        {"message": "LEAKED-BODY"},
        status=status,
        headers={"x-amzn-errortype": f"{kind}:http://internal.amazon.com/coral/", **named},
    )


def titan(vector_of: Callable[[str], Any]) -> Callable[[Received], Reply]:
    """Titan: one text a request, and the vector of that text."""

    def respond(request: Received) -> Reply:
        vector = vector_of(request.body["inputText"])
        tokens = {"inputTextTokenCount": 5, "embeddingsByType": {"float": vector}}
        return Reply({"embedding": vector, **tokens})

    return respond


def cohere(vector_of: Callable[[str], Any]) -> Callable[[Received], Reply]:
    """Cohere: the vectors of all texts of the request, in order."""

    def respond(request: Received) -> Reply:
        texts = request.body["texts"]
        rows = [vector_of(text) for text in texts]
        more = {"id": "f0c6", "response_type": "embeddings_floats", "texts": texts}
        return Reply(json.dumps({"embeddings": rows, **more}).encode())

    return respond
