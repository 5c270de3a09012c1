"""OpenRouter: many vendors' models behind one OpenAI-compatible address.

A provider of its own, so that a session can go from OpenAI to it and back.
Source: https://openrouter.ai/docs/api-reference/overview
"""

from strandline.providers.endpoint import Endpoint
from strandline.providers.openai.chat import OpenAIChat

BASE_URL = "https://openrouter.ai/api/v1"


def openrouter_chat(model: str, api_key: str, base_url: str = BASE_URL) -> OpenAIChat:
    """The chat model that OpenRouter names `vendor/model`. Raises ModelNotConfigured."""
    endpoint = Endpoint.of("OPENROUTER", base_url, api_key)
    return OpenAIChat(model, endpoint.api_key, endpoint.base_url, provider="openrouter")
