"""Chat Completions through the real SDK, against a server on loopback."""

import socket
import threading
import time
import traceback
from typing import Any

import pytest

from strandline.clock import Deadline
from strandline.errors import (
    ModelError,
    ModelNotConfigured,
    ModelRateLimited,
    ModelRejected,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from strandline.providers.base import Completion, Finish, Message, Schema, Usage
from strandline.providers.openai.chat import OpenAIChat
from tests.support.openai_server import OpenAIServer, Reply, chat, failure
from tests.support.provider_adapters import HELLO, KEY, SCHEMA


def model(server: OpenAIServer) -> OpenAIChat:
    return OpenAIChat("asked-model", KEY, server.base_url)


def ask(server: OpenAIServer, *, schema: Schema | None = None, seconds: float = 20) -> Completion:
    return model(server).complete(HELLO, schema=schema, deadline=Deadline.after(seconds))


def test_a_reply_names_who_answered_and_what_it_cost(server: OpenAIServer) -> None:
    """The whole completion comes from the server; the request holds roles, model and key."""
    server.will(chat("Hello."))
    assert ask(server) == Completion(
        "Hello.", "openai", "served-model", Finish.STOP, Usage(input_tokens=7, output_tokens=3)
    )
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "asked-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
    }


def test_a_server_that_says_little_is_believed_in_what_it_says(server: OpenAIServer) -> None:
    """Usage and model may be missing: usage is unknown and the asked model is named."""
    server.will(Reply({"choices": [{"message": {"content": "Hello."}}]}))
    assert ask(server) == Completion("Hello.", "openai", "asked-model", Finish.STOP, Usage())


@pytest.mark.parametrize(
    "usage",
    [None, [], {}, {"prompt_tokens": "7", "completion_tokens": -1}, {"prompt_tokens": True}],
)
def test_usage_that_is_no_count_is_unknown(server: OpenAIServer, usage: Any) -> None:
    """Only whole numbers from zero are counts of tokens."""
    reply = chat("Hello.")
    server.will(Reply({**reply.body, "usage": usage}))
    assert ask(server).usage == Usage(None, None)


@pytest.mark.parametrize(
    ("reply", "text", "finish"),
    [
        (chat("```json\n{}\n```"), "```json\n{}\n```", Finish.STOP),
        (chat(" kept \n"), " kept \n", Finish.STOP),
        (chat("cut off", "length"), "cut off", Finish.LENGTH),
        (chat(None, "length"), "", Finish.LENGTH),
        (chat(None, refusal="I can't help with that."), "I can't help with that.", Finish.REFUSAL),
        (chat("", "content_filter"), "", Finish.REFUSAL),
        (chat("half", "content_filter"), "half", Finish.REFUSAL),
        (chat([{"type": "refusal", "refusal": "No."}]), "No.", Finish.REFUSAL),
        (chat([{"type": "text", "text": "a"}, "b", {"type": "image"}, None]), "ab", Finish.STOP),
        (chat("fine", None), "fine", Finish.STOP),
        (chat("both", "tool_calls", tool_calls=[{"id": "1"}]), "both", Finish.STOP),
        (chat("half \ud83d"), "half \ufffd", Finish.STOP),
    ],
)
def test_text_and_finish_are_what_the_server_says(
    server: OpenAIServer, reply: Reply, text: str, finish: Finish
) -> None:
    """Refusals, cuts, fences and lists of parts come through as they are."""
    server.will(reply)
    completion = ask(server)
    assert (completion.text, completion.finish) == (text, finish)


