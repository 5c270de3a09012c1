"""A law: whatever is said, committed, mounted, forked and learned, in whatever order, what a
boundary hides is in no prompt, no draft and no recall, and what it shows is there.

Every question carries a word of its own, the canary; so does the memory learned from it. A plain
model of the boundary's rules tells for each prompt which canaries are hidden and which must show.
"""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from strandline.models.receipt import Mode
from tests.support.checkpoint_requests import commit, mount, new_space, recalled, unmount
from tests.support.extraction_replies import found, reply, said_in
from tests.support.laws import law
from tests.support.world import World, running_world

MOST_RELEVANT = 50
WORDS = ("alder", "birch", "cedar", "dogwood", "fir", "ginkgo", "hazel", "ivy", "juniper", "larch")


@dataclass(frozen=True)
class Turn:
    """One question: where and when it was said, and its canary."""

    session: str
    number: int
    at: int
    canary: str


@dataclass(frozen=True)
class Point:
    """A checkpoint: what it covers of which session, when it was made, and its canary."""

    id: str
    space: str
    session: str
    upto: int
    at: int
    canary: str


@dataclass
class Chat:
    """A session as the model sees it."""

    id: str
    space: str
    branch: str = "main"
    turns: list[Turn] = field(default_factory=list)
    mounted: tuple[Point, int] | None = None

    @property
    def last(self) -> int:
        return 2 * len(self.turns)


@dataclass
class Model:
    """The reference: plain lists, and the rules as sentences."""

    chats: list[Chat] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    heads: dict[tuple[str, str], Point] = field(default_factory=dict)
    learned: list[Turn] = field(default_factory=list)
    now: int = 0

    def history(self, chat: Chat) -> set[str]:
        """The canaries of the turns that the session's window shows."""
        head = self.heads.get((chat.space, chat.branch))
        if chat.mounted is not None:
            shown = [t for t in chat.turns if t.number > chat.mounted[1]]
        elif head is None:
            shown = chat.turns
        elif head.session == chat.id:
            shown = [t for t in chat.turns if t.number > head.upto]
        else:
            shown = [t for t in chat.turns if t.at >= head.at]
        return {turn.canary for turn in shown}

    def remembered(self, chat: Chat) -> set[str]:
        """The canaries of the memories that the session's boundary lets through."""
        return {t.canary for t in self.learned if not self._hides(chat, t)}

    def checkpoint(self, chat: Chat) -> set[str]:
        """The canary of the checkpoint in the prompt."""
        head = self.heads.get((chat.space, chat.branch))
        point = chat.mounted[0] if chat.mounted else head
        return {point.canary} if point else set()

    def mode(self, chat: Chat) -> Mode:
        return Mode.MOUNTED if chat.mounted else Mode.HEAD

    def _hides(self, chat: Chat, turn: Turn) -> bool:
        if chat.mounted is None:
            return False
        point, base = chat.mounted
        covered = turn.number <= point.upto if turn.session == point.session else turn.at < point.at
        if covered:
            return False
        if turn.session == chat.id:
            return turn.number <= base
        return any(c.id == turn.session and c.space == chat.space for c in self.chats)


