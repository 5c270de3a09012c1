"""The isolation scenario of the fixture, step by step, through any client."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.api_clients import ApiClient, ModelInputs
from tests.support.extraction_replies import found
from tests.support.openai_script import Kind
from tests.support.scenario_steps import (
    AnsweredQuestion,
    ask,
    commit,
    mount,
    new_session,
    new_space,
    succeed,
)

SCENARIO = json.loads((Path(__file__).parents[1] / "fixtures/isolation-scenario.json").read_text())
STEPS: list[dict[str, Any]] = SCENARIO["steps"]
CHECKS = sum(len(v) for step in STEPS for name, v in step.items() if name.startswith("prompt_must"))
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
LEARNED_FROM = {"HEIGHTS-555": 5, "KANGAROO-4000": 1}
KINDS = ("send", "commit", "extract", "mount", "draft", "unmount")


@dataclass
class Story:
    """The scenario's session; each step is played in turn, and asserts what the fixture says."""

    client: ApiClient
    checkpoints: dict[str, str] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    jobs: list[str] = field(default_factory=list)
    checked: int = 0
    heard: ModelInputs | None = None

    def __post_init__(self) -> None:
        self.space_id = new_space(self.client)
        self.session_id = new_session(self.client, self.space_id)
        self.client.learns(LEARNED)
        self.from_the_start = self.client.listen()

    def play(self, steps: Sequence[dict[str, Any]]) -> "Story":
        """Play those steps."""
        for step in steps:
            [kind] = step.keys() & set(KINDS)
            getattr(self, kind)(step)
        return self

    def send(self, step: dict[str, Any]) -> None:
        asked = self.asks(step["send"])
        numbers = [
            asked.answer[turn]["sequence_number"] for turn in ("user_turn", "assistant_turn")
        ]
        assert numbers == step.get("turns", numbers)
        for words in step.get("prompt_must_contain", ()):
            self.checked += 1
            assert asked.shows(self._meant(words))
        for words in step.get("prompt_must_not_contain", ()):
            self.checked += 1
            assert asked.leaks(words) == []

    def asks(self, content: str, session_id: str | None = None) -> AnsweredQuestion:
        """A message in the scenario's session, or in another one."""
        asked = ask(self.client, session_id or self.session_id, content)
        self.turns[asked.answer["user_turn"]["id"]] = asked.answer["user_turn"]["sequence_number"]
        self.jobs.append(asked.answer["extraction"]["job_id"])
        return asked

    def fork(self, name: str) -> str:
        """A session that begins at that checkpoint."""
        path = f"/v1/checkpoints/{self.checkpoints[name]}/fork"
        return str(succeed(self.client, "POST", path, {})["id"])

    def commit(self, step: dict[str, Any]) -> None:
        name, _, title = step["commit"].partition(": ")
        where = {"session_id": self.session_id, "summary": SUMMARIES[name]}
        made = commit(self.client, self.space_id, title, **where)
        assert made["source"]["to_sequence"] == step["covers_to"]
        self.checkpoints[name] = made["id"]

    def extract(self, step: dict[str, Any]) -> None:
        """The memories are there, and cite the turns that the fixture says."""
        self._settle()
        memories = succeed(self.client, "GET", "/v1/memories?limit=100")["items"]
        cited = [evidence for memory in memories for evidence in memory["evidence"]]
        for canary, number in LEARNED_FROM.items():
            sources = {self.turns.get(each["turn_id"]) for each in cited if canary in each["quote"]}
            assert sources == {number}

    def mount(self, step: dict[str, Any]) -> None:
        """What was said before has reached the models by now: from here on, nothing of it may."""
        self._settle()
        if self.from_the_start is not None:
            said = " ".join(self.from_the_start())
            assert [words for words in HIDDEN if words not in said] == []
        session = mount(self.client, self.session_id, self.checkpoints[step["mount"]])
        assert session["mount"]["history_base_seq"] == step["history_base_seq"]
        self.heard = self.client.listen()

    def draft(self, step: dict[str, Any]) -> None:
        """The draft's prompt holds the turns since the mount, no memory and no checkpoint."""
        draft = succeed(
            self.client, "POST", "/v1/checkpoints/draft", {"session_id": self.session_id}
        )
        assert (draft["from_sequence"], draft["to_sequence"]) == (9, 12)
        prompt = self.client.prompt(Kind.DRAFT)
        if prompt is not None:
            shown = json.loads(prompt.rpartition("\nUser: ")[2])["turns"]
            assert [turn["turn"] for turn in shown] == [9, 10, 11, 12]
            assert "Where were we?" in prompt
            assert "Cairns it is." in prompt
        for text in (json.dumps(draft), prompt or ""):
            for words in (*HIDDEN, "KANGAROO-4000", *SUMMARIES.values()):
                assert words not in text

    def unmount(self, step: dict[str, Any]) -> None:
        """Of all that reached any model meanwhile, extraction included, nothing was hidden."""
        self._settle()
        if self.heard is not None:
            heard = self.heard()
            assert len(heard) >= 5, "two answers, two extractions and a draft"
            assert [(words, text) for words in HIDDEN for text in heard if words in text] == []
        session = succeed(self.client, "DELETE", f"/v1/sessions/{self.session_id}/mount")
        assert session["mount"] is None

    def _settle(self) -> None:
        self.client.settle(self.jobs)

    def _meant(self, words: str) -> str:
        return SUMMARIES.get(words.removesuffix("'s summary"), words)


def play_story(client: ApiClient, upto: str) -> Story:
    """A new story up to the first step of that kind, that one included."""
    last = next(number for number, step in enumerate(STEPS) if upto in step)
    return Story(client).play(STEPS[: last + 1])