@pytest.mark.parametrize(
    "reply",
    [
        chat(None),
        chat(""),
        chat(" \n"),
        chat([]),
        chat(None, "tool_calls", tool_calls=[{"id": "1", "function": {"name": "f"}}]),
        Reply(b'{"choices": [{"mess'),
        Reply(b""),
        Reply(b"<html>busy</html>"),
        Reply(b"\xff\xfe"),
        Reply(b"[" * 100_000),
        Reply([]),
        Reply({}),
        Reply({"choices": []}),
        Reply({"choices": None}),
        Reply({"choices": [None]}),
        Reply({"choices": [{"message": "text"}]}),
    ],
)
def test_a_reply_without_words_is_unusable(server: OpenAIServer, reply: Reply) -> None:
    """Nothing, a tool call alone, half a JSON and pages of HTML are no answers."""
    server.will(reply)
    with pytest.raises(ModelReplyInvalid):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (failure(400), ModelRejected),
        (failure(400, "context_length_exceeded"), ModelRejected),
        (failure(401, "invalid_api_key"), ModelRejected),
        (failure(402), ModelRejected),
        (failure(403), ModelRejected),
        (failure(404), ModelRejected),
        (failure(408), ModelTimeout),
        (failure(409), ModelUnavailable),
        (failure(422), ModelRejected),
        (failure(429), ModelRateLimited),
        (failure(429, "insufficient_quota"), ModelRejected),
        (failure(500), ModelUnavailable),
        (failure(503), ModelUnavailable),
        (failure(529), ModelUnavailable),
        (Reply(b"<html>LEAKED-BODY</html>", status=502), ModelUnavailable),
        (Reply({"error": f"LEAKED-BODY {KEY}"}, status=400), ModelRejected),
        (Reply({"error": {"code": 429, "message": "LEAKED-BODY"}}), ModelRateLimited),
        (Reply({"error": {"message": "LEAKED-BODY"}}), ModelUnavailable),
    ],
)
def test_each_failure_is_one_of_ours_without_the_servers_words(
    server: OpenAIServer, reply: Reply, error: type[ModelError]
) -> None:
    """Statuses map to the error tree; nothing is sent twice; key and body stay out of sight."""
    server.will(reply)
    with pytest.raises(ModelError) as caught:
        ask(server)
    shown = "".join(traceback.format_exception(caught.value)) + str(caught.value.__context__)
    assert type(caught.value) is error
    assert caught.value.retryable is (error is not ModelRejected)
    assert "LEAKED-BODY" not in shown
    assert KEY not in shown
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("0", 0.0),
        ("86400", 300.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 300.0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ],
)
def test_a_rate_limit_says_when_to_come_back(
    server: OpenAIServer, header: str, seconds: float | None
) -> None:
    """Retry-After in seconds or as a date, at most five minutes; nonsense is no answer."""
    server.will(failure(429, retry_after=header))
    with pytest.raises(ModelRateLimited) as caught:
        ask(server)
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("reply", [Reply(hang=True), Reply(trickle=True), Reply(trickle_head=True)])
def test_no_server_outlives_the_deadline(server: OpenAIServer, reply: Reply) -> None:
    """Silence, a body byte by byte and a head byte by byte all end at the deadline, for good."""
    model(server)  # not part of the bound
    server.will(chat("warm"), reply)
    ask(server)
    started = time.monotonic()
    with pytest.raises(ModelTimeout):
        ask(server, seconds=0.3)
    assert time.monotonic() - started < 5
    assert _ended("_work")


def _ended(name: str) -> bool:
    """Whether every worker thread is gone within a few seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if not any(name in thread.name for thread in threading.enumerate()):
            return True
        time.sleep(0.02)
    return False


def test_a_call_after_one_that_was_given_up_works(server: OpenAIServer) -> None:
    """Closing one call's client leaves the others alone."""
    server.will(Reply(hang=True), chat("still here"))
    with pytest.raises(ModelTimeout):
        ask(server, seconds=0.2)
    assert ask(server).text == "still here"


def test_a_deadline_in_the_past_sends_nothing(server: OpenAIServer) -> None:
    """Without time there is no request."""
    with pytest.raises(ModelTimeout):
        ask(server, seconds=0)
    assert server.requests == []


