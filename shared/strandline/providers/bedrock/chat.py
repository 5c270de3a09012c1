"""Chat models on Amazon Bedrock, through the Converse API.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from strandline.clock import Deadline
from strandline.errors import ModelReplyInvalid
from strandline.providers.base import Completion, Finish, Message, Schema, Usage
from strandline.providers.bedrock.calls import BedrockEndpoint, send_request
from strandline.providers.bedrock.errors import is_validation_error
from strandline.providers.bounded_call import remaining_or_timeout
from strandline.providers.message_alternation import SpeakerTurn, alternate_speakers
from strandline.providers.reply_checks import checked_completion, token_count, with_schema_in_prompt

MAX_TOKENS = 4_096
"""The most output tokens. Without it, Bedrock counts the model's maximum against the quota."""

_FINISH = {
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "content_filtered": Finish.REFUSAL,
    "guardrail_intervened": Finish.REFUSAL,
}
_UNUSABLE = ("malformed_model_output", "malformed_tool_use")
_INPUT = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
"""The input's tokens are their sum: the first alone leaves out cached tokens."""


class BedrockChat:
    """A chat model, or an inference profile, on Amazon Bedrock."""

    def __init__(self, model: str, endpoint: BedrockEndpoint | None = None) -> None:
        """Sends nothing. The first call looks up the credentials."""
        self._model = model
        self._endpoint = endpoint or BedrockEndpoint()
        self._accepts_tool = True

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """Returns the model's text blocks, joined. Its `model` is the requested one.

        A schema is sent as a tool that the model must use; the tool's input is then the text. If
        the model refuses the tool, the request is repeated with the schema in the prompt, as are
        all later ones. Raises a ModelError.
        """

        def call(client: Any) -> dict[str, Any]:
            return self._create(client, messages, schema, deadline)

        return completion(send_request(self._endpoint, call, deadline), self._model)

    def _create(
        self, client: Any, messages: Sequence[Message], schema: Schema | None, deadline: Deadline
    ) -> dict[str, Any]:
        if schema is None:
            return self._send(client, messages, deadline)
        if self._accepts_tool:
            try:
                return self._send(client, messages, deadline, toolConfig=_tool(schema))
            except client.exceptions.ClientError as error:
                if not is_validation_error(error):
                    raise
        answer = self._send(client, with_schema_in_prompt(messages, schema), deadline)
        self._accepts_tool = False
        return answer

    def _send(
        self, client: Any, messages: Sequence[Message], deadline: Deadline, **options: Any
    ) -> dict[str, Any]:
        remaining_or_timeout(deadline)
        conversation = alternate_speakers(messages)
        if conversation.system:
            options["system"] = [{"text": conversation.system}]
        answer: dict[str, Any] = client.converse(
            modelId=self._model,
            messages=[_message(turn) for turn in conversation.turns],
            inferenceConfig={"maxTokens": MAX_TOKENS},
            **options,
        )
        return answer


def completion(body: Mapping[str, Any], model: str) -> Completion:
    """Returns the completion in a reply of Converse; blocks that aren't text are ignored.

    `model` is the requested model, which the reply doesn't name. Raises ModelReplyInvalid for an
    empty reply that is neither a refusal nor truncated.
    """
    stop = body.get("stopReason")
    if stop in _UNUSABLE:
        raise ModelReplyInvalid
    message = body.get("output", {}).get("message", {})
    text = _reply_text(message.get("content", []))
    finish = _FINISH.get(str(stop), Finish.STOP)
    return checked_completion(
        Completion(text, "bedrock", model, finish, _usage(body.get("usage", {})))
    )


def _message(turn: SpeakerTurn) -> dict[str, Any]:
    return {"role": turn.role, "content": [{"text": text} for text in turn.texts]}


def _tool(schema: Schema) -> dict[str, Any]:
    described = {
        "name": schema.name,
        "description": "Takes the whole reply.",
        "inputSchema": {"json": schema.definition},
    }
    return {"tools": [{"toolSpec": described}], "toolChoice": {"tool": {"name": schema.name}}}


def _reply_text(blocks: Sequence[Mapping[str, Any]]) -> str:
    """Returns the tool's input if the tool was used, else the joined text blocks."""
    inputs = [block["toolUse"].get("input") for block in blocks if "toolUse" in block]
    if inputs:
        return json.dumps(inputs[0], ensure_ascii=False)
    return "".join(block.get("text", "") for block in blocks)


def _usage(usage: Mapping[str, Any]) -> Usage:
    parts = [token_count(usage.get(name)) for name in _INPUT]
    total = None if parts[0] is None else sum(part or 0 for part in parts)
    return Usage(total, token_count(usage.get("outputTokens")))
