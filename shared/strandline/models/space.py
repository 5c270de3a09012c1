"""Spaces: long-lived containers of checkpoints and sessions."""

from pydantic import Field

from strandline.models.base import Time, Value


class Space(Value):
    """A named container of sessions and checkpoints.

    `heads` maps each branch to the id of its newest checkpoint.
    """

    id: str
    name: str
    description: str = ""
    heads: dict[str, str] = Field(default_factory=dict)
    created_at: Time
    updated_at: Time
