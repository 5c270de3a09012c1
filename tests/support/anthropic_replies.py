"""What Anthropic's Messages API answers, in its own JSON, for the loopback server."""

from typing import Any

from tests.support.openai_server import Reply


def text(*blocks: str) -> list[dict[str, Any]]:
    """A content of text blocks."""
    return [{"type": "text", "text": block, "citations": None} for block in blocks]


def message(
    content: Any = None, stop: str | None = "end_turn", usage: Any = None, **more: Any
) -> Reply:
    """A message by the model `served-model`, with 7 tokens in and 3 out unless told otherwise."""
    return Reply(
        {
            "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
            "type": "message",
            "role": "assistant",
            "model": "served-model",
            "content": text("Hello.") if content is None else content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage
            or {
                "input_tokens": 7,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": 3,
                "service_tier": "standard",
            },
            **more,
        }
    )


def failure(status: int, kind: str, **headers: str) -> Reply:
    """An error the way Anthropic words it; its message quotes the request, as real ones do."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {
        "type": "error",
        "error": {"type": kind, "message": "LEAKED-BODY"},
        "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy",
    }
    return Reply(body, status=status, headers=named)
