"""What the model is asked."""

import json

from functions.extract.model_call.instructions import EXAMPLES
from functions.extract.model_call.prompt import FULL, SMALLER, extraction_messages
from functions.extract.model_call.reply_parser import MAX_MEMORIES
from functions.extract.model_call.reply_schema import SCHEMA
from strandline.models.memory import Kind


def test_the_exchange_goes_in_as_one_json_object(say):
    """Roles, the user's own clock and what was said, in the agreed shape; nothing else."""
    exchange = say("Dentist tomorrow", "Noted.", earlier=("Hello",))
    system, data = extraction_messages(exchange)
    assert (system.role, data.role) == ("system", "user")
    assert json.loads(data.content) == {
        "now_local": "2026-12-01T23:31+01:00",
        "time_zone": "Europe/Oslo",
        "language": "en",
        "earlier": [{"role": "user", "text": "Hello"}],
        "user": {"turn": "user", "text": "Dentist tomorrow"},
        "assistant": {"turn": "assistant", "text": "Noted."},
    }


def test_a_huge_turn_is_cut_between_words_with_its_beginning_and_its_end(say):
    """The model gets a bounded piece; the turn itself is untouched."""
    words = " ".join(f"word{n}" for n in range(20_000))
    exchange = say(words, "ok", earlier=tuple("x" * 5_000 for _ in range(9)))
    data = json.loads(extraction_messages(exchange)[1].content)
    text = data["user"]["text"]
    head, _, tail = text.partition("\n[…]\n")
    assert len(text) <= FULL.turn_characters
    assert words.startswith(head + " ")
    assert words.endswith(" " + tail)
    assert len(data["earlier"]) == FULL.earlier_turns
    assert all(len(turn["text"]) <= FULL.earlier_characters for turn in data["earlier"])
    assert exchange.user.content == words


def test_the_second_try_is_smaller_both_ways(say):
    """After a reply that was cut off: less to read, fewer memories to write."""
    exchange = say("word " * 20_000)
    full, small = extraction_messages(exchange), extraction_messages(exchange, SMALLER)
    assert len(small[1].content) < len(full[1].content) / 2
    assert f"at most {MAX_MEMORIES}," in full[0].content
    assert f"at most {SMALLER.memories}," in small[0].content


def test_the_instructions_hold_the_examples_and_no_open_slot(say):
    """Every example that is shown is known to verification."""
    system = extraction_messages(say("hi"))[0].content
    assert all(example.utterance in system and example.memory in system for example in EXAMPLES)
    assert "{limit}" not in system
    assert "{{" not in system


def test_the_schema_is_strict_and_names_every_kind():
    """Every property is required and no other is allowed, as strict modes want it."""
    memory = SCHEMA.definition["properties"]["memories"]["items"]
    assert SCHEMA.name == "memories"
    for shape in (SCHEMA.definition, memory, memory["properties"]["quotes"]["items"]):
        assert shape["additionalProperties"] is False
        assert shape["required"] == list(shape["properties"])
    assert memory["properties"]["kind"]["enum"] == [kind.value for kind in Kind]
