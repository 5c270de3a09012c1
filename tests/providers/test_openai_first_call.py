"""The first call of a process, which makes the client and loads the SDK for it."""

import threading
from typing import Any

import pytest

from strandline.clock import Deadline
from strandline.errors import ModelTimeout
from strandline.providers.base import Message
from strandline.providers.openai import calls
from strandline.providers.openai.chat import OpenAIChat
from tests.support.openai_server import OpenAIServer, chat

HELLO = [Message("user", "Hi")]


def test_a_call_given_up_before_its_client_was_made_harms_no_later_one(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is sent for it, and the client that came too late is as good as any."""
    make, late = calls._new_client, threading.Event()

    def make_late(endpoint: Any) -> Any:
        late.wait(10)
        return make(endpoint)

    monkeypatch.setattr(calls, "_new_client", make_late)
    calls.clients.cache_clear()
    before = set(threading.enumerate())
    model = OpenAIChat("m", "sk-test", server.base_url)
    with pytest.raises(ModelTimeout):
        model.complete(HELLO, deadline=Deadline.after(0.05))
    late.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert server.requests == []
    server.will(chat("Hello."))
    assert model.complete(HELLO, deadline=Deadline.after(20)).text == "Hello."
    assert len(server.requests) == 1
