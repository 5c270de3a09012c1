"""The composition root: makes the dependencies of a process at the first use."""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from strandline.clock import utc_now
from strandline.dependencies import Dependencies
from strandline.queue import Queue
from strandline.settings import Settings, settings
from strandline.table import Table

_installed: list[Dependencies] = []


def runtime() -> Dependencies:
    """Returns the process's dependencies: installed ones, or those made from the environment."""
    return _installed[-1] if _installed else _from_environment()


def install(dependencies: Dependencies) -> None:
    """Makes `runtime` return these dependencies from now on; for tests and benches."""
    _installed[:] = [dependencies]


def uninstall() -> None:
    """Makes `runtime` return the dependencies made from the environment again."""
    _installed.clear()


@lru_cache(maxsize=1)
def _from_environment() -> Dependencies:
    import boto3  # noqa: PLC0415
    from botocore.config import Config  # noqa: PLC0415

    from strandline.providers import registry  # noqa: PLC0415
    from strandline.recall.index_cache import IndexCache  # noqa: PLC0415

    environment = settings()
    # botocore's default of 60 s is longer than the gateway waits, and all reads here are small.
    config = Config(
        connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 4}
    )
    name = environment.table_name
    client = boto3.resource("dynamodb", config=config).Table(name).meta.client
    api_key = lru_cache(maxsize=8)(lambda provider: _api_key(provider, environment, config))
    return Dependencies(
        settings=environment,
        table=Table(client, name),
        queue=Queue(boto3.client("sqs", config=config), environment.job_queue_url),
        clock=utc_now,
        chat_models=lru_cache(maxsize=32)(lambda n: registry.chat_model(n, environment, api_key)),
        embedders=lru_cache(maxsize=4)(lambda n: registry.embedder(n, environment, api_key)),
        indexes=IndexCache(environment.recall_cache_bytes),
        threads=ThreadPoolExecutor(max_workers=8, thread_name_prefix="strandline"),
    )


def _api_key(provider: str, environment: Settings, config: object) -> str:
    """Returns the provider's key from the environment or its SSM parameter; empty without both."""
    import boto3  # noqa: PLC0415

    key, name = environment.api_key(provider), environment.api_key_parameter(provider)
    if key or not name:
        return key
    found = boto3.client("ssm", config=config).get_parameter(Name=name, WithDecryption=True)
    return str(found["Parameter"]["Value"])
