"""Each adapter with its service's own JSON for the same happenings, for the contract's tests."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from strandline.providers.anthropic.chat import AnthropicChat
from strandline.providers.base import ChatModel, Message, Schema
from strandline.providers.bedrock.calls import BedrockEndpoint
from strandline.providers.bedrock.chat import BedrockChat
from strandline.providers.openai.chat import OpenAIChat
from strandline.providers.openrouter import openrouter_chat
from tests.support import anthropic_replies as claude
from tests.support import bedrock_replies as aws
from tests.support.openai_server import OpenAIServer, Received, Reply, chat, failure

KEY = "sk-test-SECRET"
PAGE = Reply(b"<html>LEAKED-BODY</html>", status=502)
WORDS = "I can't help with that."
JSON = '{"memories": ["tea"]}'
HELLO = [Message("system", "Be brief."), Message("user", "Hi")]
SCHEMA = Schema(
    "memories",
    {
        "type": "object",
        "properties": {"memories": {"type": "array", "items": {"type": "string"}}},
        "required": ["memories"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True)
class Asked:
    """What a request says, whatever API it is made to."""

    model: str
    system: str
    said: list[tuple[str, str]]


@dataclass(frozen=True)
class Adapter:
    """An adapter, the model its replies name, and the recorded reply for each happening.

    `asked` reads a request; `schema` is where its JSON schema stands, None without one.
    """

    name: str
    served: str
    make: Callable[[OpenAIServer], ChatModel]
    asked: Callable[[Received], Asked]
    schema: Callable[[Received], Any]
    replies: dict[str, Reply]


def _root(server: OpenAIServer) -> str:
    return server.base_url.removesuffix("/v1")


def _openai_asked(request: Received) -> Asked:
    said = [(message["role"], message["content"]) for message in request.body["messages"]]
    system = "\n\n".join(content for role, content in said if role == "system")
    return Asked(request.body["model"], system, [one for one in said if one[0] != "system"])


def _openai_schema(request: Received) -> Any:
    form = request.body.get("response_format")
    return form and form["json_schema"]["schema"]


def _anthropic_asked(request: Received) -> Asked:
    body = request.body
    said = [(m["role"], "".join(part["text"] for part in m["content"])) for m in body["messages"]]
    return Asked(body["model"], body.get("system", ""), said)


def _anthropic_schema(request: Received) -> Any:
    config = request.body.get("output_config")
    return config and config["format"]["schema"]


def _bedrock_asked(request: Received) -> Asked:
    body = request.body
    said = [(m["role"], "".join(part["text"] for part in m["content"])) for m in body["messages"]]
    system = "".join(part["text"] for part in body.get("system", []))
    return Asked(request.path.split("/")[2], system, said)


def _bedrock_schema(request: Received) -> Any:
    config = request.body.get("toolConfig")
    if config is None:
        return None
    [tool] = config["tools"]
    assert config["toolChoice"] == {"tool": {"name": tool["toolSpec"]["name"]}}
    return tool["toolSpec"]["inputSchema"]["json"]


def _without(reply: Reply, name: str) -> Reply:
    return Reply({key: value for key, value in reply.body.items() if key != name})


_OF_OPENAI = {
    "hello": chat("Hello."),
    "blocks": chat([{"type": "text", "text": part} for part in ("Hel", "", "lo.")]),
    "thinking": chat("Hello.", reasoning_content="hm"),
    "no usage": _without(chat("Hello."), "usage"),
    "json": chat(JSON),
    "cut": chat("cut o", "length"),
    "cut at once": chat(None, "length"),
    "refused": chat(None, refusal=WORDS),
    "refused silently": chat("", "content_filter"),
    "nothing": chat(None),
    "empty text": chat(""),
    "blank text": chat([{"type": "text", "text": " "}, {"type": "text", "text": "\n"}]),
    "half a JSON": Reply(b'{"choices": [{"mess'),
    "no JSON": Reply(b"<html>LEAKED-BODY</html>"),
    "limited": failure(429, retry_after="7"),
    "overloaded": failure(503),
    "broken": failure(500),
    "page": PAGE,
    "slow": failure(408),
    "no key": failure(401, "invalid_api_key"),
    "forbidden": failure(403),
    "unknown model": failure(404, "model_not_found"),
    "too long": failure(400, "context_length_exceeded"),
    "not like this": failure(400),
}

_OF_OPENROUTER = {
    **_OF_OPENAI,
    "thinking": chat("Hello.", reasoning="hm", reasoning_details=[{"type": "reasoning.text"}]),
    "limited": Reply(
        {"error": {"code": 429, "message": "LEAKED-BODY", "metadata": {"provider_name": "X"}}},
        status=429,
        headers={"retry-after": "7"},
    ),
    "broken": Reply(
        {
            "id": "gen-1",
            "model": "served-model",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "error",
                    "message": {"role": "assistant", "content": "Hel"},
                    "error": {"code": 502, "message": "LEAKED-BODY"},
                }
            ],
        }
    ),
    "overloaded": Reply({"error": {"code": 503, "message": "LEAKED-BODY"}, "user_id": "u"}),
}

_OF_ANTHROPIC = {
    "hello": claude.message(),
    "blocks": claude.message(claude.text("Hel", "", "lo.")),
    "thinking": claude.message(
        [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "redacted_thinking", "data": "x"},
            *claude.text("Hello."),
        ]
    ),
    "no usage": _without(claude.message(), "usage"),
    "json": claude.message(claude.text(JSON)),
    "cut": claude.message(claude.text("cut o"), "max_tokens"),
    "cut at once": claude.message([], "max_tokens"),
    "refused": claude.message(claude.text(WORDS), "refusal"),
    "refused silently": claude.message([], "refusal", stop_details=None),
    "nothing": claude.message([]),
    "empty text": claude.message(claude.text("")),
    "blank text": claude.message(claude.text(" ", "\n")),
    "half a JSON": Reply(b'{"content": [{"type'),
    "no JSON": Reply(b"<html>LEAKED-BODY</html>"),
    "limited": claude.failure(429, "rate_limit_error", retry_after="7"),
    "overloaded": claude.failure(529, "overloaded_error"),
    "broken": claude.failure(500, "api_error"),
    "page": PAGE,
    "slow": claude.failure(408, "timeout_error"),
    "no key": claude.failure(401, "authentication_error"),
    "forbidden": claude.failure(403, "permission_error"),
    "unknown model": claude.failure(404, "not_found_error"),
    "too long": claude.failure(413, "request_too_large"),
    "not like this": claude.failure(400, "invalid_request_error"),
}

_OF_BEDROCK = {
    "hello": aws.converse(),
    "blocks": aws.converse(aws.text("Hel", "", "lo.")),
    "thinking": aws.converse(
        [
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "x"}}},
            *aws.text("Hello."),
        ]
    ),
    "no usage": _without(aws.converse(), "usage"),
    "json": aws.converse([*aws.text("Now:"), aws.used("memories", json.loads(JSON))], "tool_use"),
    "cut": aws.converse(aws.text("cut o"), "max_tokens"),
    "cut at once": aws.converse([], "max_tokens"),
    "refused": aws.converse(aws.text(WORDS), "guardrail_intervened"),
    "refused silently": aws.converse([], "content_filtered"),
    "nothing": aws.converse([]),
    "empty text": aws.converse(aws.text("")),
    "blank text": aws.converse(aws.text(" ", "\n")),
    "half a JSON": Reply(b'{"output": {"mess'),
    "no JSON": Reply(b"<html>LEAKED-BODY</html>"),
    "limited": aws.failure(429, "ThrottlingException", retry_after="7"),
    "overloaded": aws.failure(503, "ServiceUnavailableException"),
    "broken": aws.failure(500, "InternalServerException"),
    "page": PAGE,
    "slow": aws.failure(408, "ModelTimeoutException"),
    "no key": aws.failure(403, "UnrecognizedClientException"),
    "forbidden": aws.failure(403, "AccessDeniedException"),
    "unknown model": aws.failure(404, "ResourceNotFoundException"),
    "too long": aws.failure(413, "RequestEntityTooLargeException"),
    "not like this": aws.failure(400, "ValidationException"),
}

OPENAI = Adapter(
    "openai",
    "served-model",
    lambda server: OpenAIChat("asked-model", KEY, server.base_url),
    _openai_asked,
    _openai_schema,
    _OF_OPENAI,
)
OPENROUTER = Adapter(
    "openrouter",
    "served-model",
    lambda server: openrouter_chat("asked-model", KEY, server.base_url),
    _openai_asked,
    _openai_schema,
    _OF_OPENROUTER,
)
ANTHROPIC = Adapter(
    "anthropic",
    "served-model",
    lambda server: AnthropicChat("asked-model", KEY, _root(server)),
    _anthropic_asked,
    _anthropic_schema,
    _OF_ANTHROPIC,
)
BEDROCK = Adapter(
    "bedrock",
    "asked-model",  # Converse doesn't say which model answered
    lambda server: BedrockChat("asked-model", BedrockEndpoint("eu-west-1", _root(server))),
    _bedrock_asked,
    _bedrock_schema,
    _OF_BEDROCK,
)
ADAPTERS = (OPENAI, OPENROUTER, ANTHROPIC, BEDROCK)
