"""Logs and metrics: JSON lines through Powertools, with nothing of what users say in them."""

import traceback
from pathlib import Path

from aws_lambda_powertools import Logger

from strandline.errors import StrandlineError

logger = Logger(service="strandline", use_rfc3339=True, utc=True)


def log_failure(message: str, error: BaseException, **fields: str) -> None:
    """Log an error by its kind and place; its text only if it is ours.

    Other libraries' messages may quote what they choked on, and users' words don't go into logs.
    """
    frames = traceback.extract_tb(error.__traceback__)
    told: dict[str, object] = {
        "error": type(error).__name__,
        "detail": error.message if isinstance(error, StrandlineError) else None,
        "at": [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames[-8:]],
    }
    logger.error(message, extra={**told, **fields})


def metric(name: str, value: float = 1, unit: str = "Count", **dimensions: str) -> None:
    """Write one metric in CloudWatch's embedded metric format.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    from aws_lambda_powertools.metrics import single_metric  # noqa: PLC0415  rarely needed

    with single_metric(name=name, unit=unit, value=value, namespace="Strandline") as one:  # type: ignore[arg-type]
        for key, dimension in dimensions.items():
            one.add_dimension(name=key, value=dimension)
