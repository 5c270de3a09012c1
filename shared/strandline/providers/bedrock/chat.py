"""Converse.

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
"""Without a bound, Bedrock takes the model's largest from the quota of each request."""

_FINISH = {
    "max_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "content_filtered": Finish.REFUSAL,
    "guardrail_intervened": Finish.REFUSAL,
}
_UNUSABLE = ("malformed_model_output", "malformed_tool_use")
_INPUT = ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
"""The whole input is their sum; the first alone leaves out what was cached."""


class BedrockChat:
    """A chat model, or an inference profile, on Bedrock."""

    def __init__(self, model: str, place: BedrockEndpoint | None = None) -> None:
        """Nothing is sent; credentials are looked for by the first call."""
        self._model = model
        self._place = place or BedrockEndpoint()
        self._takes_tool = True

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """The model's text blocks, joined; `model` is the one asked, for the reply names none.

        A schema goes out as the one tool that must be used, whose input is then the text; a model
        that refuses that gets it in words, once more in the same call and from then on. Raises a
        ModelError.
        """

        def call(client: Any) -> dict[str, Any]:
            return self._create(client, messages, schema, deadline)

        return completion(send_request(self._place, call, deadline), self._model)

    def _create(
        self, client: Any, messages: Sequence[Message], schema: Schema | None, deadline: Deadline
    ) -> dict[str, Any]:
        if schema is None:
            return self._send(client, messages, deadline)
        if self._takes_tool:
            try:
                return self._send(client, messages, deadline, toolConfig=_tool(schema))
            except client.exceptions.ClientError as error:
                if not is_validation_error(error):
                    raise
        answer = self._send(client, with_schema_in_prompt(messages, schema), deadline)
        self._takes_tool = False
        return answer

    def _send(
        self, client: Any, messages: Sequence[Message], deadline: Deadline, **more: Any
    ) -> dict[str, Any]:
        remaining_or_timeout(deadline)
        told = alternate_speakers(messages)
        if told.system:
            more["system"] = [{"text": told.system}]
        answer: dict[str, Any] = client.converse(
            modelId=self._model,
            messages=[_message(said) for said in told.said],
            inferenceConfig={"maxTokens": MAX_TOKENS},
            **more,
        )
        return answer


def completion(body: Mapping[str, Any], asked: str) -> Completion:
    """What Converse answered. Blocks of other kinds, reasoning say, are passed over.

    Raises ModelReplyInvalid when there is no text, no refusal and no cut.
    """
    stop = body.get("stopReason")
    if stop in _UNUSABLE:
        raise ModelReplyInvalid
    message = body.get("output", {}).get("message", {})
    text = _said(message.get("content", []))
    finish = _FINISH.get(str(stop), Finish.STOP)
    return checked_completion(
        Completion(text, "bedrock", asked, finish, _usage(body.get("usage", {})))
    )


def _message(said: SpeakerTurn) -> dict[str, Any]:
    return {"role": said.role, "content": [{"text": text} for text in said.texts]}


def _tool(schema: Schema) -> dict[str, Any]:
    described = {
        "name": schema.name,
        "description": "Takes the whole reply.",
        "inputSchema": {"json": schema.definition},
    }
    return {"tools": [{"toolSpec": described}], "toolChoice": {"tool": {"name": schema.name}}}


def _said(blocks: Sequence[Mapping[str, Any]]) -> str:
    """The tool's input where the tool was used, what the model said beside it left out."""
    inputs = [block["toolUse"].get("input") for block in blocks if "toolUse" in block]
    if inputs:
        return json.dumps(inputs[0], ensure_ascii=False)
    return "".join(block.get("text", "") for block in blocks)


def _usage(usage: Mapping[str, Any]) -> Usage:
    parts = [token_count(usage.get(name)) for name in _INPUT]
    whole = None if parts[0] is None else sum(part or 0 for part in parts)
    return Usage(whole, token_count(usage.get("outputTokens")))