class Play:
    """One run: every step is done to the product and to the model, and then compared."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.model = Model()
        self.canaries: set[str] = set()
        world.use(recall_limit=MOST_RELEVANT, recall_session_limit=MOST_RELEVANT)
        world.background.default = self._learn
        shared, lone = new_space(world), new_space(world)
        for space_id in (shared, shared, lone):
            self.model.chats.append(Chat(world.session(space_id=space_id), space_id))
        # Something to mount, something to hide and something learned: few steps then say much.
        for name, which in [("chat", 0), ("commit", 0), ("chat", 0), ("chat", 1), ("chat", 2)]:
            self.step(name, which, 0)
        self.step("extract", 0, 0)

    def step(self, name: str, which: int, other: int) -> None:
        self.world.clock.advance(seconds=1)
        self.model.now += 1
        chats = self.model.chats
        getattr(self, name)(chats[which % len(chats)], other)

    def chat(self, chat: Chat, _: int) -> None:
        """Says the next canary; looks at the prompt before the turn is the session's."""
        canary = self._canary()
        answer = self.world.say(chat.id, f"Plant {canary} please.")
        self._check(chat, answer, self.world.chat.text())
        chat.turns.append(Turn(chat.id, chat.last + 1, self.model.now, canary))

    def commit(self, chat: Chat, _: int) -> None:
        canary = self._canary()
        made = commit(self.world, chat.space, summary=f"About {canary}.", session_id=chat.id)
        assert made.status == 201
        point = Point(made["id"], chat.space, chat.id, chat.last, self.model.now, canary)
        self.model.points.append(point)
        self.model.heads[chat.space, chat.branch] = point

    def mount(self, chat: Chat, other: int) -> None:
        points = [point for point in self.model.points if point.space == chat.space]
        if points:
            point = points[other % len(points)]
            assert mount(self.world, chat.id, point.id).status == 200
            chat.mounted = (point, chat.last)

    def unmount(self, chat: Chat, _: int) -> None:
        assert unmount(self.world, chat.id).status == 200
        chat.mounted = None

    def fork(self, chat: Chat, other: int) -> None:
        if self.model.points:
            point = self.model.points[other % len(self.model.points)]
            made = self.world.call("POST", f"/v1/checkpoints/{point.id}/fork", {})
            assert made.status == 201
            forked = Chat(made["id"], point.space, made["branch"], mounted=(point, 0))
            self.model.chats.append(forked)
            self.model.heads[point.space, made["branch"]] = point

    def extract(self, chat: Chat, _: int) -> None:
        """Everything said so far is learned."""
        while self.world.waiting():
            assert self.world.drain() == []
        self.model.learned = [turn for each in self.model.chats for turn in each.turns]

    def draft(self, chat: Chat, _: int) -> None:
        """A draft sees the session's window, no memory and no checkpoint; an empty one no model."""
        shown, asked = self.model.history(chat), len(self.world.background.prompts)
        self.world.background.will(*['{"title": "Plants", "decisions": []}'][: len(shown)])
        made = self.world.call("POST", "/v1/checkpoints/draft", {"session_id": chat.id})
        assert made.status == 200
        prompts = [self.world.background.text(n) for n in range(asked, asked + bool(shown))]
        assert len(self.world.background.prompts) == asked + len(prompts)
        assert self._in(" ".join(prompts)) == shown

    def recall(self, chat: Chat, _: int) -> None:
        text = recalled(self.world, "Which plant did the user want", session_id=chat.id)
        assert self._in(text) == self.model.remembered(chat)

    def _check(self, chat: Chat, answer: Any, prompt: str) -> None:
        assert answer.status == 201
        assert answer["context"]["mode"] == self.model.mode(chat)
        lines = {line["line"] for line in answer["context"]["memories"]}
        printed = {line for line in lines if f"- {line}" in prompt}
        shown = self.model.history(chat) | self.model.checkpoint(chat)
        may_show = shown | self.model.remembered(chat)
        current = {max(self.canaries, key=self._age)}
        # Of the memories eight lines are printed; which may be recalled at all is told whole.
        assert self._in(" ".join(sorted(lines))) == self.model.remembered(chat)
        assert shown | current <= self._in(prompt) <= may_show | current
        assert len(printed) == min(8, len(lines))

    def _canary(self) -> str:
        number = len(self.canaries)
        canary = f"{WORDS[number % 10]}{number}x"
        self.canaries.add(canary)
        return canary

    def _age(self, canary: str) -> int:
        return int("".join(c for c in canary if c.isdigit()))

    def _in(self, text: str) -> set[str]:
        return {canary for canary in self.canaries if canary in text}

    def _learn(self, messages: Any) -> str:
        said = said_in(messages)
        canary = said.split()[1]
        text = f"The user wants the plant {canary}."
        return reply(found(text, said, kind="observation", topic=canary))


NAMES = ("chat", "commit", "mount", "unmount", "fork", "extract", "recall", "draft")
STEPS = st.tuples(st.sampled_from(NAMES), st.integers(0, 5), st.integers(0, 5))


@given(st.lists(STEPS, min_size=4, max_size=9))
@law(
    8,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_what_a_boundary_hides_never_shows_and_what_it_shows_always_does(
    steps: list[tuple[str, int, int]],
) -> None:
    """Several sessions of two spaces, and their forks."""
    with running_world() as world:
        play = Play(world)
        for name, which, other in steps:
            play.step(name, which, other)
        play.step("extract", 0, 0)
        for number in range(len(play.model.chats)):
            play.step("chat", number, 0)
