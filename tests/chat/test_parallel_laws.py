"""Laws of parallel sends: whatever is said at once, in whatever order it arrives, is kept."""

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from functions.chat import send_message
from functions.chat.requests import NewMessage
from functions.chat.send_message import MessageRequest
from strandline.clock import Deadline
from strandline.errors import ModelError, ModelTimeout
from tests.support.laws import law
from tests.support.world import World, running_world

CONTENTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30
).filter(str.strip)
SENDS = st.lists(st.tuples(st.integers(0, 1), CONTENTS, st.booleans()), min_size=2, max_size=8)


@given(SENDS)
@law(8)
def test_parallel_sends_keep_every_word(sends: list[tuple[int, str, bool]]) -> None:
    """In two sessions, with a model that fails for some: each word is stored once, where it was
    said, under a number of its own, answered or marked unanswered.
    """
    with running_world() as world:
        failing = {content for _, content, fails in sends if fails}

        def answer(messages: object) -> str:
            content = messages[-1].content  # type: ignore[index]
            if any(content.endswith(each) for each in failing):
                raise ModelTimeout
            return "Understood."

        world.chat.default = answer
        names = [world.session(), world.session()]
        with ThreadPoolExecutor(len(sends)) as threads:
            list(threads.map(lambda each: send(world, names[each[0]], each[1]), sends))
        for index, name in enumerate(names):
            turns = world.call("GET", f"/v1/sessions/{name}/turns?limit=100")["items"]
            questions = [turn for turn in turns if turn["role"] == "user"]
            said = sorted(content for where, content, _ in sends if where == index)
            assert sorted(turn["content"] for turn in questions) == said
            numbers = [turn["sequence_number"] for turn in turns]
            assert numbers == sorted(set(numbers))
            answers = {turn["sequence_number"] - 1 for turn in turns if turn["role"] == "assistant"}
            for turn in questions:
                status = "answered" if turn["sequence_number"] in answers else "unanswered"
                assert turn["status"] == status


def send(world: World, session_id: str, content: str) -> None:
    """A message past the handler: in Lambda each request has one to itself."""
    asked = MessageRequest("ada", session_id, NewMessage(content=content), None)
    try:
        send_message.answer_message(world.runtime, asked, Deadline.after(20))
    except ModelError:
        return
