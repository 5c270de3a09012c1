"""Steps of scenarios through any client: spaces, checkpoints, mounts, questions and prompts."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.support.api_clients import ApiClient
from tests.support.openai_script import Kind


@dataclass(frozen=True)
class AnsweredQuestion:
    """An answer, and its prompt as each witness has it: the receipt, and what the model got."""

    answer: Any
    prompts: tuple[str, ...]

    def shows(self, words: str) -> bool:
        """Whether every witness has those words."""
        return all(words in prompt for prompt in self.prompts)

    def leaks(self, *words: str) -> list[str]:
        """Those of the words that any witness has."""
        return [each for each in words if any(each in prompt for prompt in self.prompts)]


def succeed(client: ApiClient, method: str, path: str, body: Any = None) -> Any:
    """What a request that succeeds is answered."""
    status, answer = client.call(method, path, body)
    assert status in (200, 201, 204), (method, path, status, answer)
    return answer


def new_space(client: ApiClient) -> str:
    """A new space's id."""
    return str(succeed(client, "POST", "/v1/spaces", {"name": "Trip"})["id"])


def new_session(client: ApiClient, space_id: str) -> str:
    """A new session of that space."""
    return str(succeed(client, "POST", "/v1/sessions", {"space_id": space_id})["id"])


def commit(client: ApiClient, space_id: str, title: str = "Done", **fields: Any) -> Any:
    """A checkpoint of that space."""
    body = {"title": title, **fields}
    return succeed(client, "POST", f"/v1/spaces/{space_id}/checkpoints", body)


def mount(client: ApiClient, session_id: str, checkpoint_id: str) -> Any:
    """The session, with that checkpoint mounted."""
    body = {"checkpoint_id": checkpoint_id}
    return succeed(client, "PUT", f"/v1/sessions/{session_id}/mount", body)


def ask(client: ApiClient, session_id: str, content: str, **fields: Any) -> AnsweredQuestion:
    """A message that is answered, and the prompt that this took."""
    body = {"content": content, **fields}
    answer = succeed(client, "POST", f"/v1/sessions/{session_id}/messages", body)
    received = client.prompt(Kind.CHAT)
    receipt = succeed(client, "GET", f"/v1/turns/{answer['assistant_turn']['id']}/receipt")
    assert receipt["prompt_matches"] is True
    return AnsweredQuestion(answer, (receipt["prompt"], *([] if received is None else [received])))


def recall_text(client: ApiClient, question: str, session_id: str, scope: str) -> str:
    """Everything that recall gives for a question in a session, as one text."""
    where = f"session_id={session_id}&scope={scope}&limit=100"
    return json.dumps(succeed(client, "GET", f"/v1/recall?q={quote(question)}&{where}")["items"])
