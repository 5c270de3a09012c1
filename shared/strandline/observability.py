"""Logs and metrics: JSON lines through Powertools, with nothing of what users say in them."""

from aws_lambda_powertools import Logger

logger = Logger(service="strandline", use_rfc3339=True, utc=True)


def metric(name: str, value: float = 1, unit: str = "Count", **dimensions: str) -> None:
    """Write one metric in CloudWatch's embedded metric format.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    from aws_lambda_powertools.metrics import single_metric  # noqa: PLC0415  rarely needed

    with single_metric(name=name, unit=unit, value=value, namespace="Strandline") as one:  # type: ignore[arg-type]
        for key, dimension in dimensions.items():
            one.add_dimension(name=key, value=dimension)
