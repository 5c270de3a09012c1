"""One router per resource: parse, one call, return a model."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.checkpoint.routes import checkpoints, comparing, importing, mounts

MOUNT = (checkpoints.router, mounts.router, comparing.router, importing.router)
DRAFT: tuple[Router, ...] = ()
