"""What is Anthropic's own of the Messages API, through the real SDK; the rest is the contract."""

from typing import Any

import pytest

from strandline.clock import Deadline
from strandline.errors import ModelNotConfigured, ModelRejected, ModelReplyInvalid
from strandline.providers.anthropic.chat import AnthropicChat, completion
from strandline.providers.base import Completion, Finish, Message, Schema, Usage
from strandline.providers.message_alternation import OMITTED_START
from tests.support.anthropic_replies import failure, message, text
from tests.support.openai_server import OpenAIServer, Reply

KEY = "sk-ant-SECRET"


def ask(server: OpenAIServer, *messages: Message, schema: Schema | None = None) -> Completion:
    model = AnthropicChat("asked-model", f" {KEY}\n", server.base_url.removesuffix("/v1"))
    said = messages or (Message("user", "Hi"),)
    return model.complete(said, schema=schema, deadline=Deadline.after(60))


def test_the_request_is_one_of_the_messages_api(server: OpenAIServer) -> None:
    """The whole body, with a bound on the answer, to the API's path and under its version."""
    server.will(message())
    ask(server, Message("system", "Be brief."), Message("user", "Hi"))
    [request] = server.requests
    assert request.path == "/v1/messages"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert "anthropic-version" in request.headers
    assert request.body == {
        "model": "asked-model",
        "max_tokens": 8192,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
    }


def test_turns_of_one_role_are_merged_and_the_user_begins(server: OpenAIServer) -> None:
    """As the API wants them, each text a block of its own."""
    server.will(message())
    ask(server, Message("assistant", "Yes."), Message("user", "One?"), Message("user", "Two?"))
    told = [
        (m["role"], [b["text"] for b in m["content"]]) for m in server.requests[0].body["messages"]
    ]
    assert told == [("user", [OMITTED_START]), ("assistant", ["Yes."]), ("user", ["One?", "Two?"])]


def test_what_the_environment_says_for_others_is_not_used(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK reads variables of its own; address and key are those of the settings."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "another")
    server.will(message())
    assert ask(server).text == "Hello."
    assert "another" not in str(server.requests[0].headers)


def test_what_the_api_does_not_enforce_is_in_the_schema_in_words(server: OpenAIServer) -> None:
    """Structured outputs refuse bounds; a schema that has some is still followed at heart."""
    server.will(message(text("{}")))
    bounded = {"type": "array", "items": {"type": "string"}, "maxItems": 3}
    definition = {"type": "object", "properties": {"a": bounded}, "required": ["a"]}
    ask(server, schema=Schema("s", definition))
    sent = server.requests[0].body["output_config"]["format"]
    assert sent["type"] == "json_schema"
    assert sent["schema"]["additionalProperties"] is False
    assert "maxItems" not in sent["schema"]["properties"]["a"]
    assert sent["schema"]["properties"]["a"]["description"] == "{maxItems: 3}"


def test_the_input_is_counted_with_what_was_cached(server: OpenAIServer) -> None:
    """The API counts cached tokens apart; usage is all of them."""
    parts = {
        "input_tokens": 7,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": 3,
    }
    server.will(message(usage=parts))
    assert ask(server).usage == Usage(127, 3)


@pytest.mark.parametrize("usage", [[], {}, {"input_tokens": "7", "output_tokens": -1}])
def test_usage_that_is_no_count_is_unknown(usage: Any) -> None:
    """Only whole numbers from zero are counts of tokens."""
    body = {"content": text("Hello."), "usage": usage}
    assert completion(body, "asked").usage == Usage(None, None)


@pytest.mark.parametrize(
    ("reply", "said", "finish"),
    [
        (message(text("fine"), "stop_sequence"), "fine", Finish.STOP),
        (message(text("fine"), None), "fine", Finish.STOP),
        (message(text("fine"), "a reason to come"), "fine", Finish.STOP),
        (message(text("half"), "pause_turn"), "half", Finish.STOP),
        (message(text("half"), "model_context_window_exceeded"), "half", Finish.LENGTH),
        (message(text("half \ud83d")), "half \ufffd", Finish.STOP),
        (message([*text("a"), None, "b", {"type": "text", "text": 1}]), "a", Finish.STOP),
        (
            message([], "refusal", stop_details={"type": "refusal", "explanation": "Not this."}),
            "Not this.",
            Finish.REFUSAL,
        ),
    ],
)  # fmt: skip
def test_text_and_finish_are_what_the_server_says(
    server: OpenAIServer, reply: Reply, said: str, finish: Finish
) -> None:
    """Reasons that are new, blocks that are odd, and a refusal whose words stand elsewhere."""
    server.will(reply)
    answer = ask(server)
    assert (answer.text, answer.finish) == (said, finish)


@pytest.mark.parametrize(
    "body", [{}, {"content": None}, {"content": "text"}, {"type": "error", "error": {"type": "x"}}]
)
def test_a_body_that_is_no_message_is_unusable(server: OpenAIServer, body: Any) -> None:
    """A gateway's error under status 200 is no answer."""
    server.will(Reply(body))
    with pytest.raises(ModelReplyInvalid):
        ask(server)


def test_a_server_that_names_no_model_answered_as_the_one_asked() -> None:
    """A gateway may leave the name out."""
    assert completion({"content": text("Hello.")}, "asked").model == "asked"


def test_an_account_without_credit_is_rejected(server: OpenAIServer) -> None:
    """Asking again would not help."""
    server.will(failure(402, "billing_error"))
    with pytest.raises(ModelRejected):
        ask(server)


@pytest.mark.parametrize(
    ("key", "url"), [("", ""), (" ", "http://127.0.0.1:1"), ("sk-ü", ""), ("sk", "localhost:1")]
)
def test_an_unusable_key_or_address_is_no_configuration(key: str, url: str) -> None:
    """What can't work is refused before anything is sent, without naming the key."""
    with pytest.raises(ModelNotConfigured, match="ANTHROPIC_") as caught:
        AnthropicChat("m", key, url)
    assert "sk-" not in str(caught.value)
