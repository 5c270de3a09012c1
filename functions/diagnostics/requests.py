"""Request bodies of diagnostics."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, StrictInt, model_validator

from strandline.feedback.memory_content import Words
from strandline.feedback.verdict import Action, Verdict
from strandline.models.base import Value


class Feedback(Value):
    """A verdict on a revision. A correction, and only a correction, has the whole new content."""

    action: Action
    expected_revision: Annotated[StrictInt, Field(ge=1)]
    idempotency_key: UUID
    content: Words | None = None

    @model_validator(mode="after")
    def _only_a_correction_has_content(self) -> "Feedback":
        if (self.action is Action.CORRECT) != ("content" in self.model_fields_set):
            raise ValueError("content goes with correct, and only with it")
        if self.action is Action.CORRECT and self.content is None:
            raise ValueError("a correction says all of the content")
        return self

    def verdict(self, memory_id: str) -> Verdict:
        """Returns the verdict on that memory."""
        return Verdict(
            memory_id=memory_id,
            action=self.action,
            expected_revision=self.expected_revision,
            words=self.content,
            idempotency_key=str(self.idempotency_key),
        )
