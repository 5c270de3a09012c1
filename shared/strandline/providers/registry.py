"""Makes models from their names. Each provider is imported when it is first used."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import TypedDict

from strandline.errors import ModelNotConfigured
from strandline.providers.base import ChatModel, Embedder
from strandline.settings import Settings

ApiKeyLookup = Callable[[str], str]
"""Returns the API key of a provider. Called only when a model that needs a key is made."""

_PROVIDERS = ("offline", "openai", "openrouter", "anthropic", "bedrock")
_OFFLINE_CHAT = "rules"
_OFFLINE_EMBEDDER = "minilm"
_NO_SDK = "The anthropic package is not installed (docs/providers.md says how it gets in)."
_NO_BEDROCK = "BEDROCK_MODELS is empty."


class ProviderStatus(TypedDict):
    """One provider as `GET /v1/providers` shows it.

    `slots` maps the slots chat, background and embedding to their models, as far as these are
    models of this provider.
    """

    provider: str
    configured: bool
    reason: str
    slots: dict[str, str]


def split_model_name(name: str) -> tuple[str, str]:
    """Returns provider and model of `provider:model`. The model may hold colons and slashes.

    Raises ModelNotConfigured for any other form.
    """
    provider, _, model = name.partition(":")
    if not provider or not model or name != "".join(name.split()):
        raise ModelNotConfigured("A model is named provider:model.")
    return provider, model


def chat_model(name: str, settings: Settings, api_key: ApiKeyLookup) -> ChatModel:
    """Returns the chat model of a `provider:model` name.

    Raises ModelNotConfigured for an unknown provider, and for one without its key or package.
    """
    provider, model = split_model_name(name)
    factories: dict[str, Callable[[str, Settings, ApiKeyLookup], ChatModel]] = {
        "openai": _openai_chat,
        "openrouter": _openrouter_chat,
        "anthropic": _anthropic_chat,
        "bedrock": _bedrock_chat,
        "offline": _offline_chat,
    }
    if provider not in factories:
        raise ModelNotConfigured
    return factories[provider](model, settings, api_key)


def embedder(name: str, settings: Settings, api_key: ApiKeyLookup) -> Embedder:
    """Returns the embedder of a `provider:model` name. Raises ModelNotConfigured likewise."""
    provider, model = split_model_name(name)
    size = settings.embedding_dimensions
    if provider == "openai":
        from strandline.providers.openai.embeddings import OpenAIEmbedder  # noqa: PLC0415 - numpy

        return OpenAIEmbedder(model, size, api_key("openai"), settings.openai_base_url)
    if provider == "bedrock" and settings.bedrock_models:
        from strandline.providers.bedrock.calls import BedrockEndpoint  # noqa: PLC0415 - if used
        from strandline.providers.bedrock.embeddings import BedrockEmbedder  # noqa: PLC0415 - numpy

        return BedrockEmbedder(model, size, BedrockEndpoint(settings.bedrock_region))
    if (provider, model) == ("offline", _OFFLINE_EMBEDDER):
        from strandline.providers.minilm import MiniLMEmbedder  # noqa: PLC0415 - it needs onnxruntime

        return MiniLMEmbedder()
    raise ModelNotConfigured


def provider_statuses(settings: Settings) -> list[ProviderStatus]:
    """Returns every known provider, whether the settings configure it, and which slots use it."""
    return [_status(provider, settings) for provider in _PROVIDERS]


def _openai_chat(model: str, settings: Settings, api_key: ApiKeyLookup) -> ChatModel:
    from strandline.providers.openai.chat import OpenAIChat  # noqa: PLC0415 - only if it is used

    return OpenAIChat(model, api_key("openai"), settings.openai_base_url)


def _openrouter_chat(model: str, _settings: Settings, api_key: ApiKeyLookup) -> ChatModel:
    from strandline.providers.openrouter import openrouter_chat  # noqa: PLC0415 - only if used

    return openrouter_chat(model, api_key("openrouter"))


def _anthropic_chat(model: str, settings: Settings, api_key: ApiKeyLookup) -> ChatModel:
    if not _installed("anthropic"):
        raise ModelNotConfigured(_NO_SDK)
    from strandline.providers.anthropic.chat import AnthropicChat  # noqa: PLC0415 - only if used

    return AnthropicChat(model, api_key("anthropic"), settings.anthropic_base_url)


def _bedrock_chat(model: str, settings: Settings, _api_key: ApiKeyLookup) -> ChatModel:
    if not settings.bedrock_models:
        raise ModelNotConfigured(_NO_BEDROCK)
    from strandline.providers.bedrock.calls import BedrockEndpoint  # noqa: PLC0415 - only if it is used
    from strandline.providers.bedrock.chat import BedrockChat  # noqa: PLC0415 - only if it is used

    return BedrockChat(model, BedrockEndpoint(settings.bedrock_region))


def _offline_chat(model: str, _settings: Settings, _api_key: ApiKeyLookup) -> ChatModel:
    if model != _OFFLINE_CHAT:
        raise ModelNotConfigured
    from strandline.providers.offline import OfflineRules  # noqa: PLC0415 - only if it is used

    return OfflineRules()


def _status(provider: str, settings: Settings) -> ProviderStatus:
    usable, reason = _configuration(provider, settings)
    names = {
        "chat": settings.chat_model,
        "background": settings.background_model,
        "embedding": settings.embedding_model,
    }
    slots = {slot: name for slot, name in names.items() if name.partition(":")[0] == provider}
    return {"provider": provider, "configured": usable, "reason": reason, "slots": slots}


def _configuration(provider: str, settings: Settings) -> tuple[bool, str]:
    """Returns whether a provider is configured and why: a setting's name, never its value."""
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
    return _key_configuration(provider, settings)


def _key_configuration(provider: str, settings: Settings) -> tuple[bool, str]:
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
