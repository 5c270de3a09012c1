"""A session without a title gets one after its first exchanges, once, and never over another."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.extract.session_titles import MAX_TITLE, parse_title
from strandline.errors import ModelRejected, ModelUnavailable
from strandline.providers.base import Completion, Finish, Message, Schema
from tests.support.laws import law
from tests.support.scripted_models import ScriptedChat
from tests.support.world import World

TRIP = "I want two weeks in Australia."
NO_MEMORIES = '{"memories": []}'


class Background(ScriptedChat):
    """Answers by schema, so that titles and extractions don't take each other's replies."""

    def __init__(self) -> None:
        super().__init__(NO_MEMORIES)
        self.title: str | Exception | Completion = '{"title": "Two weeks in Australia"}'
        self.titling: list[str] = []

    def complete(self, messages: Sequence[Message], *, schema: Schema | None = None, **how):
        if schema is None or schema.name != "title":
            return super().complete(messages, schema=schema, **how)
        self.titling.append(messages[-1].content)
        if isinstance(self.title, Exception):
            raise self.title
        if isinstance(self.title, Completion):
            return self.title
        return Completion(self.title, "scripted", "model-1")


@pytest.fixture
def background(world: World) -> Background:
    """Titles are on."""
    world.use(auto_titles=True)
    made = Background()
    world.models["scripted:background"] = made
    return made


State = dict[str, object]


def _read(world: World, session: str) -> State:
    body = world.call("GET", f"/v1/sessions/{session}").body
    return {name: body[name] for name in ("title", "title_source", "title_state", "title_reason")}


def _state(
    title: object, source: object, state: object, reason: object = None
) -> dict[str, object]:
    return {
        "title": title, "title_source": source, "title_state": state, "title_reason": reason,
    }  # fmt: skip


def test_a_session_gets_a_title_after_its_first_exchange(
    world: World, background: Background
) -> None:
    """The answer comes first, the title in the background, and the session says whose it is."""
    session = world.session()
    world.say(session, TRIP)
    assert _read(world, session) == _state(None, None, None)
    world.drain()
    assert _read(world, session) == _state("Two weeks in Australia", "generated", "made")
    [asked] = background.titling
    assert [turn["text"] for turn in json.loads(asked)["turns"]] == [TRIP, "Understood."]


def test_a_first_message_that_says_nothing_waits_for_the_second(
    world: World, background: Background
) -> None:
    """A greeting names no subject; the second exchange decides, whatever it says."""
    session = world.session()
    world.say(session, "hi!")
    world.drain()
    assert background.titling == []
    world.say(session, "Australia?")
    world.drain()
    assert len(json.loads(background.titling[0])["turns"]) == 4
    assert _read(world, session)["title_state"] == "made"


def test_one_call_for_a_title_however_often_the_job_is_delivered(
    world: World, background: Background
) -> None:
    """Redelivery and later exchanges find the one try taken."""
    session = world.session()
    job_id = world.say(session, TRIP)["extraction"]["job_id"]
    world.drain()
    before = world.rows()
    message = {"account": "ada", "job_id": job_id}
    assert world.deliver(message, message) == []
    assert world.rows() == before
    for _ in range(3):
        world.say(session, "And how long is the flight to Cairns?")
        world.drain()
    assert len(background.titling) == 1


def test_a_title_the_user_gave_is_never_asked_for_nor_overwritten(
    world: World, background: Background
) -> None:
    """Given at the beginning, it stands and no model is asked."""
    session = world.session(title="Mine")
    world.say(session, TRIP)
    world.drain()
    assert _read(world, session) == _state("Mine", "user", None)
    assert background.titling == []


def test_a_title_given_while_one_is_being_made_stands(world: World, background: Background) -> None:
    """The write of a made title has the condition that there is none."""
    session = world.session()

    def meanwhile(messages: Sequence[Message], **_: object) -> Completion:
        world.call("PATCH", f"/v1/sessions/{session}", {"title": "Mine"})
        return Completion('{"title": "Made"}', "scripted", "model-1")

    asked = background.complete
    background.complete = lambda messages, *, schema=None, **how: (
        meanwhile(messages) if schema.name == "title" else asked(messages, schema=schema, **how)
    )
    world.say(session, TRIP)
    world.drain()
    assert _read(world, session) == _state("Mine", "user", "tried")


def test_a_title_the_user_changes_is_the_users(world: World, background: Background) -> None:
    """The source follows whoever gave the title last; one taken away is not made again."""
    session = world.session()
    world.say(session, TRIP)
    world.drain()
    world.call("PATCH", f"/v1/sessions/{session}", {"title": "Mine"})
    assert _read(world, session) == _state("Mine", "user", "made")
    world.call("PATCH", f"/v1/sessions/{session}", {"title": None})
    assert _read(world, session) == _state(None, None, "made")
    world.say(session, TRIP)
    world.drain()
    assert (_read(world, session)["title"], len(background.titling)) == (None, 1)


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (ModelUnavailable(), "MODEL_UNAVAILABLE"),
        (ModelRejected(), "MODEL_REJECTED"),
        (RuntimeError("secret words"), "INTERNAL_ERROR: RuntimeError"),
        ("I'm sorry, I can't do that.", "MODEL_REPLY_INVALID"),
        ('{"title": null}', "MODEL_REPLY_INVALID"),
        (Completion("No.", "scripted", "m", Finish.REFUSAL), "refused"),
    ],
)
def test_a_title_that_fails_is_told_and_fails_nothing_else(
    world: World, background: Background, failure: str | Exception | Completion, reason: str
) -> None:
    """The extraction ends as it does, its message is done with, and the session says why."""
    background.title = failure
    background.default = json.dumps(
        {"memories": [{"text": "The user wants two weeks in Australia.", "kind": "observation",
                       "quotes": [{"turn": "user", "quote": "I want two weeks in Australia"}]}]}
    )  # fmt: skip
    session = world.session()
    job_id = world.say(session, TRIP)["extraction"]["job_id"]
    assert world.drain() == []
    assert world.job(job_id)["state"] == "stored"
    state = _read(world, session)
    assert (state["title"], state["title_state"]) == (None, "tried")
    assert reason in str(state["title_reason"])
    assert "secret" not in str(state)
    world.say(session, TRIP)
    world.drain()
    assert len(background.titling) == 1


def test_a_failed_extraction_takes_no_title_with_it(world: World, background: Background) -> None:
    """An extraction that fails for good leaves the session its title."""
    background.default = ModelRejected()
    session = world.session()
    job_id = world.say(session, TRIP)["extraction"]["job_id"]
    assert len(world.drain()) == 1
    assert world.job(job_id)["state"] == "failed"
    assert _read(world, session)["title"] == "Two weeks in Australia"


def test_without_the_setting_no_title_is_asked_for(world: World, background: Background) -> None:
    """AUTO_TITLES turns all of it off."""
    world.use(auto_titles=False)
    session = world.session()
    world.say(session, TRIP)
    world.drain()
    assert (_read(world, session), background.titling) == (_state(None, None, None), [])


def test_the_offline_rules_make_a_title_of_the_users_first_words(world: World) -> None:
    """Without a network a session gets a title all the same."""
    from strandline.providers.offline import OfflineRules

    world.models["offline:rules"] = OfflineRules()
    world.use(auto_titles=True, background_model="offline:rules")
    session = world.session()
    world.say(session, "Hi! I'm planning two weeks in Australia. What should I see there?")
    world.drain()
    assert _read(world, session) == _state(
        "I'm planning two weeks in Australia", "generated", "made"
    )


def test_a_deleted_session_gets_no_title(world: World, background: Background) -> None:
    """What was deleted is not written to, nor asked about."""
    session = world.session()
    world.say(session, TRIP)
    world.call("DELETE", f"/v1/sessions/{session}")
    world.drain()
    assert background.titling == []
    assert world.call("GET", f"/v1/sessions/{session}").status == 404


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ('{"title": "Trip"}', "Trip"),
        ('```json\n{"title": "“Trip to Cairns.”"}\n```', "Trip to Cairns"),
        ("Trip to Cairns", "Trip to Cairns"),
        ('"Trip"', "Trip"),
        ('{"Name": "x"}', ""),
        ('{"title": ["Trip"]}', ""),
        ('<think>hm</think>{"title": "A\\nB"}', "A B"),
        ("I can't help with that.", ""),
        ("Here is\na title", ""),
        ("null", ""),
    ],
)
def test_a_title_is_read_out_of_what_stands_around_it(reply: str, title: str) -> None:
    """Fences, quotation marks and full stops go; what is no title is none."""
    assert parse_title(reply) == title


@law()
@given(st.text(max_size=300) | st.builds(lambda t: json.dumps({"title": t}), st.text(max_size=300)))
def test_a_title_is_one_bounded_line_whatever_the_reply(reply: str) -> None:
    """Law: at most 60 characters, no line break, no blank at an end."""
    title = parse_title(reply)
    assert len(title) <= MAX_TITLE
    assert title == title.strip()
    assert len(title.splitlines()) <= 1
