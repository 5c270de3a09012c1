"""Clients of a running product, in this process or over HTTP, for scenarios that run with both.

A client acts for one account, and shows what reached the models.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from tests.support.checkpoint_requests import script_extraction
from tests.support.openai_script import Kind, Script, kind_of, spoken, text_of
from tests.support.openai_server import OpenAIServer
from tests.support.scripted_models import ScriptedChat
from tests.support.world import World

ModelInputs = Callable[[], Sequence[str]]
"""What has reached any model, of whatever kind, since it was begun to listen."""


class ApiClient(Protocol):
    """What a scenario needs of a client of one account."""

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """A request's status, and what it was answered."""
        ...

    def learns(self, by_words: dict[str, dict[str, Any]]) -> None:
        """The background model, where it is scripted, finds these whenever a user says those."""
        ...

    def settle(self, jobs: Sequence[str]) -> None:
        """Wait until those jobs have ended; what is queued is then done."""
        ...

    def prompt(self, kind: Kind) -> str | None:
        """The last prompt of that kind as the model got it, each message with its speaker.

        None where nobody can see that.
        """
        ...

    def listen(self) -> ModelInputs | None:
        """From now on; None where nobody can hear it."""
        ...

    def stranger(self) -> "ApiClient":
        """A client of another account. Skips the test where there is no other account."""
        ...


@dataclass(frozen=True)
class InProcessClient:
    """Through the handlers, in this process. Each request comes a minute after the last."""

    world: World
    account: str = "ada"

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        self.world.clock.advance(minutes=1)
        answer = self.world.call(method, path, body, account=self.account)
        return answer.status, answer.body

    def learns(self, by_words: dict[str, dict[str, Any]]) -> None:
        script_extraction(self.world, by_words)

    def settle(self, jobs: Sequence[str]) -> None:
        while self.world.waiting():
            assert self.world.drain() == []

    def prompt(self, kind: Kind) -> str | None:
        chat = self.world.chat if kind is Kind.CHAT else self.world.background
        return _text(chat, -1)

    def listen(self) -> ModelInputs:
        models, texts = (self.world.chat, self.world.background), self.world.embedder.asked
        begun, embedded = [len(model.prompts) for model in models], len(texts)
        return lambda: [
            *_since(models[0], begun[0]),
            *_since(models[1], begun[1]),
            *texts[embedded:],
        ]

    def stranger(self) -> ApiClient:
        return InProcessClient(self.world, "grace")


def _since(model: ScriptedChat, begun: int) -> list[str]:
    return [_text(model, number) for number in range(begun, len(model.prompts))]


def _text(model: ScriptedChat, number: int) -> str:
    return "\n".join(spoken(each.role, each.content) for each in model.prompts[number])


@dataclass(frozen=True)
class HttpClient:
    """Over HTTP. Without `models` and their `script` somebody's real models are at work."""

    request: Callable[[str, str, Any], httpx.Response]
    ended: Callable[[str], Any]
    others: Callable[[], ApiClient]
    models: OpenAIServer | None = None
    script: Script | None = None

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        answer = self.request(method, path, body)
        return answer.status_code, answer.json() if answer.content else None

    def learns(self, by_words: dict[str, dict[str, Any]]) -> None:
        if self.script is not None:
            self.script.finds |= by_words

    def settle(self, jobs: Sequence[str]) -> None:
        for job_id in jobs:
            assert self.ended(job_id)["state"] in ("stored", "none")

    def prompt(self, kind: Kind) -> str | None:
        if self.models is None:
            return None
        return next(text_of(r) for r in reversed(self.models.requests) if kind_of(r) is kind)

    def listen(self) -> ModelInputs | None:
        if self.models is None:
            return None
        requests, begun = self.models.requests, len(self.models.requests)
        return lambda: [text_of(request) for request in requests[begun:]]

    def stranger(self) -> ApiClient:
        return self.others()
