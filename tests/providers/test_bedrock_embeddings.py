"""Embeddings by InvokeModel, through the real boto3 against a server on loopback."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from strandline.clock import Deadline
from strandline.errors import (
    ModelError,
    ModelNotConfigured,
    ModelRateLimited,
    ModelRejected,
    ModelReplyInvalid,
    ModelTimeout,
)
from strandline.providers.bedrock.calls import BedrockEndpoint
from strandline.providers.bedrock.embeddings import BedrockEmbedder
from tests.support.bedrock_replies import cohere, failure, titan
from tests.support.openai_server import OpenAIServer, Received, Reply

TITAN = "amazon.titan-embed-text-v2:0"
COHERE = "cohere.embed-multilingual-v3"
Respond = Callable[[Received], Reply]


def embedder(server: OpenAIServer, model: str = TITAN, size: int = 256) -> BedrockEmbedder:
    return BedrockEmbedder(
        model, size, BedrockEndpoint("eu-west-1", server.base_url.removesuffix("/v1"))
    )


def soon() -> Deadline:
    return Deadline.after(60)


def vector_of(size: int) -> Callable[[str], list[float]]:
    """A vector that tells its text: twice the unit vector of the text's number."""

    def vector(text: str) -> list[float]:
        return [2.0 if at == int(text.rsplit(maxsplit=1)[-1]) else 0.0 for at in range(size)]

    return vector


def test_titan_takes_one_text_a_request_and_gives_the_size_asked_for() -> None:
    """Rows stand in the order of the texts, at length 1, though they come side by side."""
    with OpenAIServer(titan(vector_of(256))) as server:
        vectors = embedder(server).embed([f"text {n}" for n in range(20)], deadline=soon())
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, np.eye(20, 256))
    assert len(server.requests) == 20
    [first] = [r for r in server.requests if r.body["inputText"] == "text 0"]
    assert first.path == "/model/amazon.titan-embed-text-v2%3A0/invoke"
    assert first.body == {"inputText": "text 0", "dimensions": 256, "normalize": True}


def test_cohere_takes_96_texts_a_request_each_as_a_document() -> None:
    """Questions as well: one space, in which both are compared both ways."""
    with OpenAIServer(cohere(vector_of(1024))) as server:
        vectors = embedder(server, COHERE).embed([f"text {n}" for n in range(100)], deadline=soon())
    np.testing.assert_array_equal(vectors, np.eye(100, 1024))
    assert sorted(len(request.body["texts"]) for request in server.requests) == [4, 96]
    for request in server.requests:
        assert request.body["input_type"] == "search_document"
        assert request.body["truncate"] == "END"


@pytest.mark.parametrize(
    ("model", "wish", "size"),
    [
        (TITAN, 512, 512),
        (TITAN, 1536, 1024),
        (TITAN, 1000, 512),
        (TITAN, 100, 256),
        (COHERE, 512, 1024),
        ("cohere.embed-english-v3", 1024, 1024),
        (f"arn:aws:bedrock:eu-west-1::foundation-model/{TITAN}", 256, 256),
    ],
)
def test_the_space_names_the_size_the_vectors_have(model: str, wish: int, size: int) -> None:
    """Titan's is the largest it has that was wished for; Cohere has one."""
    space = BedrockEmbedder(model, wish).space
    assert space.name == f"bedrock:{model}@{size}"
    cosines = np.array([0.2, 0.9], dtype=np.float32)
    np.testing.assert_array_equal(space.to_common_scale(cosines), cosines)


@pytest.mark.parametrize(
    "model", ["amazon.titan-embed-text-v1", "cohere.embed-v4:0", "anthropic.claude-haiku-4-5", "x"]
)
def test_a_model_of_another_family_is_not_configured(model: str) -> None:
    """Its requests would have another body; nothing is guessed."""
    with pytest.raises(ModelNotConfigured):
        BedrockEmbedder(model, 512)


def test_no_texts_need_no_request(server: OpenAIServer) -> None:
    """Nothing gives an empty array of the right width."""
    assert embedder(server).embed([], deadline=soon()).shape == (0, 256)
    assert server.requests == []


