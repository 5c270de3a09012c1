"""A request's body, made safe before anything else reads it."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.api.body import MAX_DEPTH, normalized_event, parse_json
from strandline.errors import Invalid, StrandlineError, UnsupportedMediaType
from tests.support.laws import law

JSON_TYPES = ["application/json", "application/json; charset=utf-8", "Application/Merge-Patch+JSON"]


def event(body: str, content_type: str | None = "application/json", **rest: Any) -> dict[str, Any]:
    """An event with that body."""
    headers = {} if content_type is None else {"Content-Type": content_type}
    return {"headers": headers, "body": body, **rest}


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("content_type", [*JSON_TYPES, None, ""])
@pytest.mark.parametrize("as_base64", [False, True])
def test_json_is_read_with_any_charset_suffix_in_either_encoding(
    content_type: str | None, as_base64: bool
) -> None:
    """What gateways do to a body on the way doesn't change what it says."""
    text = '{"content": "caf\u00e9 \U0001f41d"}'
    sent = base64.b64encode(text.encode()).decode() if as_base64 else text
    clean, fault = normalized_event(event(sent, content_type, isBase64Encoded=as_base64))
    assert fault is None
    assert json.loads(clean["body"]) == json.loads(text)
    assert clean["isBase64Encoded"] is False
    assert clean["headers"] == {"content-type": "application/json"}


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "x"])
def test_another_media_type_is_a_fault(content_type: str) -> None:
    """Its kind is told apart from a body that is wrong."""
    clean, fault = normalized_event(event('{"content": "a"}', content_type))
    assert type(fault) is UnsupportedMediaType
    assert clean["body"] == "null"


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{} {}",
        "\ufeff{}",
        "NaN",
        '{"a": Infinity}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "b": 1}}',
        '"\\ud800"',
        '{"\\udfff": 1}',
        '"\\u0000"',
        '"a\x00b"',
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 50 + "1" + "}" * 50,
        "9" * 10_000,
        "'a'",
        "// {}",
    ],
)
def test_what_is_not_strictly_json_is_invalid(text: str) -> None:
    """Each is refused with our own error, never a crash."""
    with pytest.raises(Invalid):
        parse_json(text)


@pytest.mark.parametrize("depth", [1, MAX_DEPTH])
def test_depth_counts_brackets_outside_strings_only(depth: int) -> None:
    """Nesting up to the limit is fine, and so is any number of brackets in a string."""
    nested = "[" * depth + "]" * depth
    assert json.dumps(parse_json(nested)).replace(" ", "") == nested
    quoted = json.dumps("[{" * 10_000 + '\\"')
    assert parse_json(quoted) == json.loads(quoted)


def test_one_level_too_many_is_told() -> None:
    """The message says what is wrong."""
    with pytest.raises(Invalid, match="nested too deeply"):
        parse_json("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
@law()
def test_arbitrary_bytes_are_read_or_refused(raw: bytes) -> None:
    """Whatever a body holds, there is a clean body and perhaps one of our own errors."""
    clean, fault = normalized_event(
        event(base64.b64encode(raw).decode(), None, isBase64Encoded=True)
    )
    body = json.loads(clean["body"])
    assert fault is None or (isinstance(fault, StrandlineError) and body is None)


@given(st.text(max_size=200), st.booleans())
@law()
def test_arbitrary_text_is_read_or_refused(text: str, as_base64: bool) -> None:
    """Also when the gateway's flag doesn't fit what is there."""
    clean, fault = normalized_event(event(text, isBase64Encoded=as_base64))
    assert fault is None or isinstance(fault, StrandlineError)
    json.loads(clean["body"])


@given(st.text('[]{}",:\\ 1a', max_size=60))
@law()
def test_near_json_is_read_as_json_reads_it_or_refused(text: str) -> None:
    """What is taken is what the standard parser makes of it."""
    try:
        value = parse_json(text)
    except Invalid:
        return
    assert value == json.loads(text)
