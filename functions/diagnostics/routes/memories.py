"""Memories, their revisions, references and evidence."""

from aws_lambda_powertools.event_handler.api_gateway import Router

from strandline import deletion
from strandline.api.app import account
from strandline.runtime import runtime

router = Router()


@router.delete("/v1/debug/memories/<memory_id>", status_code=204)
def delete_memory(memory_id: str) -> None:
    """Delete a memory, its history and what derives from it; the turns stay."""
    deletion.delete_memory(runtime(), account(router), memory_id)
