"""From a model's name to the model. Each provider is imported when it is first asked for."""

from collections.abc import Callable
from typing import TypedDict

from strandline.errors import ModelNotConfigured
from strandline.providers.base import ChatModel, Embedder
from strandline.settings import Settings

Key = Callable[[], str]
"""Fetches the OpenAI key; called only when an OpenAI model is made."""

_KNOWN = ("offline", "openai")
_OFFLINE_CHAT = "rules"
_OFFLINE_EMBEDDER = "minilm"


class ProviderStatus(TypedDict):
    """One provider as `GET /v1/providers` shows it: `slots` maps chat, background and embedding
    to the models of this provider that they use."""

    provider: str
    configured: bool
    reason: str
    slots: dict[str, str]


def split(name: str) -> tuple[str, str]:
    """Provider and model of `provider:model`; the model may hold colons and slashes itself.

    Raises ModelNotConfigured for a name of another form.
    """
    provider, _, model = name.partition(":")
    if not provider or not model or name != "".join(name.split()):
        raise ModelNotConfigured("A model is named provider:model.")
    return provider, model


def chat_model(name: str, settings: Settings, key: Key) -> ChatModel:
    """The chat model of that name. Raises ModelNotConfigured."""
    provider, model = split(name)
    if provider == "openai":
        from strandline.providers.openai.chat import OpenAIChat  # noqa: PLC0415 - if used

        return OpenAIChat(model, key(), settings.openai_base_url)
    if (provider, model) == ("offline", _OFFLINE_CHAT):
        from strandline.providers.offline import OfflineRules  # noqa: PLC0415 - only if it is used

        return OfflineRules()
    raise ModelNotConfigured


def embedder(name: str, settings: Settings, key: Key) -> Embedder:
    """The embedder of that name. Raises ModelNotConfigured."""
    provider, model = split(name)
    if provider == "openai":
        from strandline.providers.openai.embeddings import OpenAIEmbedder  # noqa: PLC0415 - numpy

        size = settings.embedding_dimensions
        return OpenAIEmbedder(model, size, key(), settings.openai_base_url)
    if (provider, model) == ("offline", _OFFLINE_EMBEDDER):
        from strandline.providers.minilm import MiniLM  # noqa: PLC0415 - it needs onnxruntime

        return MiniLM()
    raise ModelNotConfigured


def configured(settings: Settings) -> list[ProviderStatus]:
    """Every provider there is, whether it can be used as things are set, and what uses it."""
    return [_status(provider, settings) for provider in _KNOWN]


def _status(provider: str, settings: Settings) -> ProviderStatus:
    usable, reason = _openai(settings) if provider == "openai" else (True, "Needs no key.")
    names = {
        "chat": settings.chat_model,
        "background": settings.background_model,
        "embedding": settings.embedding_model,
    }
    slots = {slot: name for slot, name in names.items() if name.partition(":")[0] == provider}
    return {"provider": provider, "configured": usable, "reason": reason, "slots": slots}


def _openai(settings: Settings) -> tuple[bool, str]:
    """Says which of the settings decides, never what it holds."""
    if settings.openai_api_key:
        return True, "OPENAI_API_KEY is set."
    if settings.openai_api_key_parameter:
        return True, "OPENAI_API_KEY_PARAMETER names the key; it is read at the first call."
    if settings.openai_base_url:
        return True, "OPENAI_BASE_URL is set, without a key."
    return False, "Neither OPENAI_API_KEY, OPENAI_API_KEY_PARAMETER nor OPENAI_BASE_URL is set."
