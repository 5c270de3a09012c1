"""The composition root: makes a process's dependencies once, when they are first asked for."""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from strandline.clock import utc_now
from strandline.dependencies import Dependencies
from strandline.queue import Queue
from strandline.settings import Settings, settings
from strandline.table import Table

_installed: list[Dependencies] = []


def runtime() -> Dependencies:
    """The process's runtime: the installed one, or one made from the environment."""
    return _installed[-1] if _installed else _from_environment()


def install(made: Dependencies) -> None:
    """Use this runtime from now on; for tests and benches."""
    _installed[:] = [made]


def uninstall() -> None:
    """Go back to the one made from the environment."""
    _installed.clear()


@lru_cache(maxsize=1)
def _from_environment() -> Dependencies:
    import boto3  # noqa: PLC0415
    from botocore.config import Config  # noqa: PLC0415

    from strandline.providers import registry  # noqa: PLC0415
    from strandline.recall.index_cache import IndexCache  # noqa: PLC0415

    chosen = settings()
    # Own time-outs: botocore's 60 s outlast the gateway, and its reads are all small here.
    config = Config(
        connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 4}
    )
    name = chosen.table_name
    client = boto3.resource("dynamodb", config=config).Table(name).meta.client
    keys = lru_cache(maxsize=8)(lambda provider: _key(provider, chosen, config))
    return Dependencies(
        settings=chosen,
        table=Table(client, name),
        queue=Queue(boto3.client("sqs", config=config), chosen.job_queue_url),
        clock=utc_now,
        chat_models=lru_cache(maxsize=32)(lambda n: registry.chat_model(n, chosen, keys)),
        embedders=lru_cache(maxsize=4)(lambda n: registry.embedder(n, chosen, keys)),
        indexes=IndexCache(chosen.recall_cache_bytes),
        threads=ThreadPoolExecutor(max_workers=8, thread_name_prefix="strandline"),
    )


def _key(provider: str, chosen: Settings, config: object) -> str:
    """The provider's key, or the value of the SSM parameter that holds it; empty without both."""
    import boto3  # noqa: PLC0415

    key, name = chosen.api_key(provider), chosen.api_key_parameter(provider)
    if key or not name:
        return key
    found = boto3.client("ssm", config=config).get_parameter(Name=name, WithDecryption=True)
    return str(found["Parameter"]["Value"])
