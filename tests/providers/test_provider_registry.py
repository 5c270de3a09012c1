"""From names to models."""

import subprocess
import sys

import pytest

from strandline.errors import ModelNotConfigured
from strandline.providers import registry
from strandline.providers.minilm import MiniLM
from strandline.providers.offline import OfflineRules
from strandline.providers.openai.chat import OpenAIChat
from strandline.providers.openai.embeddings import OpenAIEmbedder
from strandline.settings import Settings


def no_key() -> str:
    return ""


def never() -> str:
    raise AssertionError("the key was fetched")


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
    assert registry.split(name) == parts


@pytest.mark.parametrize("name", ["", ":", "openai", "openai:", ":m", " openai:m", "openai:m x"])
def test_a_name_of_another_form_names_no_model(name: str) -> None:
    """A provider and a model are both needed, without blanks."""
    with pytest.raises(ModelNotConfigured):
        registry.split(name)


@pytest.mark.parametrize(
    "name", ["anthropic:claude", "bedrock:x", "offline:other", "OPENAI:m", "offline:minilm", "junk"]
)
def test_an_unknown_chat_model_is_not_configured(name: str) -> None:
    """Nothing is guessed, and no key is fetched for it."""
    with pytest.raises(ModelNotConfigured):
        registry.chat_model(name, Settings(), never)


@pytest.mark.parametrize("name", ["anthropic:e", "offline:rules", "minilm", ""])
def test_an_unknown_embedder_is_not_configured(name: str) -> None:
    """Nothing is guessed, and no key is fetched for it."""
    with pytest.raises(ModelNotConfigured):
        registry.embedder(name, Settings(), never)


def test_offline_models_fetch_no_key() -> None:
    """The embedded defaults work without any secret."""
    assert isinstance(registry.chat_model("offline:rules", Settings(), never), OfflineRules)
    assert isinstance(registry.embedder("offline:minilm", Settings(), never), MiniLM)


def test_openai_models_need_a_key_or_an_address() -> None:
    """A key or a base URL makes the model; with neither it is not configured."""
    with pytest.raises(ModelNotConfigured):
        registry.chat_model("openai:m", Settings(), no_key)
    with pytest.raises(ModelNotConfigured):
        registry.embedder("openai:m", Settings(), no_key)
    local = Settings(openai_base_url="http://127.0.0.1:1/v1")
    assert isinstance(registry.chat_model("openai:m", local, no_key), OpenAIChat)
    model = registry.embedder("openai:text-embedding-3-small", Settings(), lambda: "sk-x")
    assert isinstance(model, OpenAIEmbedder)
    assert model.space.name == "openai:text-embedding-3-small@512"


@pytest.mark.parametrize(
    ("settings", "usable", "reason"),
    [
        (Settings(), False, "Neither"),
        (Settings(openai_api_key="sk-SECRET"), True, "OPENAI_API_KEY is set"),
        (Settings(openai_api_key_parameter="/secret/name"), True, "OPENAI_API_KEY_PARAMETER"),
        (Settings(openai_base_url="http://secret.local/v1"), True, "OPENAI_BASE_URL"),
    ],
)
def test_the_list_says_what_is_configured_and_no_secret(
    settings: Settings, usable: bool, reason: str
) -> None:
    """The reason names settings, never their values; providers to come are not listed."""
    offline, openai = registry.configured(settings)
    assert (offline["provider"], offline["configured"]) == ("offline", True)
    assert (openai["provider"], openai["configured"]) == ("openai", usable)
    assert openai["reason"].startswith(reason)
    assert "secret" not in str([offline, openai]).lower()


def test_the_list_says_which_slot_uses_what() -> None:
    """Each provider shows the slots that name it."""
    mixed = Settings(chat_model="openai:a/b:c", embedding_model="offline:minilm")
    slots = {status["provider"]: status["slots"] for status in registry.configured(mixed)}
    assert slots == {
        "offline": {"background": "offline:rules", "embedding": "offline:minilm"},
        "openai": {"chat": "openai:a/b:c"},
    }


def test_making_models_imports_neither_the_sdk_nor_onnxruntime() -> None:
    """Both are loaded by the first call."""
    code = (
        "import sys\n"
        "from strandline.providers import registry\n"
        "from strandline.settings import Settings\n"
        "registry.chat_model('openai:m', Settings(), lambda: 'k')\n"
        "registry.embedder('openai:m', Settings(), lambda: 'k')\n"
        "registry.embedder('offline:minilm', Settings(), lambda: 'k')\n"
        "print([name for name in ('openai', 'onnxruntime', 'tokenizers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
