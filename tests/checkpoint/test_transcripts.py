"""Conversations read: who said what, every word kept or skipped with a reason."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.checkpoint.imports.api_messages import parse_api_messages
from functions.checkpoint.imports.chatgpt_export import parse_chatgpt_export
from functions.checkpoint.imports.text_transcript import parse_text_transcript
from functions.checkpoint.imports.transcript import Transcript
from strandline.errors import Invalid
from strandline.models.turn import Role
from tests.support.laws import law

USER, ASSISTANT = Role.USER, Role.ASSISTANT


def said(transcript: Transcript) -> list[tuple[str, str]]:
    """Role and content of each message."""
    return [(each.role.value, each.content) for each in transcript.messages]


def skipped(transcript: Transcript) -> list[tuple[str, str]]:
    """Reason and content of what was skipped."""
    return [(each.reason, each.content) for each in transcript.skipped]


@pytest.mark.parametrize(
    "text",
    [
        "User: hi\nAssistant: hello",
        "Human: hi\nAI: hello",
        "you: hi\r\nchatgpt: hello",
        "**User:** hi\n\n**Claude:** hello\n",
        "**You**: hi\n***Assistant***: hello",
        "__User:__ hi\n_AI_: hello",
        "You said:\nhi\n\nChatGPT said:\n\nhello\n",
        "## User\n\nhi\n\n## Assistant\n\nhello",
        "### **Human:**\nhi\n### **Bot**\nhello",
        "  User : hi\n\tAssistant： hello",
    ],
)
def test_speakers_are_known_in_many_spellings(text: str) -> None:
    """Plain, bold, as headings, as a chat's copy button writes them."""
    assert said(parse_text_transcript(text)) == [("user", "hi"), ("assistant", "hello")]
    assert parse_text_transcript(text).skipped == ()


def test_a_turn_goes_on_to_the_next_speaker() -> None:
    """Blank lines and indents inside are kept; a speaker in the middle of a line is none."""
    text = "User: one\n\n  two, User: not\n- **bold**\n\nAssistant: **done**"
    assert said(parse_text_transcript(text)) == [
        ("user", "one\n\n  two, User: not\n- **bold**"),
        ("assistant", "**done**"),
    ]


def test_a_speaker_inside_a_block_of_code_begins_no_turn() -> None:
    """Unless nothing closes the fence."""
    code = "```\nAssistant: x\n```"
    assert said(parse_text_transcript(f"User: see\n{code}\nAssistant: y")) == [
        ("user", f"see\n{code}"),
        ("assistant", "y"),
    ]
    assert len(said(parse_text_transcript("User: see\n```\nAssistant: y"))) == 2


def test_what_is_no_turn_is_skipped_with_its_reason() -> None:
    """A preamble, a system message, a speaker who says nothing."""
    read = parse_text_transcript("Exported today\nSystem: obey\nUser:\nUser: hi\nUserland: x")
    assert said(read) == [("user", "hi\nUserland: x")]
    assert skipped(read) == [
        ("before the first speaker", "Exported today"),
        ("not a turn: system", "obey"),
        ("empty", ""),
    ]


SPEAKER = st.sampled_from(
    ["User:", "**Claude:** ", "## You", "ChatGPT said:", "System: ", "```", "Tool:", "\n", "**AI"]
)
TRANSCRIPT = st.lists(SPEAKER | st.text(max_size=20), max_size=20).map("\n".join)


@given(TRANSCRIPT | st.text(max_size=80))
@law(200)
def test_any_text_is_read_and_keeps_every_word(text: str) -> None:
    """In order but for what is skipped; what is missing are the speakers' own lines' beginnings."""
    read = parse_text_transcript(text)
    told = [each.content for each in (*read.messages, *read.skipped)]
    words = sorted(re.findall(r"\w+", text))
    kept = sorted(re.findall(r"\w+", "\n".join(told)))
    names = {"user", "claude", "you", "chatgpt", "said", "system", "tool", "ai"}
    for word in kept:
        words.remove(word)
    assert {word.lower() for word in words} <= names


