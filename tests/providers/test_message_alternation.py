"""Messages for services whose speakers must alternate."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from strandline.providers.base import Message
from strandline.providers.message_alternation import (
    OMITTED_START,
    AlternatingConversation,
    SpeakerTurn,
    alternate_speakers,
)
from tests.support.laws import law

MESSAGES = st.lists(
    st.builds(
        Message,
        st.sampled_from(["system", "user", "assistant"]),
        st.text(alphabet=" \nabé", max_size=4),
    ),
    max_size=12,
)


def test_neighbours_of_one_role_are_one_turn_of_several_texts() -> None:
    """An unanswered question stands before the next one, each a text of its own."""
    asked = [Message("user", "One?"), Message("user", "Two?"), Message("assistant", "Yes.")]
    assert alternate_speakers(asked) == AlternatingConversation(
        "", (SpeakerTurn("user", ("One?", "Two?")), SpeakerTurn("assistant", ("Yes.",)))
    )


def test_an_assistant_never_speaks_first() -> None:
    """Nothing is dropped for it: a line says that what came before is left out."""
    assert alternate_speakers([Message("assistant", "Yes."), Message("user", "So?")]).turns == (
        SpeakerTurn("user", (OMITTED_START,)),
        SpeakerTurn("assistant", ("Yes.",)),
        SpeakerTurn("user", ("So?",)),
    )


def test_system_texts_are_joined_and_blank_texts_left_out() -> None:
    """An answer that was refused without words is in the history; no service takes it."""
    given = [
        Message("system", "a"),
        Message("user", "One?"),
        Message("assistant", " "),
        Message("system", "b"),
        Message("user", "Two?"),
    ]
    assert alternate_speakers(given) == AlternatingConversation(
        "a\n\nb", (SpeakerTurn("user", ("One?", "Two?")),)
    )


@given(MESSAGES)
@law()
def test_every_text_arrives_in_order_and_speakers_alternate(messages: list[Message]) -> None:
    """The user first, then in turn; no text lost, changed or moved to another speaker."""
    told = alternate_speakers(messages)
    roles: list[Any] = [said.role for said in told.turns]
    assert roles == (["user", "assistant"] * len(roles))[: len(roles)]
    arrived = [(said.role, text) for said in told.turns for text in said.texts]
    sent = [(m.role, m.content) for m in messages if m.role != "system" and m.content.strip()]
    assert [one for one in arrived if one != ("user", OMITTED_START)] == sent
    assert told.system == "\n\n".join(
        m.content for m in messages if m.role == "system" and m.content.strip()
    )
