"""A chat model that answers by fixed rules."""

from collections.abc import Callable, Sequence

from strandline.clock import Deadline
from strandline.errors import ModelRejected, ModelTimeout
from strandline.language.words import split_words
from strandline.providers.base import Completion, Message, Schema, Usage
from strandline.providers.offline.answers import write_answer
from strandline.providers.offline.checkpoint_draft import draft_checkpoint
from strandline.providers.offline.extraction import extract_memories
from strandline.providers.offline.names_and_titles import make_title

BY_SCHEMA: dict[str, Callable[[str], str]] = {
    "memories": extract_memories,
    "checkpoint": draft_checkpoint,
    "title": make_title,
}
"""By the schema's name: the function that makes the reply from the last message."""


class OfflineRules:
    """Answers, extracts, drafts and names by rules: the same messages give the same reply."""

    def complete(
        self, messages: Sequence[Message], *, schema: Schema | None = None, deadline: Deadline
    ) -> Completion:
        """An answer, or for a schema the rules know its JSON. `usage` counts words, not tokens.

        Raises ModelTimeout past the deadline and ModelRejected for messages without a user's
        last word, for another schema, and for a last message that isn't the JSON it has to be.
        """
        if deadline.remaining() <= 0:
            raise ModelTimeout
        if not messages or messages[-1].role != "user":
            raise ModelRejected("The offline rules answer a user's message; the last one isn't.")
        text = _reply(messages, schema)
        usage = Usage(
            sum(len(split_words(said.content)) for said in messages), len(split_words(text))
        )
        return Completion(text=text, provider="offline", model="rules", usage=usage)


def _reply(messages: Sequence[Message], schema: Schema | None) -> str:
    if schema is None:
        return write_answer(messages)
    if schema.name in BY_SCHEMA:
        return BY_SCHEMA[schema.name](messages[-1].content)
    raise ModelRejected("The offline rules don't know what this schema asks for.")
