"""The request body of a draft."""

import json
from typing import Annotated

from pydantic import Field, StrictInt, StrictStr, StringConstraints, model_validator

from strandline.api.fields import Content
from strandline.ids import MAX_SEQUENCE
from strandline.models.base import Value

MAX_DOCUMENT_CHARACTERS = 60_000

Id = Annotated[StrictStr, StringConstraints(max_length=400)]
Boundary = Annotated[StrictInt, Field(ge=0, le=MAX_SEQUENCE)]


class NewDraft(Value):
    """A draft of a session's window, or of a Markdown document: exactly one of the two.

    `history_base_seq` goes with `mounted_checkpoint_id`, and both with a session only.
    """

    session_id: Id | None = None
    mounted_checkpoint_id: Id | None = None
    history_base_seq: Boundary | None = None
    document: Content | None = None
    space_id: Id | None = None

    @model_validator(mode="after")
    def _check_combination(self) -> "NewDraft":
        if (self.session_id is None) == (self.document is None):
            raise ValueError("either session_id or document is needed, and not both")
        if (self.mounted_checkpoint_id is None) != (self.history_base_seq is None):
            raise ValueError("mounted_checkpoint_id and history_base_seq go together")
        if self.document is not None and self.mounted_checkpoint_id is not None:
            raise ValueError("a document has no mounted checkpoint")
        if self.session_id is not None and self.space_id is not None:
            raise ValueError("a session has its space already")
        return self


def ids_in_body(body: str | None) -> dict[str, str]:
    """Returns the session and space ids in a body, even if the rest of it is invalid.

    Raises JSONDecodeError for a body that is no JSON.
    """
    sent = json.loads(body or "null")
    if not isinstance(sent, dict):
        return {}
    found = {name: sent.get(name) for name in ("session_id", "space_id")}
    return {name: value for name, value in found.items() if isinstance(value, str)}
