"""The settings, read once from the environment. No other module reads the environment."""

import os
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """The settings of all functions. Each is read from the variable of its name in upper case."""

    model_config = ConfigDict(frozen=True)

    table_name: str = "strandline"
    job_queue_url: str = ""
    log_level: str = "INFO"

    chat_model: str = "offline:rules"
    background_model: str = "offline:rules"
    embedding_model: str = "offline:minilm"
    embedding_dimensions: Annotated[int, Field(ge=1, le=4096)] = 512
    openai_base_url: str = ""
    openai_api_key: str = ""
    openai_api_key_parameter: str = ""
    """The name of an SSM SecureString with the key; used when `openai_api_key` is empty."""
    openrouter_api_key: str = ""
    openrouter_api_key_parameter: str = ""
    anthropic_base_url: str = ""
    anthropic_api_key: str = ""
    anthropic_api_key_parameter: str = ""
    bedrock_models: str = ""
    """The ARNs of the Bedrock models that the functions may call, comma-separated; or empty."""
    bedrock_region: str = ""
    """The region of the Bedrock models; empty for the functions' own region."""

    recall_threshold: Annotated[float, Field(ge=0, le=1)] = 0.3
    recall_weight_relevance: Annotated[float, Field(ge=0, le=1)] = 0.6
    recall_weight_importance: Annotated[float, Field(ge=0, le=1)] = 0.3
    recall_weight_recency: Annotated[float, Field(ge=0, le=1)] = 0.1
    recall_lexical_weight: Annotated[float, Field(ge=0, le=10)] = 1.0
    recall_limit: Annotated[int, Field(ge=0, le=50)] = 5
    recall_session_limit: Annotated[int, Field(ge=0, le=50)] = 3
    recall_cache_bytes: Annotated[int, Field(ge=0)] = 256 * 1024 * 1024

    history_turns: Annotated[int, Field(ge=0, le=200)] = 40
    history_characters: Annotated[int, Field(ge=0)] = 24_000

    chat_timeout_seconds: Annotated[float, Field(gt=0, le=29)] = 27.0
    embedding_timeout_seconds: Annotated[float, Field(gt=0, le=29)] = 5.0
    background_timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 45.0
    auto_titles: bool = True
    """Whether the background model gives a title to a session without one."""
    job_lease_seconds: Annotated[int, Field(ge=1)] = 90
    job_retry_seconds: Annotated[int, Field(ge=0, le=600)] = 5
    job_max_failures: Annotated[int, Field(ge=1, le=20)] = 4
    job_redrive_seconds: Annotated[int, Field(ge=1)] = 120

    def api_key(self, provider: str) -> str:
        """Returns a provider's API key; empty if it isn't set or the provider needs none."""
        return str(getattr(self, f"{provider}_api_key", ""))

    def api_key_parameter(self, provider: str) -> str:
        """Returns the name of the SSM SecureString with a provider's key; empty if it isn't set."""
        return str(getattr(self, f"{provider}_api_key_parameter", ""))


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Returns the settings of this process.

    Raises pydantic's ValidationError for a value of the wrong type or out of range.
    """
    return read_settings()


def read_settings() -> Settings:
    """Returns the settings as the environment has them now. Raises as `settings` does."""
    given = {
        name: os.environ[name.upper()]
        for name in Settings.model_fields
        if os.environ.get(name.upper())
    }
    return Settings.model_validate(given)
