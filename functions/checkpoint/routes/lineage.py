"""Routes that compare, merge and export checkpoints."""

from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.checkpoint.lineage import context_pack, queries
from functions.checkpoint.requests import NewMerge
from functions.checkpoint.responses import Comparison, MergeDraft
from strandline.api.app import account
from strandline.runtime import runtime

router = Router()
Other = Annotated[str, Query(alias="with", min_length=1, max_length=400)]
Size = Annotated[int, Query(ge=1_000, le=100_000, description="The most characters of text.")]


@router.get("/v1/checkpoints/<checkpoint_id>/compare")
def compare_checkpoints(checkpoint_id: str, other: Other) -> Comparison:
    """Compare two checkpoints of a space: what only one of them says, and what both say."""
    return queries.compare_checkpoints(runtime(), account(router), checkpoint_id, other)


@router.post("/v1/checkpoints/<checkpoint_id>/merge")
def merge_checkpoints(checkpoint_id: str, new: NewMerge) -> MergeDraft:
    """Draft a three-way merge of two checkpoints, with its conflicts; nothing is stored."""
    return queries.draft_merge(runtime(), account(router), checkpoint_id, new)


@router.get("/v1/checkpoints/<checkpoint_id>/pack")
def pack_checkpoint(
    checkpoint_id: str,
    target: context_pack.Target = "plain",
    memory_scope: Literal["latest_1", "latest_3"] = "latest_1",
    max_characters: Size = context_pack.MAX_CHARACTERS,
) -> context_pack.Pack:
    """Export a checkpoint, and up to two before it, as another tool can take them."""
    limit = 3 if memory_scope == "latest_3" else 1
    checkpoints = queries.with_ancestors(runtime(), account(router), checkpoint_id, limit)
    return context_pack.build_pack(checkpoints, target, max_characters)