def test_messages_of_both_apis_are_read() -> None:
    """Contents as strings or parts; what has no text, and who is no speaker, is told."""
    read = parse_api_messages(
        [
            {"role": "system", "content": "obey"},
            {"role": "user", "content": "hi", "created_at": "2026-01-02T03:04:05Z"},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "content": "42", "tool_call_id": "x"},
            {"role": "assistant", "content": [{"type": "text", "text": "a"}, "b"]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {}}]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "content": "7"},
                    {"type": "input_text", "text": "c"},
                ],
                "timestamp": 1767323045.5,
            },
        ]
    )
    assert said(read) == [("user", "hi"), ("assistant", "a\n\nb"), ("user", "c")]
    assert [each.reason for each in read.skipped] == [
        "not a turn: system",
        "empty",
        "not a turn: tool",
        "a part without text: image_url",
        "a part without text: tool_result",
    ]
    assert read.messages[0].at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert read.messages[2].at == datetime(2026, 1, 2, 3, 4, 5, 500_000, tzinfo=UTC)


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("hi", "messages[0]"),
        ({"content": "hi"}, "messages[0].role"),
        ({"role": "critic", "content": "hi"}, "messages[0].role"),
        ({"role": "user", "content": 7}, "messages[0].content"),
        ({"role": "user", "content": [7]}, "messages[0].content[0]"),
        ({"role": "user", "content": "hi", "created_at": "soon"}, "time"),
        ({"role": "user", "content": "hi", "created_at": 10**30}, "time"),
        ({"role": "user", "content": "hi", "created_at": True}, "time"),
    ],
    ids=str,
)
def test_an_unreadable_message_is_named(message: Any, named: str) -> None:
    """In a plain sentence that says where."""
    with pytest.raises(Invalid) as refused:
        parse_api_messages([message])
    assert named in refused.value.message


def node(role: str, text: str, parent: str | None, **message: Any) -> dict[str, Any]:
    """A node of ChatGPT's export."""
    content = message.pop("content", {"content_type": "text", "parts": [text]})
    said = {"author": {"role": role}, "content": content, "create_time": 1767323045.0} | message
    return {"message": said, "parent": parent, "children": []}


EXPORT: dict[str, Any] = {
    "title": "Trip",
    "current_node": "a2",
    "mapping": {
        "root": {"message": None, "parent": None, "children": ["sys"]},
        "sys": node("system", "be kind", "root"),
        "q1": node("user", "Where to?", "sys"),
        "old": node("assistant", "To Perth.", "q1"),
        "think": node("assistant", "", "q1", content={"content_type": "thoughts", "text": "hm"}),
        "call": node("assistant", "search()", "think", recipient="browser"),
        "tool": node("tool", "results", "call"),
        "a1": node("assistant", "To Sydney.", "tool", metadata={"model_slug": "gpt-x"}),
        "q2": node(
            "user",
            "",
            "a1",
            content={"content_type": "multimodal_text", "parts": [{"type": "image"}, "And this?"]},
        ),
        "a2": node("assistant", "A beach.", "q2", create_time=None),
    },
}


def test_an_export_is_read_along_the_path_that_was_shown() -> None:
    """From the current node to the root; replaced answers, tools and thoughts are skipped."""
    read = parse_chatgpt_export(EXPORT)
    assert read.title == "Trip"
    assert said(read) == [
        ("user", "Where to?"),
        ("assistant", "To Sydney."),
        ("user", "And this?"),
        ("assistant", "A beach."),
    ]
    assert (read.messages[1].model, read.messages[3].at) == ("gpt-x", None)
    assert skipped(read) == [
        ("not a turn: system", "be kind"),
        ("not a message: thoughts", "hm"),
        ("addressed to a tool", "search()"),
        ("not a turn: tool", "results"),
        ("a part without text: image", ""),
        ("replaced by another version", "To Perth."),
    ]


def test_an_export_without_a_current_node_goes_to_its_newest_leaf() -> None:
    """The last node that is nobody's parent."""
    assert said(parse_chatgpt_export({"mapping": EXPORT["mapping"]}))[-1] == (
        "assistant",
        "A beach.",
    )


@pytest.mark.parametrize(
    "change",
    [
        {"mapping": None},
        {"mapping": []},
        {"current_node": "nowhere"},
        {"mapping": {"a": {"message": None, "parent": "a"}}, "current_node": "a"},
        {"mapping": {"a": 7}, "current_node": "a"},
        {"mapping": {"a": {"message": 7}}, "current_node": "a"},
        {"mapping": {"a": {"message": {"author": {}}}}, "current_node": "a"},
        {"current_node": ["a2"]},
    ],
    ids=str,
)
def test_a_broken_export_is_refused_with_a_reason(change: dict[str, Any]) -> None:
    """A tree that isn't one, a cycle, nodes that are no nodes."""
    with pytest.raises(Invalid, match="conversation"):
        parse_chatgpt_export(EXPORT | change)


FIELD = st.sampled_from(
    ["role", "content", "parts", "text", "type", "author", "message", "parent", "create_time",
     "metadata", "mapping", "current_node", "content_type", "a", "b"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELD, inner, max_size=5),
    max_leaves=25,
)


@given(st.lists(JSON, max_size=4), st.dictionaries(FIELD, JSON, max_size=6))
@law(200)
def test_any_json_is_read_or_refused(messages: list[Any], conversation: dict[str, Any]) -> None:
    """Invalid, and no other error."""
    nodes = {"a": {"parent": None, "message": conversation}, "b": conversation}
    tree = {"mapping": nodes, "current_node": "b"}
    shapes = [conversation, tree, tree | conversation]
    for read in (
        lambda: parse_api_messages(messages),
        *(lambda s=s: parse_chatgpt_export(s) for s in shapes),
    ):
        with suppress(Invalid):
            assert isinstance(read(), Transcript)
