"""Verdicts on memories."""

from aws_lambda_powertools.event_handler.api_gateway import Router

router = Router()
