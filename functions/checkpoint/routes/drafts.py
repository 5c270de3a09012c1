"""What a model is asked about checkpoints: to draft one, and to look one over."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.checkpoint.drafts import draft_checkpoint as draft
from functions.checkpoint.drafts.draft_request import NewDraft
from functions.checkpoint.drafts.draft_response import Draft
from functions.checkpoint.reviews import review_checkpoint as review
from strandline.api.app import account
from strandline.runtime import runtime

router = Router()


@router.post("/v1/checkpoints/draft")
def draft_checkpoint(wanted: NewDraft) -> Draft:
    """A draft of a session's window, or of a document; it is not stored."""
    now = runtime()
    until = draft.draft_deadline(now, router.lambda_context)
    return draft.make_draft(now, account(router), wanted, until)


@router.post("/v1/checkpoints/<checkpoint_id>/review")
def review_checkpoint(checkpoint_id: str) -> review.Review:
    """What there is to look at in a checkpoint, and what each finding rests on."""
    now = runtime()
    until = draft.draft_deadline(now, router.lambda_context)
    return review.make_review(now, account(router), checkpoint_id, until)
