"""From names to models."""

import subprocess
import sys

import pytest

from strandline.errors import ModelNotConfigured
from strandline.providers import registry
from strandline.providers.bedrock.chat import BedrockChat
from strandline.providers.minilm import MiniLMEmbedder
from strandline.providers.offline import OfflineRules
from strandline.providers.openai.chat import OpenAIChat
from strandline.providers.openai.embeddings import OpenAIEmbedder
from strandline.settings import Settings


def no_key(provider: str) -> str:
    return ""


def never(provider: str) -> str:
    raise AssertionError("the key was fetched")


def a_key(provider: str) -> str:
    return f"key-of-{provider}"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("openai:gpt-4o-mini", ("openai", "gpt-4o-mini")),
        ("openai:meta-llama/llama-3:70b", ("openai", "meta-llama/llama-3:70b")),
        ("offline:rules", ("offline", "rules")),
    ],
)
def test_the_first_colon_parts_provider_and_model(name: str, parts: tuple[str, str]) -> None:
    """A model's own name may hold colons and slashes."""
    assert registry.split_model_name(name) == parts


@pytest.mark.parametrize("name", ["", ":", "openai", "openai:", ":m", " openai:m", "openai:m x"])
def test_a_name_of_another_form_names_no_model(name: str) -> None:
    """A provider and a model are both needed, without blanks."""
    with pytest.raises(ModelNotConfigured):
        registry.split_model_name(name)


@pytest.mark.parametrize(
    "name", ["mistral:m", "bedrock:x", "offline:other", "OPENAI:m", "offline:minilm", "junk"]
)
def test_an_unknown_chat_model_is_not_configured(name: str) -> None:
    """Nothing is guessed, and no key is fetched for it."""
    with pytest.raises(ModelNotConfigured):
        registry.chat_model(name, Settings(), never)


@pytest.mark.parametrize(
    "name", ["anthropic:e", "openrouter:e", "bedrock:amazon.titan-embed-text-v2:0", "minilm", ""]
)
def test_an_unknown_embedder_is_not_configured(name: str) -> None:
    """Nothing is guessed, and no key is fetched for it."""
    with pytest.raises(ModelNotConfigured):
        registry.embedder(name, Settings(), never)


def test_offline_models_fetch_no_key() -> None:
    """The embedded defaults work without any secret."""
    assert isinstance(registry.chat_model("offline:rules", Settings(), never), OfflineRules)
    assert isinstance(registry.embedder("offline:minilm", Settings(), never), MiniLMEmbedder)


def test_openai_models_need_a_key_or_an_address() -> None:
    """A key or a base URL makes the model; with neither it is not configured."""
    with pytest.raises(ModelNotConfigured):
        registry.chat_model("openai:m", Settings(), no_key)
    with pytest.raises(ModelNotConfigured):
        registry.embedder("openai:m", Settings(), no_key)
    local = Settings(openai_base_url="http://127.0.0.1:1/v1")
    assert isinstance(registry.chat_model("openai:m", local, no_key), OpenAIChat)
    model = registry.embedder("openai:text-embedding-3-small", Settings(), a_key)
    assert isinstance(model, OpenAIEmbedder)
    assert model.space.name == "openai:text-embedding-3-small@512"


@pytest.mark.parametrize("name", ["openrouter:vendor/model", "anthropic:claude-haiku-4-5"])
def test_a_provider_with_keys_alone_needs_its_own(name: str) -> None:
    """Without a key there is no model, and what is missing is named; each asks for its own."""
    provider = registry.split_model_name(name)[0]
    with pytest.raises(ModelNotConfigured, match=f"{provider.upper()}_API_KEY"):
        registry.chat_model(name, Settings(), no_key)
    asked: list[str] = []
    registry.chat_model(name, Settings(), lambda provider: asked.append(provider) or "key")
    assert asked == [provider]


def test_bedrock_needs_models_and_no_key() -> None:
    """BEDROCK_MODELS opens it, as it opens IAM; AWS's own credentials are its key."""
    settings = Settings(bedrock_models="arn:aws:bedrock:eu-west-1::foundation-model/x")
    assert isinstance(registry.chat_model("bedrock:vendor.m-v1:0", settings, never), BedrockChat)
    model = registry.embedder("bedrock:amazon.titan-embed-text-v2:0", settings, never)
    assert model.space.name == "bedrock:amazon.titan-embed-text-v2:0@512"
    with pytest.raises(ModelNotConfigured):
        registry.embedder("bedrock:vendor.m-v1:0", settings, never)


