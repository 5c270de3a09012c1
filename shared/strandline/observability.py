"""Logs and metrics: JSON lines through Powertools. They never hold text of users."""

import traceback
from pathlib import Path

from aws_lambda_powertools import Logger

from strandline.errors import StrandlineError

logger = Logger(service="strandline", use_rfc3339=True, utc=True)


def log_failure(message: str, error: BaseException, **fields: str) -> None:
    """Logs an error by its class and stack; its message only if it is a StrandlineError.

    Messages of other libraries may quote their input, which can hold text of users.
    """
    frames = traceback.extract_tb(error.__traceback__)
    details: dict[str, object] = {
        "error": type(error).__name__,
        "detail": error.message if isinstance(error, StrandlineError) else None,
        "at": [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in frames[-8:]],
    }
    logger.error(message, extra={**details, **fields})


def metric(name: str, value: float = 1, unit: str = "Count", **dimensions: str) -> None:
    """Writes one metric in CloudWatch's embedded metric format, in the namespace Strandline.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    from aws_lambda_powertools.metrics import single_metric  # noqa: PLC0415  rarely needed

    with single_metric(name=name, unit=unit, value=value, namespace="Strandline") as one:  # type: ignore[arg-type]
        for key, dimension in dimensions.items():
            one.add_dimension(name=key, value=dimension)
