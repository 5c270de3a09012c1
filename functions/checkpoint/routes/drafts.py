"""Routes that ask a model: to draft a checkpoint, and to review one."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from functions.checkpoint.drafts.draft_checkpoint import draft_deadline, make_draft
from functions.checkpoint.drafts.request import NewDraft
from functions.checkpoint.drafts.response import Draft
from functions.checkpoint.reviews.review_checkpoint import Review, make_review
from strandline.api.app import account
from strandline.runtime import runtime

router = Router()


@router.post("/v1/checkpoints/draft")
def draft_checkpoint(new: NewDraft) -> Draft:
    """Draft a checkpoint from a session's window, or from a document; it is not stored."""
    deps = runtime()
    deadline = draft_deadline(deps, router.lambda_context)
    return make_draft(deps, account(router), new, deadline)


@router.post("/v1/checkpoints/<checkpoint_id>/review")
def review_checkpoint(checkpoint_id: str) -> Review:
    """Review a checkpoint: what to look at in it, and what each finding rests on."""
    deps = runtime()
    deadline = draft_deadline(deps, router.lambda_context)
    return make_review(deps, account(router), checkpoint_id, deadline)
