"""What the functions find in their environment, set before any of them is imported."""

import os
from collections.abc import Mapping

from pydantic import ValidationError

from infra.local.resources import Data
from strandline.settings import read_settings

LOCAL = {
    "CHAT_MODEL": "offline:rules",
    "BACKGROUND_MODEL": "offline:rules",
    "EMBEDDING_MODEL": "offline:minilm",
    "OPENAI_API_KEY_PARAMETER": "",  # there is no parameter store here: OPENAI_API_KEY is it
    "POWERTOOLS_METRICS_DISABLED": "true",
    "POWERTOOLS_TRACE_DISABLED": "true",
}
"""Where a local run differs from the template's own values."""


def set_environment(variables: Mapping[str, str | None]) -> None:
    """Every variable of the template: the user's value, else the local one, else the template's.

    Raises ValueError with a sentence for a value that no function would start with.
    """
    for name, value in {**variables, **LOCAL}.items():
        if value is not None:
            os.environ.setdefault(name, value)
    try:
        read_settings()
    except ValidationError as error:
        wrong = (f"{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors())
        raise ValueError("; ".join(wrong)) from None


def point_to(data: Data) -> None:
    """The table and the queue are always those that the runner made."""
    os.environ |= {"TABLE_NAME": data.table, "JOB_QUEUE_URL": data.queue_url}
