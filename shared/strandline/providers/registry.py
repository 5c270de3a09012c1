"""From a model's name to the model. Each provider is imported when it is first asked for."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import TypedDict

from strandline.errors import ModelNotConfigured
from strandline.providers.base import ChatModel, Embedder
from strandline.settings import Settings

ApiKeyLookup = Callable[[str], str]
"""Fetches a provider's key; called only when a model of a provider with a key is made."""

_KNOWN = ("offline", "openai", "openrouter", "anthropic", "bedrock")
_OFFLINE_CHAT = "rules"
_OFFLINE_EMBEDDER = "minilm"
_NO_SDK = "The anthropic package is not installed (docs/providers.md says how it gets in)."
_NO_BEDROCK = "BEDROCK_MODELS is empty."


class ProviderStatus(TypedDict):
    """One provider as `GET /v1/providers` shows it: `slots` maps chat, background and embedding
    to the models of this provider that they use."""

    provider: str
    configured: bool
    reason: str
    slots: dict[str, str]


def split_model_name(name: str) -> tuple[str, str]:
    """Provider and model of `provider:model`; the model may hold colons and slashes itself.

    Raises ModelNotConfigured for a name of another form.
    """
    provider, _, model = name.partition(":")
    if not provider or not model or name != "".join(name.split()):
        raise ModelNotConfigured("A model is named provider:model.")
    return provider, model


def chat_model(name: str, settings: Settings, keys: ApiKeyLookup) -> ChatModel:
    """The chat model of that name. Raises ModelNotConfigured."""
    provider, model = split_model_name(name)
    makers: dict[str, Callable[[str, Settings, ApiKeyLookup], ChatModel]] = {
        "openai": _openai_chat,
        "openrouter": _openrouter_chat,
        "anthropic": _anthropic_chat,
        "bedrock": _bedrock_chat,
        "offline": _offline_chat,
    }
    if provider not in makers:
        raise ModelNotConfigured
    return makers[provider](model, settings, keys)


def embedder(name: str, settings: Settings, keys: ApiKeyLookup) -> Embedder:
    """The embedder of that name. Raises ModelNotConfigured."""
    provider, model = split_model_name(name)
    size = settings.embedding_dimensions
    if provider == "openai":
        from strandline.providers.openai.embeddings import OpenAIEmbedder  # noqa: PLC0415 - numpy

        return OpenAIEmbedder(model, size, keys("openai"), settings.openai_base_url)
    if provider == "bedrock" and settings.bedrock_models:
        from strandline.providers.bedrock.calls import BedrockEndpoint  # noqa: PLC0415 - if used
        from strandline.providers.bedrock.embeddings import BedrockEmbedder  # noqa: PLC0415 - numpy

        return BedrockEmbedder(model, size, BedrockEndpoint(settings.bedrock_region))
    if (provider, model) == ("offline", _OFFLINE_EMBEDDER):
        from strandline.providers.minilm import MiniLMEmbedder  # noqa: PLC0415 - it needs onnxruntime

        return MiniLMEmbedder()
    raise ModelNotConfigured


def provider_statuses(settings: Settings) -> list[ProviderStatus]:
    """Every provider there is, whether it can be used as things are set, and what uses it."""
    return [_status(provider, settings) for provider in _KNOWN]


def _openai_chat(model: str, settings: Settings, keys: ApiKeyLookup) -> ChatModel:
    from strandline.providers.openai.chat import OpenAIChat  # noqa: PLC0415 - only if it is used

    return OpenAIChat(model, keys("openai"), settings.openai_base_url)


def _openrouter_chat(model: str, _settings: Settings, keys: ApiKeyLookup) -> ChatModel:
    from strandline.providers.openrouter import openrouter_chat  # noqa: PLC0415 - only if used

    return openrouter_chat(model, keys("openrouter"))


def _anthropic_chat(model: str, settings: Settings, keys: ApiKeyLookup) -> ChatModel:
    if not _installed("anthropic"):
        raise ModelNotConfigured(_NO_SDK)
    from strandline.providers.anthropic.chat import AnthropicChat  # noqa: PLC0415 - only if used

    return AnthropicChat(model, keys("anthropic"), settings.anthropic_base_url)


def _bedrock_chat(model: str, settings: Settings, _keys: ApiKeyLookup) -> ChatModel:
    if not settings.bedrock_models:
        raise ModelNotConfigured(_NO_BEDROCK)
    from strandline.providers.bedrock.calls import BedrockEndpoint  # noqa: PLC0415 - only if it is used
    from strandline.providers.bedrock.chat import BedrockChat  # noqa: PLC0415 - only if it is used

    return BedrockChat(model, BedrockEndpoint(settings.bedrock_region))


def _offline_chat(model: str, _settings: Settings, _keys: ApiKeyLookup) -> ChatModel:
    if model != _OFFLINE_CHAT:
        raise ModelNotConfigured
    from strandline.providers.offline import OfflineRules  # noqa: PLC0415 - only if it is used

    return OfflineRules()


def _status(provider: str, settings: Settings) -> ProviderStatus:
    usable, reason = _usable(provider, settings)
    names = {
        "chat": settings.chat_model,
        "background": settings.background_model,
        "embedding": settings.embedding_model,
    }
    slots = {slot: name for slot, name in names.items() if name.partition(":")[0] == provider}
    return {"provider": provider, "configured": usable, "reason": reason, "slots": slots}


def _usable(provider: str, settings: Settings) -> tuple[bool, str]:
    """Says which of the settings decides, never what it holds."""
    match provider:
        case "offline":
            return True, "Needs no key."
        case "bedrock":
            return bool(settings.bedrock_models), (
                "BEDROCK_MODELS names what may be called."
                if settings.bedrock_models
                else _NO_BEDROCK
            )
        case "anthropic" if not _installed("anthropic"):
            return False, _NO_SDK
        case "openai" if settings.openai_base_url and not _has_key(provider, settings):
            return True, "OPENAI_BASE_URL is set, without a key."
    return _keyed(provider, settings)


def _keyed(provider: str, settings: Settings) -> tuple[bool, str]:
    name = f"{provider.upper()}_API_KEY"
    if settings.api_key(provider):
        return True, f"{name} is set."
    if settings.api_key_parameter(provider):
        return True, f"{name}_PARAMETER names the key; it is read at the first call."
    if provider == "openai":
        return False, f"Neither {name}, {name}_PARAMETER nor OPENAI_BASE_URL is set."
    return False, f"Neither {name} nor {name}_PARAMETER is set."


def _has_key(provider: str, settings: Settings) -> bool:
    return bool(settings.api_key(provider) or settings.api_key_parameter(provider))


def _installed(package: str) -> bool:
    return find_spec(package) is not None
