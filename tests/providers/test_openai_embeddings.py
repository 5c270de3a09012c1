"""Embeddings through the real SDK, against a server on loopback."""

import traceback
from typing import Any

import numpy as np
import pytest

from strandline.clock import Deadline
from strandline.errors import (
    ModelError,
    ModelRateLimited,
    ModelRejected,
    ModelReplyInvalid,
    ModelTimeout,
)
from strandline.providers.openai.embeddings import OpenAIEmbedder
from tests.support.openai_server import OpenAIServer, Received, Reply, embeddings, failure

KEY = "sk-test-SECRET"


def embedder(server: OpenAIServer, model: str = "local-embedder", size: int = 2) -> OpenAIEmbedder:
    return OpenAIEmbedder(model, size, KEY, server.base_url)


def soon() -> Deadline:
    return Deadline.after(20)


def test_vectors_are_float32_of_length_one_in_the_order_of_the_texts(server: OpenAIServer) -> None:
    """The index decides, not the order of arrival; floats are asked for."""
    server.will(embeddings([[3, 4], [0, 2], [-1, 0]], order=[2, 0, 1]))
    vectors = embedder(server).embed(["a", "b", "c"], deadline=soon())
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0, 1], [-1, 0]], rtol=1e-6)
    (request,) = server.requests
    assert request.path == "/v1/embeddings"
    assert request.body == {
        "model": "local-embedder",
        "input": ["a", "b", "c"],
        "encoding_format": "float",
    }


def test_no_texts_need_no_request(server: OpenAIServer) -> None:
    """Nothing gives an empty array of the right width."""
    assert embedder(server).embed([], deadline=soon()).shape == (0, 2)
    assert server.requests == []


@pytest.mark.parametrize(
    ("model", "wish", "size", "sent"),
    [
        ("text-embedding-3-small", 512, 512, 512),
        ("text-embedding-3-small", 4096, 1536, 1536),
        ("text-embedding-3-large", 512, 512, 512),
        ("openai/text-embedding-3-small", 256, 256, 256),
        ("text-embedding-ada-002", 512, 1536, None),
        ("nomic-embed-text:latest", 512, 768, None),
        ("someone/unknown", 384, 384, None),
    ],
)
def test_dimensions_go_only_to_models_that_take_them(
    server: OpenAIServer, model: str, wish: int, size: int, sent: int | None
) -> None:
    """The space names the size the vectors have, whatever was wished for."""
    server.will(embeddings([[1.0] * size]))
    one = embedder(server, model, wish)
    assert one.space.name == f"openai:{model}@{size}"
    assert one.embed(["a"], deadline=soon()).shape == (1, size)
    assert server.requests[0].body.get("dimensions") == sent


@pytest.mark.parametrize(
    "reply",
    [
        embeddings([[1, 0]]),
        embeddings([[1, 0], [0, 1], [1, 1]]),
        embeddings([[1, 0], [0, 1]], order=[0, 0]),
        embeddings([[1, 0], [0, 1, 0]]),
        embeddings([[1, 0], []]),
        embeddings([[1, 0], [[1, 0]]]),
        embeddings([[1, 0], [0, 0]]),
        embeddings([[1, 0], [float("nan"), 1]]),
        embeddings([[1, 0], [float("inf"), 1]]),
        embeddings([[1, 0], [1e300, 1e300]]),
        embeddings([[1, 0], [10**400, 1]]),
        embeddings([[1, 0], [None, 1]]),
        embeddings([[1, 0], ["a", "b"]]),
        embeddings([[1, 0], None]),
        embeddings([[1, 0], "AACAPwAAAAA="]),
        Reply({"data": [{"index": [0], "embedding": [1, 0]}, None]}),
        Reply({"data": []}),
        Reply({}),
        Reply(b"{"),
    ],
)
def test_one_unusable_vector_spoils_the_reply(server: OpenAIServer, reply: Reply) -> None:
    """A wrong count, size or index, zero, NaN and what is no number never become vectors."""
    server.will(reply)
    with pytest.raises(ModelReplyInvalid):
        embedder(server).embed(["a", "b"], deadline=soon())
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (failure(429, retry_after="3"), ModelRateLimited),
        (failure(401), ModelRejected),
        (Reply(hang=True), ModelTimeout),
        (Reply(trickle=True), ModelTimeout),
    ],
)
def test_an_embedder_fails_as_a_chat_model_does(
    server: OpenAIServer, reply: Reply, error: type[ModelError]
) -> None:
    """The same errors, the same bound, one request, no words of the server."""
    server.will(reply)
    seconds = 0.3 if error is ModelTimeout else 20
    if error is ModelTimeout:  # so that the bound isn't spent on loading the SDK
        server.will(reply)
        with pytest.raises(ModelTimeout):
            embedder(server).embed(["a"], deadline=Deadline.after(seconds))
    with pytest.raises(error) as caught:
        embedder(server).embed(["a"], deadline=Deadline.after(seconds))
    shown = "".join(traceback.format_exception(caught.value))
    assert "LEAKED-BODY" not in shown
    assert KEY not in shown


def test_many_and_long_texts_go_in_batches_that_a_server_takes() -> None:
    """At most 256 texts and 240,000 bytes a request, 8,000 bytes a text, letters whole."""

    def respond(request: Received) -> Reply:
        return embeddings([[len(text.encode()), 1] for text in request.body["input"]])

    texts = ["x" * 9_000] * 40 + ["語" * 5_000, "", "\ud800"] + ["y"] * 300
    with OpenAIServer(respond) as server:
        vectors = embedder(server).embed(texts, deadline=soon())
        sent: list[list[str]] = [request.body["input"] for request in server.requests]
    flat: list[str] = [text for batch in sent for text in batch]
    assert flat == ["x" * 8_000] * 40 + ["語" * 2_666, " ", "?"] + ["y"] * 300
    assert [len(batch) for batch in sent] == [30, 256, 57]
    lengths: Any = vectors[:, 0] / vectors[:, 1]
    np.testing.assert_allclose(lengths, [len(text.encode()) for text in flat], rtol=1e-3)


def test_cosines_of_the_small_model_are_the_common_scale(server: OpenAIServer) -> None:
    """text-embedding-3-small is the scale; ada-002's crowded cosines are spread out."""
    cosines = np.array([-0.2, 0.72, 1.0], dtype=np.float32)
    small = embedder(server, "text-embedding-3-small").space
    ada = embedder(server, "text-embedding-ada-002").space
    np.testing.assert_array_equal(small.to_common_scale(cosines), cosines)
    np.testing.assert_allclose(ada.to_common_scale(cosines), [0, 0.1515, 1], atol=1e-3)
    assert ada.to_common_scale(cosines).dtype == np.float32
