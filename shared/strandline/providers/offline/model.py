"""The rules as a chat model."""

from collections.abc import Sequence

from strandline.clock import Deadline
from strandline.errors import ModelRejected, ModelTimeout
from strandline.providers.base import Completion, Message, Schema, Usage
from strandline.providers.offline.answer import answer
from strandline.providers.offline.extraction import extraction
from strandline.words import words

EXTRACTION = "memories"
"""The name of the schema that asks for an extraction."""


class OfflineRules:
    """Answers and extracts by rules: the same messages give the same reply, everywhere."""

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """An answer, or for the schema `memories` its JSON. `usage` counts words, not tokens.

        Raises ModelTimeout past the deadline and ModelRejected for messages without a user's
        last word, for another schema, and for an exchange that isn't the JSON it has to be.
        """
        if deadline.remaining() <= 0:
            raise ModelTimeout
        if not messages or messages[-1].role != "user":
            raise ModelRejected("The offline rules answer a user's message; the last one isn't.")
        text = _reply(messages, schema)
        usage = Usage(sum(len(words(said.content)) for said in messages), len(words(text)))
        return Completion(text=text, provider="offline", model="rules", usage=usage)


def _reply(messages: Sequence[Message], schema: Schema | None) -> str:
    if schema is None:
        return answer(messages)
    if schema.name == EXTRACTION:
        return extraction(messages[-1].content)
    raise ModelRejected("The offline rules don't know what this schema asks for.")
