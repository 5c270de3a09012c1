"""What is Bedrock's own of Converse, through the real boto3; the rest is the contract."""

from typing import Any

import pytest

from strandline.clock import Deadline
from strandline.errors import (
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from strandline.providers.base import Completion, Finish, Message, Schema, Usage
from strandline.providers.bedrock.calls import BedrockEndpoint
from strandline.providers.bedrock.chat import BedrockChat
from tests.support.bedrock_replies import converse, failure, text, used
from tests.support.openai_server import OpenAIServer, Reply

SCHEMA = Schema("memories", {"type": "object", "properties": {}})
PROFILE = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.vendor.m-v1:0"


def place(server: OpenAIServer) -> BedrockEndpoint:
    return BedrockEndpoint("eu-west-1", server.base_url.removesuffix("/v1"))


def ask(
    server: OpenAIServer, *messages: Message, model: str = "vendor.m-v1:0", **how: Any
) -> Completion:
    said = messages or (Message("user", "Hi"),)
    return BedrockChat(model, place(server)).complete(said, deadline=Deadline.after(60), **how)


def test_the_request_is_one_of_converse(server: OpenAIServer) -> None:
    """The whole body, with a bound on the answer, signed for the region of the models."""
    server.will(converse())
    ask(server, Message("system", "Be brief."), Message("user", "One?"), Message("user", "Two?"))
    [request] = server.requests
    assert request.path == "/model/vendor.m-v1%3A0/converse"
    assert "/eu-west-1/bedrock/aws4_request" in request.headers["authorization"]
    assert request.body == {
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "One?"}, {"text": "Two?"}]}],
        "inferenceConfig": {"maxTokens": 4096},
    }


def test_an_inference_profile_is_a_model(server: OpenAIServer) -> None:
    """By its ARN, which is one part of the path and the model's name in the answer."""
    server.will(converse())
    assert ask(server, model=PROFILE).model == PROFILE
    assert server.requests[0].path.endswith("inference-profile%2Feu.vendor.m-v1%3A0/converse")


def test_a_schema_is_the_one_tool_that_must_be_used(server: OpenAIServer) -> None:
    """Its input is the reply, in the characters it has."""
    server.will(converse([used("memories", {"memories": ["茶", 1, 0.5, None]})], "tool_use"))
    assert ask(server, schema=SCHEMA).text == '{"memories": ["茶", 1, 0.5, null]}'
    assert server.requests[0].body["toolConfig"] == {
        "tools": [
            {
                "toolSpec": {
                    "name": "memories",
                    "description": "Takes the whole reply.",
                    "inputSchema": {"json": SCHEMA.definition},
                }
            }
        ],
        "toolChoice": {"tool": {"name": "memories"}},
    }


def test_a_model_that_answers_a_schema_in_text_is_heard(server: OpenAIServer) -> None:
    """A tool that wasn't used leaves the text, which the reader may still parse."""
    server.will(converse(text('{"memories": []}')))
    assert ask(server, schema=SCHEMA).text == '{"memories": []}'


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("stop_sequence", Finish.STOP),
        ("a_reason_to_come", Finish.STOP),
        ("model_context_window_exceeded", Finish.LENGTH),
        ("content_filtered", Finish.REFUSAL),
    ],
)
def test_the_finish_is_what_bedrock_says(server: OpenAIServer, stop: str, finish: Finish) -> None:
    """Reasons that are new are an end like any other."""
    server.will(converse(stop=stop))
    assert ask(server).finish is finish


@pytest.mark.parametrize("stop", ["malformed_model_output", "malformed_tool_use"])
def test_malformed_output_is_unusable(server: OpenAIServer, stop: str) -> None:
    """Bedrock says itself that there is nothing to read."""
    server.will(converse(stop=stop))
    with pytest.raises(ModelReplyInvalid):
        ask(server)


@pytest.mark.parametrize("body", [{}, {"output": {}}, {"output": {"message": None}}])
def test_a_body_without_a_message_is_unusable(server: OpenAIServer, body: Any) -> None:
    """Of a reply that lacks what it should hold nothing is made up."""
    server.will(Reply(body))
    with pytest.raises(ModelReplyInvalid):
        ask(server)


def test_the_input_is_counted_with_what_was_cached(server: OpenAIServer) -> None:
    """Bedrock counts cached tokens apart; usage is all of them."""
    parts = {"inputTokens": 7, "cacheReadInputTokens": 100, "outputTokens": 3, "totalTokens": 110}
    server.will(converse(usage=parts))
    assert ask(server).usage == Usage(107, 3)


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (429, "ModelNotReadyException", ModelRateLimited),
        (400, "ServiceQuotaExceededException", ModelRateLimited),
        (400, "ThrottlingException", ModelRateLimited),
        (424, "ModelErrorException", ModelUnavailable),
        (403, "ExpiredTokenException", ModelRejected),
    ],
)
def test_an_exception_means_what_its_name_says(
    server: OpenAIServer, status: int, kind: str, error: type[ModelError]
) -> None:
    """Where the status alone would say another thing, the name decides."""
    server.will(failure(status, kind))
    with pytest.raises(ModelError) as caught:
        ask(server)
    assert type(caught.value) is error


def test_what_aws_would_not_take_is_not_sent(server: OpenAIServer) -> None:
    """A name that no model can have is refused by botocore, and by us in our words."""
    with pytest.raises(ModelRejected) as caught:
        ask(server, model="")
    assert "Parameter" not in str(caught.value)
    assert server.requests == []


def test_without_credentials_the_request_is_rejected(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what is missing; the chat goes on to be answerable by another model."""
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(ModelRejected, match="no AWS credentials"):
        ask(server)


def test_a_thread_that_was_given_up_ends_soon_after(server: OpenAIServer) -> None:
    """botocore's own time-out is the shortest step above the deadline, not its 60 seconds."""
    from strandline.providers.bedrock import calls

    server.will(converse(), Reply(hang=True))
    ask(server)
    model = BedrockChat("vendor.m-v1:0", place(server))
    with pytest.raises(ModelTimeout):
        model.complete([Message("user", "Hi")], deadline=Deadline.after(0.3))
    assert [calls._timeout(s) for s in (0.3, 5, 5.1, 27, 45, 601)] == [5, 5, 15, 30, 60, 600]
