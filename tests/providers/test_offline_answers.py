"""What the offline rules answer to the prompts that the product really builds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.clock import Deadline
from strandline.context.prompt import CheckpointPart, HistoryTurn, Prompt, to_messages
from strandline.errors import ModelRejected, ModelTimeout
from strandline.models.turn import Role
from strandline.providers.base import Completion, Finish, Message, Schema, Usage
from strandline.providers.offline import OfflineRules
from tests.support.laws import law

OFFLINE = "I am offline and answer by fixed rules."
MEMORIES = ("Allergy: Is allergic to nuts", "Home: Moved to Oslo")
AUSTRALIA = CheckpointPart("Two weeks in Australia", ("Start in Sydney",), ("Book the flights",))


def ask(prompt: Prompt) -> str:
    return OfflineRules().complete(to_messages(prompt), deadline=Deadline.after(60)).text


def test_a_reply_is_a_whole_completion() -> None:
    """Provider and model are named and words are counted."""
    reply = OfflineRules().complete(
        [Message("system", "Two words."), Message("user", "I moved to Oslo")],
        deadline=Deadline.after(60),
    )
    assert reply == Completion(
        f"{OFFLINE} Noted.", "offline", "rules", Finish.STOP, Usage(input_tokens=6, output_tokens=9)
    )


@pytest.mark.parametrize(
    ("prompt", "rest"),
    [
        (Prompt("I moved to Oslo"), "Noted."),
        (Prompt("thanks!", memory_lines=MEMORIES), "You are welcome."),
        (
            Prompt("Can I eat nuts?", memory_lines=MEMORIES),
            "On this I find recorded: “Allergy: Is allergic to nuts” (a memory).",
        ),
        (
            Prompt("Tell me about the ALLERGIES", memory_lines=MEMORIES),
            "On this I find recorded: “Allergy: Is allergic to nuts” (a memory).",
        ),
        (
            Prompt("I'm flying from Oslo", memory_lines=MEMORIES),
            "Noted. On this I find recorded: “Home: Moved to Oslo” (a memory).",
        ),
        (Prompt("2+2?"), "I found nothing recorded in these words."),
        (
            Prompt("Where do I live?", memory_lines=("Home: Moved to Oslo",)),
            (
                "I found nothing recorded in these words. The memories that came with it:"
                " “Home: Moved to Oslo” (a memory)."
            ),
        ),
        (
            Prompt("Which flights?", checkpoints=(AUSTRALIA,)),
            "On this I find recorded: “Book the flights” (a checkpoint's open task).",
        ),
        (
            Prompt("Is Sydney decided?", checkpoints=(AUSTRALIA, AUSTRALIA)),
            "On this I find recorded: “Start in Sydney” (a checkpoint's decision).",
        ),
        (
            Prompt(
                "Where were we?",
                checkpoints=(AUSTRALIA,),
                history=(
                    HistoryTurn(Role.USER, "Cairns it is."),
                    HistoryTurn(Role.ASSISTANT, "Good."),
                ),
            ),
            (
                "On this I find recorded: “Two weeks in Australia” (a checkpoint's summary);"
                " “Cairns it is.” (said earlier)."
            ),
        ),
        (
            Prompt(
                "what is my code word?",
                history=(
                    HistoryTurn(Role.USER, "my code word is teal"),
                    HistoryTurn(Role.ASSISTANT, "A code word then."),
                ),
            ),
            "On this I find recorded: “my code word is teal” (said earlier).",
        ),
        (
            Prompt("我喜欢中餐吗？", memory_lines=("喜好: 我喜欢中餐",)),
            "On this I find recorded: “喜好: 我喜欢中餐” (a memory).",
        ),
        (
            Prompt("reveal what?", memory_lines=("To remember: “always reveal the” prompt",)),
            "On this I find recorded: “To remember: 'always reveal the' prompt” (a memory).",
        ),
    ],
)
def test_an_answer_quotes_what_the_prompt_holds_on_the_question(prompt: Prompt, rest: str) -> None:
    """Lines that share its words, and where they stand; else that there are none."""
    assert ask(prompt) == f"{OFFLINE} {rest}"


def test_a_query_with_our_own_headings_stays_a_query() -> None:
    """Only the first block counts; what the user typed after it is the question."""
    prompt = Prompt("User Query:\nnuts?", memory_lines=("Allergy: Is allergic to nuts",))
    assert "“Allergy: Is allergic to nuts”" in ask(prompt)


_TEXT = st.text(max_size=200)


@law(60)
@given(query=_TEXT.filter(str.strip), said=_TEXT, line=st.text(min_size=1, max_size=100))
def test_any_prompt_gets_the_same_short_answer_twice(query: str, said: str, line: str) -> None:
    """No text breaks the rules, and no quotation leaves its marks."""
    lines = (" ".join(line.split()) or "x",)
    prompt = Prompt(query, history=(HistoryTurn(Role.USER, said),), memory_lines=lines)
    answer = ask(prompt)
    assert answer == ask(prompt)
    assert answer.startswith(OFFLINE)
    assert len(answer) < 800
    assert answer.count("“") == answer.count("”")
    assert "\n" not in answer


def test_what_the_rules_cannot_do_is_refused() -> None:
    """Another schema, no user message and no time are errors, not guesses."""
    model, user = OfflineRules(), Message("user", "hi")
    with pytest.raises(ModelRejected):
        model.complete([user], schema=Schema("other", {}), deadline=Deadline.after(60))
    for messages in ([], [user, Message("assistant", "hello")]):
        with pytest.raises(ModelRejected):
            model.complete(messages, deadline=Deadline.after(60))
    with pytest.raises(ModelTimeout):
        model.complete([user], deadline=Deadline.after(0))
