"""Verdicts on memories."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.diagnostics.requests import Feedback
from strandline.api.app import account
from strandline.feedback.verdict import VerdictGiven
from strandline.runtime import runtime
from strandline.use_cases.give_feedback import apply_verdict

router = Router()


@router.post("/v1/debug/memories/<memory_id>/feedback")
def give_feedback(memory_id: str, feedback: Feedback) -> VerdictGiven:
    """Confirms, rejects, corrects, saves or dismisses a memory, or takes such a verdict back."""
    return apply_verdict(runtime(), account(router), feedback.verdict(memory_id))
