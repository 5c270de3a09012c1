"""The isolation scenario of the fixture, step by step, with every prompt that reached a model."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.checkpointing import commit, learns, mount, recalled, space, unmount
from tests.support.replies import found
from tests.support.world import World

SCENARIO = json.loads((Path(__file__).parents[1] / "fixtures/isolation-scenario.json").read_text())
STEPS: list[dict[str, Any]] = SCENARIO["steps"]
SUMMARIES = {
    "checkpoint 1": "Two weeks, Sydney and Cairns.",
    "checkpoint 2": "Three weeks, with the South Island.",
}
HIDDEN = ("KIWI-777", "HEIGHTS-555", "Queenstown")
LEARNED = {
    "HEIGHTS-555": found(
        "The user is afraid of heights, HEIGHTS-555.", "I am afraid of heights, HEIGHTS-555"
    ),
    "KANGAROO-4000": found(
        "The user's budget is KANGAROO-4000.", "budget KANGAROO-4000", importance=0.4
    ),
}


class Story:
    """The scenario's session; each step is played in turn."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.space_id = space(world)
        self.session_id = world.session(space_id=self.space_id)
        self.checkpoints: dict[str, str] = {}
        self.checked = 0
        learns(world, LEARNED)

    def play(self, step: dict[str, Any]) -> None:
        self.world.clock.advance(minutes=1)
        for name in ("send", "commit", "extract", "mount", "draft", "unmount"):
            if name in step:
                getattr(self, name)(step)

    def send(self, step: dict[str, Any]) -> None:
        answer = self.world.say(self.session_id, step["send"])
        numbers = [answer[turn]["sequence_number"] for turn in ("user_turn", "assistant_turn")]
        assert numbers == step.get("turns", numbers)
        prompt = self.world.chat.text()
        for words in step.get("prompt_must_contain", ()):
            self.checked += 1
            assert self._meant(words) in prompt
        for words in step.get("prompt_must_not_contain", ()):
            self.checked += 1
            assert words not in prompt

    def commit(self, step: dict[str, Any]) -> None:
        name, _, title = step["commit"].partition(": ")
        made = commit(
            self.world,
            self.space_id,
            title,
            session_id=self.session_id,
            summary=SUMMARIES[name],
        )
        assert made["source"]["to_sequence"] == step["covers_to"]
        self.checkpoints[name] = made["id"]

    def extract(self, step: dict[str, Any]) -> None:
        assert self.world.drain() == []
        texts = {memory["text"] for memory in self.world.memories()}
        assert texts == {memory["text"] for memory in LEARNED.values()}

    def mount(self, step: dict[str, Any]) -> None:
        session = mount(self.world, self.session_id, self.checkpoints[step["mount"]])
        assert session["mount"]["history_base_seq"] == step["history_base_seq"]

    def draft(self, step: dict[str, Any]) -> None:
        """The draft's prompt holds the turns since the mount, no memory and no checkpoint."""
        body = {"session_id": self.session_id}
        self.world.background.will('{"title": "Trip", "decisions": []}')
        assert self.world.call("POST", "/v1/checkpoints/draft", body).status == 200
        prompt = self.world.background.text()
        for words in ("Where were we?", "Cairns it is."):
            assert words in prompt
        for words in (*HIDDEN, "KANGAROO-4000", *SUMMARIES.values()):
            assert words not in prompt

    def unmount(self, step: dict[str, Any]) -> None:
        assert unmount(self.world, self.session_id)["mount"] is None

    def _meant(self, words: str) -> str:
        return SUMMARIES.get(words.removesuffix("'s summary"), words)


@pytest.fixture
def story(world: World) -> Story:
    """Nothing played yet."""
    return Story(world)


def played(story: Story, upto: str) -> Story:
    """The story up to the first step of that kind, that one included."""
    last = next(number for number, step in enumerate(STEPS) if upto in step)
    for step in STEPS[: last + 1]:
        story.play(step)
    return story


def test_the_scenario_holds_step_by_step(story: Story) -> None:
    """What each prompt must and must not hold, a draft's among them, is as the fixture says."""
    for step in STEPS:
        story.play(step)
    assert story.checked == 9


def test_no_prompt_while_mounted_holds_what_the_boundary_hides(story: Story) -> None:
    """Three prompts and the session's recall, asked for it as plainly as can be."""
    played(story, "mount")
    before = len(story.world.chat.prompts)
    for question in ("Where were we?", "What am I afraid of?", "Which heights are on the route?"):
        answer = story.world.say(story.session_id, question)
        assert answer["context"]["mode"] == "MOUNTED"
    for number in range(before, len(story.world.chat.prompts)):
        prompt = story.world.chat.text(number)
        assert not [words for words in HIDDEN if words in prompt]
    for scope in ("account", "space", "session"):
        where = {"session_id": story.session_id, "scope": scope}
        assert "HEIGHTS" not in recalled(story.world, "afraid of heights", **where)


def test_what_was_learned_before_the_checkpoint_stays_in_both_branches(story: Story) -> None:
    """The budget is from turn 1, which checkpoint 1 covers: it is remembered while mounted."""
    played(story, "mount")
    asked = story.world.say(story.session_id, "What is the user's budget?")
    assert [hit["selected_by"] for hit in asked["context"]["memories"]] == ["relevant"]
    assert "KANGAROO-4000" in story.world.chat.text()
    unrelated = story.world.say(story.session_id, "Where were we?")
    assert [hit["selected_by"] for hit in unrelated["context"]["memories"]] == ["session"]
    assert "KANGAROO-4000" in story.world.chat.text()
    assert "KANGAROO" in recalled(story.world, "budget", session_id=story.session_id)


def test_unmounted_the_hidden_memory_is_back(story: Story) -> None:
    """The boundary hides; it takes nothing away."""
    played(story, "unmount")
    story.world.say(story.session_id, "What am I afraid of?")
    assert "HEIGHTS-555" in story.world.chat.text()
    assert "HEIGHTS" in recalled(story.world, "afraid of heights", session_id=story.session_id)


def test_another_session_that_mounts_it_is_bound_as_well(story: Story) -> None:
    """A checkpoint of one session, mounted in another of the space, hides what came after it."""
    played(story, "mount")
    other = story.world.session(space_id=story.space_id)
    mount(story.world, other, story.checkpoints["checkpoint 1"])
    story.world.say(other, "What am I afraid of, and what is the budget?")
    prompt = story.world.chat.text()
    assert SUMMARIES["checkpoint 1"] in prompt
    assert "KANGAROO-4000" in prompt
    assert not [words for words in HIDDEN if words in prompt]


def test_a_fork_is_bound_as_well(story: Story) -> None:
    """A forked session starts from the checkpoint: nothing later comes with it."""
    played(story, "mount")
    checkpoint_id = story.checkpoints["checkpoint 1"]
    fork = story.world.call("POST", f"/v1/checkpoints/{checkpoint_id}/fork", {})["id"]
    answer = story.world.say(fork, "What am I afraid of, and what is the budget?")
    prompt = story.world.chat.text()
    assert answer["context"]["history"]["turns"] == 0
    assert "KANGAROO-4000" in prompt
    assert not [words for words in HIDDEN if words in prompt]
