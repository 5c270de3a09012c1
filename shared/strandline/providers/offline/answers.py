"""An answer by rules from what the prompt holds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from strandline.language.data import loader
from strandline.providers.base import Message
from strandline.providers.offline.finding import truncate_at_word
from strandline.providers.offline.word_overlap import content_words, count_shared_words

OPENING = "I am offline and answer by fixed rules."
_MAX_QUOTED = 3
_LINE_CHARACTERS = 160
_MEMORIES = re.compile(
    r"\ARelevant Memories:\n(?P<lines>(?:- [^\n]*\n)+)(?:\([^\n]*\)\n)?\n*"
    r"User Query:\n(?P<query>.*)\Z",
    re.DOTALL,
)
_SECTION = re.compile(
    r"^Checkpoint(?: \d+)? (?P<name>Summary|Key Decisions|Open Tasks):\n(?P<lines>(?:.+\n?)+)",
    re.MULTILINE,
)
_SECTION_SOURCES = {
    "Summary": "a checkpoint's summary",
    "Key Decisions": "a checkpoint's decision",
    "Open Tasks": "a checkpoint's open task",
}


@dataclass(frozen=True, slots=True)
class SourcedLine:
    """A line of the prompt and the name of its source."""

    line: str
    source: str


def write_answer(messages: Sequence[Message]) -> str:
    """Quotes the lines of the prompt that match its last message, or says that none does."""
    lines, query = _split_memories_and_query(messages[-1].content)
    recorded = [*lines, *_checkpoint_lines(messages), *_history_lines(messages[:-1])]
    if _thanks_pattern().match(query):
        return f"{OPENING} You are welcome."
    related = _best_matches(query, recorded)
    if not _question_pattern().search(query):
        return f"{OPENING} Noted. {_quote_matches(related)}" if related else f"{OPENING} Noted."
    if related:
        return f"{OPENING} {_quote_matches(related)}"
    return f"{OPENING} I found nothing recorded in these words. {_quote_memories(lines)}".rstrip()


def _quote_matches(related: Sequence[SourcedLine]) -> str:
    return f"On this I find recorded: {_join_quotations(related)}."


def _quote_memories(memories: Sequence[SourcedLine]) -> str:
    """The first memories of the prompt: recall may have matched them by meaning, not by words."""
    if not memories:
        return ""
    return f"The memories that came with it: {_join_quotations(memories[:_MAX_QUOTED])}."


def _join_quotations(recorded: Sequence[SourcedLine]) -> str:
    return "; ".join(f"{_quotation(each.line)} ({each.source})" for each in recorded)


def _quotation(line: str) -> str:
    """The line in quotation marks, which nothing in it can close."""
    flat = " ".join(re.sub(r"[“”„\"«»]", "'", line).split())
    cut = truncate_at_word(flat, _LINE_CHARACTERS)
    return f"“{cut}”" if cut == flat else f"“{cut} …”"


def _best_matches(query: str, recorded: Sequence[SourcedLine]) -> list[SourcedLine]:
    """The lines that share most content words with the query; best first, then the earlier.

    A question without a content word ("Where were we?") gets the latest lines.
    """
    query_words = content_words(query)
    if not query_words:
        return _latest_lines(recorded) if _question_pattern().search(query) else []
    scored = [(count_shared_words(query_words, each.line), each) for each in recorded]
    best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    unique = list({each.line: each for _, each in reversed(best)}.values())[::-1]
    return unique[:_MAX_QUOTED]


def _latest_lines(recorded: Sequence[SourcedLine]) -> list[SourcedLine]:
    summaries = [each for each in recorded if each.source == _SECTION_SOURCES["Summary"]]
    said = [each for each in recorded if each.source == "said earlier"]
    return [*summaries[-1:], *said[-1:]]


def _split_memories_and_query(content: str) -> tuple[list[SourcedLine], str]:
    match = _MEMORIES.match(content)
    if match is None:
        return [], content
    lines = match["lines"].splitlines()
    return [SourcedLine(line.removeprefix("- "), "a memory") for line in lines], match["query"]


def _checkpoint_lines(messages: Sequence[Message]) -> Iterator[SourcedLine]:
    for message in messages:
        if message.role == "system":
            for section in _SECTION.finditer(message.content):
                for line in section["lines"].splitlines():
                    yield SourcedLine(line.removeprefix("- "), _SECTION_SOURCES[section["name"]])


def _history_lines(messages: Sequence[Message]) -> Iterator[SourcedLine]:
    for message in messages:
        if message.role == "user":
            yield SourcedLine(message.content, "said earlier")


@cache
def _question_pattern() -> re.Pattern[str]:
    endings = loader.alternatives(lambda each: each.offline.answers.question_endings)
    please = loader.alternatives(lambda each: each.offline.answers.please)
    questions = loader.alternatives(lambda each: each.offline.answers.questions)
    return re.compile(
        rf"[?？]\s*$|(?:{endings})\s*$|^\W*(?:(?:{please})\s+)?(?:{questions})\b", re.IGNORECASE
    )


@cache
def _thanks_pattern() -> re.Pattern[str]:
    thanks = loader.alternatives(lambda each: each.offline.answers.thanks)
    return re.compile(rf"^\W*(?:{thanks})\b", re.IGNORECASE)