def test_without_its_sdk_anthropic_is_not_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer built without the extra says so, whatever key there is, and asks for none."""
    monkeypatch.setattr(registry, "find_spec", lambda package: None)
    with pytest.raises(ModelNotConfigured, match="package is not installed"):
        registry.chat_model("anthropic:claude-haiku-4-5", Settings(), never)
    status = told(Settings(anthropic_api_key="sk-SECRET"))["anthropic"]
    assert not status["configured"]
    assert status["reason"].startswith("The anthropic package is not installed")


def told(settings: Settings) -> dict[str, registry.ProviderStatus]:
    return {status["provider"]: status for status in registry.provider_statuses(settings)}


@pytest.mark.parametrize(
    ("provider", "settings", "usable", "reason"),
    [
        ("openai", {}, False, "Neither OPENAI_API_KEY, OPENAI_API_KEY_PARAMETER nor OPENAI_BASE"),
        ("openai", {"openai_api_key": "sk-SECRET"}, True, "OPENAI_API_KEY is set"),
        ("openai", {"openai_api_key_parameter": "/secret/n"}, True, "OPENAI_API_KEY_PARAMETER"),
        ("openai", {"openai_base_url": "http://secret.local/v1"}, True, "OPENAI_BASE_URL"),
        ("openrouter", {}, False, "Neither OPENROUTER_API_KEY nor OPENROUTER_API_KEY_PARAMETER"),
        ("openrouter", {"openrouter_api_key": "sk-SECRET"}, True, "OPENROUTER_API_KEY is set"),
        ("anthropic", {}, False, "Neither ANTHROPIC_API_KEY nor ANTHROPIC_API_KEY_PARAMETER"),
        ("anthropic", {"anthropic_base_url": "http://secret.local"}, False, "Neither ANTHROPIC"),
        ("anthropic", {"anthropic_api_key_parameter": "/secret/n"}, True, "ANTHROPIC_API_KEY_PAR"),
        ("bedrock", {}, False, "BEDROCK_MODELS is empty"),
        ("bedrock", {"bedrock_models": "arn:secret"}, True, "BEDROCK_MODELS names"),
        ("offline", {}, True, "Needs no key"),
    ],
)
def test_the_list_says_what_is_configured_and_no_secret(
    provider: str, settings: dict[str, str], usable: bool, reason: str
) -> None:
    """The reason names settings, never their values; what one provider has is no other's."""
    everything = told(Settings(**settings))
    assert list(everything) == ["offline", "openai", "openrouter", "anthropic", "bedrock"]
    assert everything[provider]["configured"] is usable
    assert everything[provider]["reason"].startswith(reason)
    assert "secret" not in str(everything).lower()
    others = {name for name, status in everything.items() if status["configured"]}
    assert others - {provider} <= {"offline"}


def test_the_list_says_which_slot_uses_what() -> None:
    """Each provider shows the slots that name it."""
    mixed = Settings(chat_model="anthropic:a-b", background_model="openrouter:a/b:c")
    slots = {name: status["slots"] for name, status in told(mixed).items() if status["slots"]}
    assert slots == {
        "offline": {"embedding": "offline:minilm"},
        "openrouter": {"background": "openrouter:a/b:c"},
        "anthropic": {"chat": "anthropic:a-b"},
    }


def test_making_models_imports_no_sdk_and_no_onnxruntime() -> None:
    """They are loaded by the first call."""
    code = (
        "import sys\n"
        "from strandline.providers import registry\n"
        "from strandline.settings import Settings\n"
        "settings = Settings(bedrock_models='arn')\n"
        "for p in ('openai', 'openrouter', 'anthropic', 'bedrock'):\n"
        "    registry.chat_model(p + ':m', settings, lambda provider: 'k')\n"
        "registry.embedder('bedrock:cohere.embed-english-v3', settings, lambda provider: 'k')\n"
        "registry.embedder('openai:m', Settings(), lambda provider: 'k')\n"
        "registry.embedder('offline:minilm', Settings(), lambda provider: 'k')\n"
        "late = ('openai', 'anthropic', 'boto3', 'botocore', 'onnxruntime', 'tokenizers')\n"
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
