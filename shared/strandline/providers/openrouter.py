"""OpenRouter: models of many vendors behind one OpenAI-compatible API.

It is a separate provider, so that a session can switch between OpenAI and OpenRouter.
Source: https://openrouter.ai/docs/api-reference/overview
"""

from strandline.providers.endpoint import Endpoint
from strandline.providers.openai.chat import OpenAIChat

BASE_URL = "https://openrouter.ai/api/v1"


def openrouter_chat(model: str, api_key: str, base_url: str = BASE_URL) -> OpenAIChat:
    """Returns the chat model that OpenRouter names `vendor/model`.

    Raises ModelNotConfigured for an unusable key or address.
    """
    endpoint = Endpoint.of("OPENROUTER", base_url, api_key)
    return OpenAIChat(model, endpoint.api_key, endpoint.base_url, provider="openrouter")
