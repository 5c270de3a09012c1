"""What a model is asked about checkpoints: to draft one, and to look one over."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.checkpoint import draft, review
from functions.checkpoint.draft_answer import Draft
from functions.checkpoint.draft_request import NewDraft
from strandline.api.app import account
from strandline.runtime import runtime

router = Router()


@router.post("/v1/checkpoints/draft")
def draft_checkpoint(wanted: NewDraft) -> Draft:
    """A draft of a session's window, or of a document; it is not stored."""
    now = runtime()
    until = draft.deadline(now, router.lambda_context)
    return draft.draft(now, account(router), wanted, until)


@router.post("/v1/checkpoints/<checkpoint_id>/review")
def review_checkpoint(checkpoint_id: str) -> review.Review:
    """What there is to look at in a checkpoint, and what each finding rests on."""
    now = runtime()
    until = draft.deadline(now, router.lambda_context)
    return review.review(now, account(router), checkpoint_id, until)