@pytest.mark.parametrize(
    ("model", "text", "sent"),
    [
        (TITAN, "é" * 5_000, "é" * 4_000),
        (TITAN, "", " "),
        (COHERE, "é" * 3_000, "é" * 2_048),
        (COHERE, "", " "),
    ],
)
def test_a_text_longer_than_the_model_takes_is_cut(
    server: OpenAIServer, model: str, text: str, sent: str
) -> None:
    """Whole characters up to the model's limit; an empty text, which is refused, is a blank."""
    one = [1.0] + [0.0] * 1023
    server.will(Reply({"embedding": one, "embeddings": [one]}))
    embedder(server, model, 1024).embed([text], deadline=soon())
    body = server.requests[0].body
    assert body.get("inputText", body.get("texts", [None])[0]) == sent


@pytest.mark.parametrize("model", [TITAN, COHERE])
@pytest.mark.parametrize(
    "row",
    [
        [0.0] * 1024,
        [float("nan")] + [1.0] * 1023,
        [1e400] + [1.0] * 1023,
        [1.0] * 1023,
        ["a"] * 1024,
        [[1.0]] * 1024,
        None,
    ],
    ids=["zero", "nan", "infinite", "short", "letters", "nested", "none"],
)
def test_a_vector_that_cannot_be_ranked_is_refused(
    server: OpenAIServer, model: str, row: Any
) -> None:
    """Zero, not finite, of other size or no numbers: none of it reaches the index."""
    server.will(Reply({"embedding": row, "embeddings": [row]}))
    with pytest.raises(ModelReplyInvalid):
        embedder(server, model, 1024).embed(["a"], deadline=soon())


@pytest.mark.parametrize("rows", [[], [[1.0] * 1024], None, {"float": []}])
def test_other_embeddings_than_asked_for_are_refused(server: OpenAIServer, rows: Any) -> None:
    """One vector for each text, or none is taken."""
    server.will(Reply({"embeddings": rows}))
    with pytest.raises(ModelReplyInvalid):
        embedder(server, COHERE).embed(["a", "b"], deadline=soon())


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"embedding": [1'])
def test_a_reply_that_is_no_object_is_unusable(server: OpenAIServer, body: bytes) -> None:
    """Bodies of InvokeModel are the vendor's; botocore doesn't look into them."""
    server.will(Reply(body))
    with pytest.raises(ModelReplyInvalid):
        embedder(server).embed(["a"], deadline=soon())


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (429, "ThrottlingException", ModelRateLimited),
        (400, "ValidationException", ModelRejected),
        (403, "AccessDeniedException", ModelRejected),
    ],
)
def test_one_text_that_fails_fails_the_call(
    status: int, kind: str, error: type[ModelError]
) -> None:
    """As the error it is; a part of the vectors is no answer."""

    def respond(request: Received) -> Reply:
        if request.body["inputText"] == "text 3":
            return failure(status, kind)
        return titan(vector_of(256))(request)

    with OpenAIServer(respond) as server, pytest.raises(ModelError) as caught:
        embedder(server).embed([f"text {n}" for n in range(6)], deadline=soon())
    assert type(caught.value) is error
    assert "LEAKED-BODY" not in repr(caught.value.__context__)


def test_what_has_not_been_sent_by_the_deadline_never_is() -> None:
    """Eight at a time, each answered after 0.3 s: two rounds begin in 0.4 s, the others not."""

    def slowly(request: Received) -> Reply:
        server.wait(0.3)
        return titan(vector_of(256))(request)

    with OpenAIServer(slowly) as server:
        model = embedder(server)
        model.embed(["text 0"], deadline=soon())  # boto3 is loaded, the client made
        before = set(threading.enumerate())
        with pytest.raises(ModelTimeout):
            model.embed([f"text {n}" for n in range(40)], deadline=Deadline.after(0.4))
        for thread in set(threading.enumerate()) - before:
            thread.join(20)
        assert len(server.requests) <= 1 + 2 * 8
