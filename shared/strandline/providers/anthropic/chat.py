"""The Messages API.

Source: https://platform.claude.com/docs/en/api/messages
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from strandline.clock import Deadline
from strandline.errors import ModelReplyInvalid
from strandline.providers.anthropic.calls import send_request
from strandline.providers.base import Completion, Finish, Message, Schema, Usage
from strandline.providers.bounded_call import remaining_or_timeout
from strandline.providers.endpoint import Endpoint
from strandline.providers.message_alternation import SpeakerTurn, alternate_speakers
from strandline.providers.reply_checks import checked_completion, token_count, with_schema_in_prompt

if TYPE_CHECKING:
    from anthropic import Anthropic
    from anthropic._response import APIResponse

MAX_TOKENS = 8_192
"""The API wants a bound: more than a model says before any deadline here, less than each takes."""

_FINISH = {
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSAL,
}
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""The whole input is their sum; the first alone leaves out what was cached."""


class AnthropicChat:
    """A chat model of Anthropic's, or behind a gateway that speaks the Messages API."""

    def __init__(self, model: str, api_key: str, base_url: str = "") -> None:
        """Raises ModelNotConfigured for an unusable key or address. Nothing is sent."""
        self._model = model
        self._endpoint = Endpoint.of("ANTHROPIC", base_url, api_key)
        self._takes_format = True

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """The model's text blocks, joined. `model` is the one the server says answered.

        A schema goes out as `output_config.format`; a model that refuses that gets it in words,
        once more in the same call and from then on. Raises a ModelError.
        """

        def call(client: "Anthropic") -> "APIResponse[Any]":
            return self._create(client, messages, schema, deadline)

        return completion(send_request(self._endpoint, call, deadline), self._model)

    def _create(
        self,
        client: "Anthropic",
        messages: Sequence[Message],
        schema: Schema | None,
        deadline: Deadline,
    ) -> "APIResponse[Any]":
        if schema is None:
            return self._send(client, messages, deadline)
        from anthropic import BadRequestError  # noqa: PLC0415 - it costs seconds

        if self._takes_format:
            try:
                return self._send(client, messages, deadline, output_config=_format(schema))
            except BadRequestError:
                pass  # it may be the format: the API names no field, and only its words would tell
        answer = self._send(client, with_schema_in_prompt(messages, schema), deadline)
        self._takes_format = False
        return answer

    def _send(
        self, client: "Anthropic", messages: Sequence[Message], deadline: Deadline, **more: Any
    ) -> "APIResponse[Any]":
        told = alternate_speakers(messages)
        if told.system:
            more["system"] = told.system
        return client.messages.with_raw_response.create(
            model=self._model,
            max_tokens=MAX_TOKENS,
            messages=[_message(said) for said in told.said],
            timeout=remaining_or_timeout(deadline),
            **more,
        )


def completion(body: Mapping[str, Any], asked: str) -> Completion:
    """What a message says; `asked` is the model's name if it doesn't give one.

    Blocks of other kinds, thinking say, are passed over. Raises ModelReplyInvalid when there is
    no text, no refusal and no cut.
    """
    blocks = body.get("content")
    if not isinstance(blocks, list):
        raise ModelReplyInvalid
    finish = _FINISH.get(str(body.get("stop_reason")), Finish.STOP)
    text = "".join(_text(block) for block in blocks)
    if finish is Finish.REFUSAL and not text:
        text = _explanation(body.get("stop_details"))
    named = body.get("model")
    model = named if isinstance(named, str) and named else asked
    return checked_completion(
        Completion(text, "anthropic", model, finish, _usage(body.get("usage")))
    )


def _message(said: SpeakerTurn) -> Any:
    return {"role": said.role, "content": [{"type": "text", "text": text} for text in said.texts]}


def _format(schema: Schema) -> dict[str, Any]:
    """Structured output, by a schema that says in words what the API doesn't enforce."""
    from anthropic import transform_schema  # noqa: PLC0415 - it costs seconds

    definition = transform_schema(schema.definition)
    return {"format": {"type": "json_schema", "schema": definition}}


def _text(block: Any) -> str:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) else ""


def _explanation(details: Any) -> str:
    words = details.get("explanation") if isinstance(details, dict) else None
    return words if isinstance(words, str) else ""


def _usage(usage: Any) -> Usage:
    given = usage if isinstance(usage, dict) else {}
    parts = [token_count(given.get(name)) for name in _INPUT]
    whole = None if parts[0] is None else sum(part or 0 for part in parts)
    return Usage(whole, token_count(given.get("output_tokens")))
