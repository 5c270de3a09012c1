"""Chat models behind OpenAI's Chat Completions API.

Source: https://platform.openai.com/docs/api-reference/chat
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from strandline.clock import Deadline
from strandline.providers.base import Completion, Finish, Message, Schema, Usage
from strandline.providers.bounded_call import remaining_or_timeout
from strandline.providers.openai.calls import openai_endpoint, send_request
from strandline.providers.openai.errors import error_from_body, may_reject_response_format
from strandline.providers.openai.strict import fits_strict_mode
from strandline.providers.reply_checks import checked_completion, token_count, with_schema_in_prompt

if TYPE_CHECKING:
    from openai import OpenAI
    from openai._legacy_response import LegacyAPIResponse


class OpenAIChat:
    """A chat model behind an OpenAI-compatible server. Its completions name `provider`."""

    def __init__(
        self, model: str, api_key: str, base_url: str = "", *, provider: str = "openai"
    ) -> None:
        """Sends nothing. Raises ModelNotConfigured for an unusable key or address."""
        self._model = model
        self._provider = provider
        self._endpoint = openai_endpoint(base_url, api_key)
        self._accepts_format = True

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """Returns the server's reply, its text unchanged. Its `model` is the one the server names.

        A schema is sent as `response_format`. If the server refuses it, the request is repeated
        with the schema in the prompt, as are all later ones. Raises a ModelError.
        """

        def call(client: "OpenAI") -> "LegacyAPIResponse[Any]":
            return self._create(client, messages, schema, deadline)

        return completion(send_request(self._endpoint, call, deadline), self._provider, self._model)

    def _create(
        self,
        client: "OpenAI",
        messages: Sequence[Message],
        schema: Schema | None,
        deadline: Deadline,
    ) -> "LegacyAPIResponse[Any]":
        if schema is None:
            return self._send(client, messages, deadline)
        from openai import (  # noqa: PLC0415 - it costs 0.6 s and more
            BadRequestError,
            UnprocessableEntityError,
        )

        if self._accepts_format:
            try:
                return self._send(client, messages, deadline, response_format=_format(schema))
            except (BadRequestError, UnprocessableEntityError) as error:
                if not may_reject_response_format(error):
                    raise
        answer = self._send(client, with_schema_in_prompt(messages, schema), deadline)
        self._accepts_format = False
        return answer

    def _send(
        self, client: "OpenAI", messages: Sequence[Message], deadline: Deadline, **options: Any
    ) -> "LegacyAPIResponse[Any]":
        sent: Any = [{"role": message.role, "content": message.content} for message in messages]
        return client.chat.completions.with_raw_response.create(
            model=self._model, messages=sent, timeout=remaining_or_timeout(deadline), **options
        )


def completion(body: dict[str, Any], provider: str, requested: str) -> Completion:
    """Returns the completion in a chat completion object.

    `requested` is the model's name if the object has none. Raises ModelReplyInvalid for an empty
    reply that is neither a refusal nor truncated, and the ModelError of an `error` in place of
    choices or, as OpenRouter sends it, in a choice.
    """
    choice = _first(body.get("choices"))
    if choice is None:
        raise error_from_body(body)
    if choice.get("error"):
        raise error_from_body(choice)
    message = choice.get("message")
    text, refusal = _text_and_refusal(message if isinstance(message, dict) else {})
    finish = _finish(choice.get("finish_reason"), refusal)
    named = body.get("model")
    return checked_completion(
        Completion(
            text=refusal or text,
            provider=provider,
            model=named if isinstance(named, str) and named else requested,
            finish=finish,
            usage=_usage(body.get("usage")),
        )
    )


def _first(choices: Any) -> dict[str, Any] | None:
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _text_and_refusal(message: dict[str, Any]) -> tuple[str, str]:
    """Returns a message's text and refusal; its content is a string or a list of parts."""
    content, refusal = message.get("content"), message.get("refusal")
    parts = content if isinstance(content, list) else [content]
    text = "".join(_part(part, "text") for part in parts)
    refused = refusal if isinstance(refusal, str) else ""
    return text, refused or "".join(_part(part, "refusal") for part in parts)


def _part(part: Any, name: str) -> str:
    if isinstance(part, str):
        return part if name == "text" else ""
    value = part.get(name) if isinstance(part, dict) else None
    return value if isinstance(value, str) else ""


def _finish(reason: Any, refusal: str) -> Finish:
    if refusal or reason == "content_filter":
        return Finish.REFUSAL
    return Finish.LENGTH if reason == "length" else Finish.STOP


def _usage(usage: Any) -> Usage:
    given = usage if isinstance(usage, dict) else {}
    return Usage(
        token_count(given.get("prompt_tokens")), token_count(given.get("completion_tokens"))
    )


def _format(schema: Schema) -> dict[str, Any]:
    described = {
        "name": schema.name,
        "schema": schema.definition,
        "strict": fits_strict_mode(schema.definition),
    }
    return {"type": "json_schema", "json_schema": described}
