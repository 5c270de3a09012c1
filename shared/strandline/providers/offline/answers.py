"""An answer by rules from what the prompt holds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from strandline.language.data import loader
from strandline.providers.base import Message
from strandline.providers.offline.finding import shortened
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
_WHENCE = {
    "Summary": "a checkpoint's summary",
    "Key Decisions": "a checkpoint's decision",
    "Open Tasks": "a checkpoint's open task",
}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A line of the prompt and where it stands."""

    line: str
    whence: str


def answer(messages: Sequence[Message]) -> str:
    """What the prompt holds on the words of its last message, quoted; or that it holds nothing."""
    lines, query = _memories_and_query(messages[-1].content)
    recorded = [*lines, *_of_checkpoints(messages), *_of_history(messages[:-1])]
    if _thanks().match(query):
        return f"{OPENING} You are welcome."
    related = _related(query, recorded)
    if not _asks().search(query):
        return f"{OPENING} Noted. {_found(related)}" if related else f"{OPENING} Noted."
    if related:
        return f"{OPENING} {_found(related)}"
    return f"{OPENING} I found nothing recorded in these words. {_given(lines)}".rstrip()


def _found(related: Sequence[Recorded]) -> str:
    return f"On this I find recorded: {_listed(related)}."


def _given(memories: Sequence[Recorded]) -> str:
    """Recall goes by meaning too, the rules by words alone: what came is shown all the same."""
    if not memories:
        return ""
    return f"The memories that came with it: {_listed(memories[:_MAX_QUOTED])}."


def _listed(recorded: Sequence[Recorded]) -> str:
    return "; ".join(f"{_quoted(it.line)} ({it.whence})" for it in recorded)


def _quoted(line: str) -> str:
    """The line as a quotation that nothing in it can end."""
    flat = " ".join(re.sub(r"[“”„\"«»]", "'", line).split())
    cut = shortened(flat, _LINE_CHARACTERS)
    return f"“{cut}”" if cut == flat else f"“{cut} …”"


def _related(query: str, recorded: Sequence[Recorded]) -> list[Recorded]:
    """The lines that share most with the query, the better and the earlier first.

    A question without a telling word ("Where were we?") is answered by what was there last.
    """
    wanted = content_words(query)
    if not wanted:
        return _latest(recorded) if _asks().search(query) else []
    scored = [(count_shared_words(wanted, it.line), it) for it in recorded]
    best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    once = list({it.line: it for _, it in reversed(best)}.values())[::-1]
    return once[:_MAX_QUOTED]


def _latest(recorded: Sequence[Recorded]) -> list[Recorded]:
    summaries = [it for it in recorded if it.whence == _WHENCE["Summary"]]
    said = [it for it in recorded if it.whence == "said earlier"]
    return [*summaries[-1:], *said[-1:]]


def _memories_and_query(content: str) -> tuple[list[Recorded], str]:
    match = _MEMORIES.match(content)
    if match is None:
        return [], content
    lines = match["lines"].splitlines()
    return [Recorded(line.removeprefix("- "), "a memory") for line in lines], match["query"]


def _of_checkpoints(messages: Sequence[Message]) -> Iterator[Recorded]:
    for message in messages:
        if message.role == "system":
            for section in _SECTION.finditer(message.content):
                for line in section["lines"].splitlines():
                    yield Recorded(line.removeprefix("- "), _WHENCE[section["name"]])


def _of_history(messages: Sequence[Message]) -> Iterator[Recorded]:
    for message in messages:
        if message.role == "user":
            yield Recorded(message.content, "said earlier")


@cache
def _asks() -> re.Pattern[str]:
    endings = loader.alternatives(lambda each: each.offline.answers.question_endings)
    please = loader.alternatives(lambda each: each.offline.answers.please)
    questions = loader.alternatives(lambda each: each.offline.answers.questions)
    return re.compile(
        rf"[?？]\s*$|(?:{endings})\s*$|^\W*(?:(?:{please})\s+)?(?:{questions})\b", re.IGNORECASE
    )


@cache
def _thanks() -> re.Pattern[str]:
    thanks = loader.alternatives(lambda each: each.offline.answers.thanks)
    return re.compile(rf"^\W*(?:{thanks})\b", re.IGNORECASE)