def test_a_closed_port_is_an_unavailable_service() -> None:
    """A refused connection is the service's failure, not the caller's."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ModelUnavailable):
        OpenAIChat("m", KEY, url).complete(HELLO, deadline=Deadline.after(20))


def test_calls_in_sequence_share_one_connection(server: OpenAIServer) -> None:
    """A client is made once and keeps its connection, also for another model object."""
    server.will(*[chat("Hello.")] * 3)
    for _ in range(3):
        ask(server)
    assert server.connections == 1


def test_parallel_calls_do_not_mix() -> None:
    """Every caller gets the answer to its own question."""

    def echo(request: Any) -> Reply:
        return chat(request.body["messages"][-1]["content"])

    with OpenAIServer(echo) as server:
        asked = [f"question {number}" for number in range(12)]
        heard: dict[str, str] = {}
        one = model(server)

        def call(text: str) -> None:
            said = one.complete([Message("user", text)], deadline=Deadline.after(20))
            heard[text] = said.text

        threads = [threading.Thread(target=call, args=(text,)) for text in asked]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert heard == {text: text for text in asked}


def test_a_schema_goes_out_as_a_strict_response_format(server: OpenAIServer) -> None:
    """A schema that strict mode takes is asked for strictly."""
    server.will(chat("{}"))
    ask(server, schema=SCHEMA)
    assert server.requests[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "memories", "schema": SCHEMA.definition, "strict": True},
    }


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_without_response_format_gets_the_schema_in_words(
    server: OpenAIServer, status: int
) -> None:
    """It is asked once more in the same call, and in words alone from then on."""
    server.will(failure(status), chat("{}"), chat("{}"))
    one = model(server)
    for _ in range(2):
        assert one.complete(HELLO, schema=SCHEMA, deadline=Deadline.after(20)).text == "{}"
    formats = ["response_format" in request.body for request in server.requests]
    assert formats == [True, False, False]
    system = server.requests[1].body["messages"][0]
    assert system["role"] == "system"
    assert system["content"].startswith("Be brief.\n\nReply with one JSON object")
    assert '"required": ["memories"]' in system["content"]


@pytest.mark.parametrize(
    "reply", [failure(400, "context_length_exceeded"), failure(400, param="messages")]
)
def test_a_400_about_something_else_is_not_asked_again(server: OpenAIServer, reply: Reply) -> None:
    """A server that names another reason is believed."""
    server.will(reply, chat("{}"))
    with pytest.raises(ModelRejected):
        ask(server, schema=SCHEMA)
    assert len(server.requests) == 1


def test_a_server_that_refuses_both_ways_has_refused(server: OpenAIServer) -> None:
    """There is one second try, not more, and the format is tried again next time."""
    server.will(failure(400), failure(400), chat("{}"))
    one = model(server)
    with pytest.raises(ModelRejected):
        one.complete(HELLO, schema=SCHEMA, deadline=Deadline.after(20))
    one.complete(HELLO, schema=SCHEMA, deadline=Deadline.after(20))
    formats = ["response_format" in request.body for request in server.requests]
    assert formats == [True, False, True]


def test_a_local_server_needs_no_key(server: OpenAIServer) -> None:
    """With an address and no key, a placeholder goes out."""
    server.will(chat("Hello."))
    OpenAIChat("m", "", server.base_url).complete(HELLO, deadline=Deadline.after(20))
    assert server.requests[0].headers["authorization"] == "Bearer unused"


def test_a_key_from_a_file_with_a_line_break_works(server: OpenAIServer) -> None:
    """White space around the key and the address is not part of them."""
    server.will(chat("Hello."))
    spaced = OpenAIChat("m", f" {KEY}\n", f" {server.base_url}\n")
    spaced.complete(HELLO, deadline=Deadline.after(20))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("key", "url"), [("", ""), (" ", ""), ("sk-ü", ""), ("sk-\x00", ""), ("sk", "localhost:1")]
)
def test_an_unusable_key_or_address_is_no_configuration(key: str, url: str) -> None:
    """What can't work is refused before anything is sent, without naming the key."""
    with pytest.raises(ModelNotConfigured) as caught:
        OpenAIChat("m", key, url)
    assert "sk-" not in str(caught.value)
