"""Where a provider's key comes from."""

from collections.abc import Iterator

import boto3
import pytest
from botocore.config import Config
from moto import mock_aws

from strandline import runtime
from strandline.settings import Settings

PROVIDERS = ["openai", "openrouter", "anthropic"]


@pytest.fixture
def parameters() -> Iterator[None]:
    """A parameter store with a key for each provider, encrypted."""
    with mock_aws():
        store = boto3.client("ssm", region_name="us-east-1")
        for provider in PROVIDERS:
            name, key = f"/keys/{provider}", f"key-of-{provider}"
            store.put_parameter(Name=name, Value=key, Type="SecureString")
        yield


@pytest.mark.usefixtures("parameters")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_key_is_read_from_the_parameter_its_setting_names(provider: str) -> None:
    """Each provider's from its own, decrypted."""
    named = {f"{name}_api_key_parameter": f"/keys/{name}" for name in PROVIDERS}
    assert runtime._api_key(provider, Settings(**named), Config()) == f"key-of-{provider}"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_key_that_is_given_itself_comes_before_a_parameter(provider: str) -> None:
    """And then nothing is asked of AWS: here there is no parameter store."""
    given = {f"{provider}_api_key": "given", f"{provider}_api_key_parameter": "/keys/none"}
    assert runtime._api_key(provider, Settings(**given), Config()) == "given"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_both_there_is_no_key(provider: str) -> None:
    """Another provider's key is none of its own."""
    others = {f"{name}_api_key": "another" for name in PROVIDERS if name != provider}
    assert runtime._api_key(provider, Settings(**others), Config()) == ""
