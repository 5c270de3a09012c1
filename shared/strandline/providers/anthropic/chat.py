"""Chat models of Anthropic, through the Messages API.

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
"""The most output tokens, which the API requires.

More than a model writes before any deadline here, and less than every model's maximum.
"""

_FINISH = {
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "refusal": Finish.REFUSAL,
}
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""The input's tokens are their sum: the first alone leaves out cached tokens."""


class AnthropicChat:
    """A chat model of Anthropic, or of a gateway with the same Messages API."""

    def __init__(self, model: str, api_key: str, base_url: str = "") -> None:
        """Sends nothing. Raises ModelNotConfigured for an unusable key or address."""
        self._model = model
        self._endpoint = Endpoint.of("ANTHROPIC", base_url, api_key)
        self._accepts_format = True

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """Returns the model's text blocks, joined. Its `model` is the one the server names.

        A schema is sent as `output_config.format`. If the model refuses it, the request is
        repeated with the schema in the prompt, as are all later ones. Raises a ModelError.
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

        if self._accepts_format:
            try:
                return self._send(client, messages, deadline, output_config=_format(schema))
            except BadRequestError:
                pass  # The format may be the reason: the error names no field.
        answer = self._send(client, with_schema_in_prompt(messages, schema), deadline)
        self._accepts_format = False
        return answer

    def _send(
        self, client: "Anthropic", messages: Sequence[Message], deadline: Deadline, **options: Any
    ) -> "APIResponse[Any]":
        conversation = alternate_speakers(messages)
        if conversation.system:
            options["system"] = conversation.system
        return client.messages.with_raw_response.create(
            model=self._model,
            max_tokens=MAX_TOKENS,
            messages=[_message(turn) for turn in conversation.turns],
            timeout=remaining_or_timeout(deadline),
            **options,
        )


def completion(body: Mapping[str, Any], requested: str) -> Completion:
    """Returns the completion in a reply; blocks that aren't text are ignored.

    `requested` is the model's name if the reply has none. Raises ModelReplyInvalid for an empty
    reply that is neither a refusal nor truncated.
    """
    blocks = body.get("content")
    if not isinstance(blocks, list):
        raise ModelReplyInvalid
    finish = _FINISH.get(str(body.get("stop_reason")), Finish.STOP)
    text = "".join(_text(block) for block in blocks)
    if finish is Finish.REFUSAL and not text:
        text = _explanation(body.get("stop_details"))
    named = body.get("model")
    model = named if isinstance(named, str) and named else requested
    return checked_completion(
        Completion(text, "anthropic", model, finish, _usage(body.get("usage")))
    )


def _message(turn: SpeakerTurn) -> Any:
    return {"role": turn.role, "content": [{"type": "text", "text": text} for text in turn.texts]}


def _format(schema: Schema) -> dict[str, Any]:
    """Returns the structured output format; the SDK moves unsupported keywords to descriptions."""
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
    total = None if parts[0] is None else sum(part or 0 for part in parts)
    return Usage(total, token_count(given.get("output_tokens")))
