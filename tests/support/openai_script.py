"""What the OpenAI-compatible server is to reply, by what a request is for and about."""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from strandline.clock import Deadline
from tests.support.extraction_replies import reply
from tests.support.openai_server import OpenAIServer, Received, Reply, chat, embeddings
from tests.support.scripted_models import ScriptedEmbedder


class Kind(StrEnum):
    """What a request is for; the background ones are named as the schema that each asks for."""

    CHAT = "chat"
    EMBEDDING = "embedding"
    EXTRACTION = "memories"
    DRAFT = "checkpoint"
    TITLE = "title"
    REVIEW = "review"


@dataclass(frozen=True)
class _Rule:
    kind: Kind
    about: str
    replies: deque[Reply]


class Script:
    """Replies by kind and by words in the request, so that no test gets what another ordered.

    Unless told otherwise it answers "Hello.", finds in an exchange what `finds` has for words of
    its user, drafts nothing, and embeds by words.
    """

    def __init__(self) -> None:
        self._rules: list[_Rule] = []
        self.finds: dict[str, dict[str, Any]] = {}

    def will(self, kind: Kind, about: str, *replies: Reply) -> None:
        """Answer the next requests of that kind with those words in them with these, in order."""
        self._rules.append(_Rule(kind, about, deque(replies)))

    def forget(self, about: str) -> None:
        """Drop what was ordered for those words."""
        self._rules = [rule for rule in self._rules if rule.about != about]

    def __call__(self, request: Received) -> Reply:
        for rule in self._rules:
            if rule.kind is kind_of(request) and rule.about in words_of(request) and rule.replies:
                return rule.replies.popleft()
        return self.usual(request)

    def usual(self, request: Received) -> Reply:
        """The reply to what nothing was ordered for."""
        kind = kind_of(request)
        if kind is Kind.EMBEDDING:
            embedder = ScriptedEmbedder(request.body["dimensions"])
            rows = embedder.embed(request.body["input"], deadline=Deadline.after(1))
            return embeddings(rows.tolist())
        return chat(reply(*self.found(request)) if kind is Kind.EXTRACTION else _USUAL[kind])

    def found(self, request: Received) -> list[dict[str, Any]]:
        """What `finds` has for an extraction's exchange."""
        said = json.loads(words_of(request))["user"]["text"]
        return [memory for words, memory in self.finds.items() if words in said]


_USUAL = {
    Kind.CHAT: "Hello.",
    Kind.DRAFT: json.dumps({"title": "Nothing yet", "decisions": []}),
    Kind.TITLE: json.dumps({"title": "Hello"}),
    Kind.REVIEW: json.dumps({"findings": []}),
}


def kind_of(request: Received) -> Kind:
    """By the path, and by the schema that it asks for, if any."""
    if request.path.endswith("/embeddings"):
        return Kind.EMBEDDING
    asked: dict[str, Any] = request.body.get("response_format", {})
    named = asked.get("json_schema", {}).get("name")
    return Kind(named) if named else Kind.CHAT


def words_of(request: Received) -> str:
    """The last message, which holds the question or the exchange, or the texts to embed."""
    if kind_of(request) is Kind.EMBEDDING:
        return "\n".join(request.body["input"])
    return str(request.body["messages"][-1]["content"])


def asked(server: OpenAIServer, kind: Kind, about: str) -> Sequence[Received]:
    """The requests of that kind with those words in them, in the order they came."""
    return [r for r in server.requests if kind_of(r) is kind and about in words_of(r)]


def text_of(request: Received) -> str:
    """All that a request lets a model see, as one text, each message with its speaker."""
    if kind_of(request) is Kind.EMBEDDING:
        return words_of(request)
    return "\n".join(spoken(each["role"], each["content"]) for each in request.body["messages"])


def spoken(role: str, content: str) -> str:
    """A message as a receipt prints it."""
    return f"{role.title()}: {content}"
