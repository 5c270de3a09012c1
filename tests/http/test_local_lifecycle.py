"""The main job over real HTTP with the embedded models: chat, memory, the next prompt, restarts."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.local_runner import ROOT, Account, Runner

README = ROOT / "README.md"
SAID = "I moved to Oslo and I love its ferries."
ASKED = "Which city did I move to?"
LOST_AT_MOST_SECONDS = 1.0


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """A runner with nothing configured, but for unsent jobs being sent after a second."""
    folder = tmp_path_factory.mktemp("runner")
    with Runner(folder, JOB_REDRIVE_SECONDS="1") as running:
        yield running


@dataclass(frozen=True)
class Known:
    """An account and an answered message of it whose memories are there."""

    account: Account
    answer: Any

    @property
    def session_id(self) -> str:
        """The session it was said in."""
        return str(self.answer["user_turn"]["session_id"])


@pytest.fixture(scope="module")
def known(runner: Runner) -> Known:
    """Grace, of whom something is known. Tests may add to it."""
    grace = runner.account("grace")
    answer = grace.say(grace.session(), SAID)
    assert grace.ended(answer)["state"] == "stored"
    return Known(grace, answer)


def everything(known: Known) -> Any:
    """What the account can read of that answer's session and of what was learned."""
    account, answer = known.account, known.answer
    return {
        "session": account.get(f"/sessions/{known.session_id}"),
        "turns": account.turns(known.session_id),
        "job": account.get(f"/jobs/{answer['extraction']['job_id']}"),
        "receipt": account.receipt(answer),
        "memories": account.memories(),
        "events": account.get("/events?limit=100")["items"],
    }


def _block(name: str) -> str:
    """The commands between the README's marks of that name."""
    [found] = re.findall(
        rf"<!-- {name} -->\s*```sh\n(.*?)```\s*<!-- /{name} -->", README.read_text(), re.DOTALL
    )
    return str(found)


def test_the_checkpoints_of_the_readme_hold_their_boundary(runner: Runner) -> None:
    """Draft, commit, mount, ask, unmount: what came after the checkpoint is not in the prompt."""
    done = subprocess.run(
        ["bash", "-eu", "-c", _block("walk") + _block("checkpoints")],
        env={"PATH": os.environ["PATH"], "URL": runner.url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    mounted, _, prompt = done.stdout.rpartition("You are continuing a conversation.")
    assert '"history_base_seq":4' in mounted
    asked, _, unmounted = prompt.partition("User Query:\nWhere were we?")
    assert "- We decided to spend two weeks in Australia" in asked
    assert "New Zealand" not in asked
    assert '"mount":null' in unmounted


def test_the_walk_of_the_readme_works_as_it_stands(runner: Runner) -> None:
    """Each line succeeds, and the prompt it ends in is the one the README prints."""
    walk = _block("walk")
    before = len(runner.printed())
    done = subprocess.run(
        ["bash", "-eu", "-c", walk],
        env={"PATH": os.environ["PATH"], "URL": runner.url},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done
    assert done.stderr == ""
    statuses = re.findall(r"^[A-Z]+ /v1/\S+ (\d{3}) ", runner.printed()[before:], re.MULTILINE)
    assert len(statuses) >= 6
    assert {status[0] for status in statuses} == {"2"}
    learned, _, prompt = done.stdout.partition("Relevant Memories:\n")
    assert '"quote": "' in learned
    assert "allergic to nuts" in prompt.partition("User Query:\n")[0]
    [promised] = re.findall(
        r"The last command prints:\s*```\n(.*?)```", README.read_text(), re.DOTALL
    )
    assert done.stdout.endswith(f"}}\n{promised}")


def test_the_reply_comes_first_and_the_memory_later(runner: Runner) -> None:
    """None while the queue is held; once it is let go, each with its source word for word."""
    barbara = runner.account("barbara")
    with runner.held():
        answer = barbara.say(barbara.session(), SAID)
        assert answer["assistant_turn"]["content"]
        assert answer["extraction"]["state"] == "queued"
        path = f"/jobs/{answer['extraction']['job_id']}"
        assert (barbara.get(path)["state"], barbara.memories()) == ("queued", [])
    job = barbara.ended(answer)
    memories = barbara.memories()
    assert job["state"] == "stored"
    assert sorted(job["result"]["stored"]) == sorted(memory["id"] for memory in memories)
    assert [memory["text"] for memory in memories if "Oslo" in memory["text"]]
    for memory in memories:
        [source] = memory["evidence"]
        assert (source["turn_id"], source["role"]) == (answer["user_turn"]["id"], "user")
        words = barbara.get(f"/turns/{source['turn_id']}")["content"].split()
        quoted = " ".join(words[source["word_start"] : source["word_end"]])
        assert source["quote"] == quoted.rstrip(".")
        assert source["quote"] in SAID


def test_a_new_session_gets_the_memory_in_its_prompt(known: Known) -> None:
    """The receipt names it, prints it in the rebuilt prompt, and that is the one that was sent."""
    grace = known.account
    answer = grace.say(grace.session(), ASKED)
    [home] = [memory for memory in grace.memories() if "Oslo" in memory["text"]]
    context = answer["context"]
    assert context["recall"] == "ok"
    assert context["history"] == {"from_sequence": None, "to_sequence": None, "turns": 0}
    [line] = [m["line"] for m in context["memories"] if m["memory_id"] == home["id"]]
    receipt = grace.receipt(answer)
    assert receipt["prompt_matches"] is True
    assert receipt["context"] == context
    assert f"Relevant Memories:\n- {line}\n" in receipt["prompt"]
    assert receipt["prompt"].endswith(f"User Query:\n{ASKED}")
    assert "Oslo" in answer["assistant_turn"]["content"]
    grace.ended(answer)
    assert grace.get(f"/memories/{home['id']}")["access_count"] == 1


def test_another_account_gets_nothing_of_it(runner: Runner, known: Known) -> None:
    """Neither in a list, nor by id, nor in a prompt."""
    other = runner.account("edsger")
    [memory, *_] = known.account.memories()
    answer = other.say(other.session(), ASKED)
    assert answer["context"]["recall"] == "no_match"
    assert answer["context"]["memories"] == []
    assert other.receipt(answer)["prompt"] == ASKED
    assert other.memories() == []
    assert other.call("GET", f"/memories/{memory['id']}").status_code == 404


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer a.b.c", "Basic YTpi"])
def test_without_a_valid_token_there_is_no_service(
    runner: Runner, authorization: str | None
) -> None:
    """401 as the gateway says it, whatever is asked for; health alone is open."""
    headers = {} if authorization is None else {"Authorization": authorization}
    refused = [
        runner.call("GET", "/v1/memories", headers=headers),
        runner.call("POST", "/v1/sessions", {}, headers),
        runner.call("GET", "/v1/sessions/ses_unknown", headers=headers),
    ]
    assert [(reply.status_code, reply.json()) for reply in refused] == [
        (401, {"message": "Unauthorized"})
    ] * 3
    health = runner.call("GET", "/v1/health", headers=headers)
    assert (health.status_code, health.json()["status"]) == (200, "ok")


def test_a_token_is_good_as_it_was_issued_and_until_it_expires(runner: Runner) -> None:
    """An expired one, and one whose claims were altered, are none."""
    asked_for = {"account": "ada", "expires_in": -5}
    expired = runner.call("POST", "/local/token", asked_for).json()["token"]
    header, claims, signature = runner.account("ada").token.split(".")
    other_claims = runner.account("grace").token.split(".")[1]
    tokens = {expired: 401, f"{header}.{other_claims}.{signature}": 401}
    tokens[f"{header}.{claims}.{signature}"] = 200
    for token, status in tokens.items():
        headers = {"Authorization": f"Bearer {token}"}
        assert runner.call("GET", "/v1/sessions", headers=headers).status_code == status


def test_everything_outlives_a_restart(runner: Runner, known: Known) -> None:
    """Turns, memories, receipts, jobs, the token; and what waited in the queue is done."""
    grace = known.account
    with runner.held():
        waiting = grace.say(known.session_id, "I never eat pork.", recall="off")
        before = everything(known)
        assert runner.interrupt() == 0
        runner.start()
    assert_nothing_is_missing(before, everything(known))
    assert grace.ended(waiting)["state"] == "stored"


def test_what_is_a_second_old_outlives_a_kill(runner: Runner, known: Known) -> None:
    """The same, and a job that no message tells of any more is still run to its end."""
    grace = known.account
    with runner.held():
        waiting = grace.say(known.session_id, "I prefer tea to coffee.", recall="off")
        before = everything(known)
        time.sleep(LOST_AT_MOST_SECONDS)
        assert runner.kill() < 0
        runner.start()
    assert_nothing_is_missing(before, everything(known))
    assert grace.ended(waiting)["state"] == "stored"


def assert_nothing_is_missing(before: Any, now: Any) -> None:
    """All is as it was; a job that ended meanwhile may have added memories and events."""
    assert {**now, "memories": (), "events": ()} == {**before, "memories": (), "events": ()}
    newer = len(now["memories"]) - len(before["memories"])
    assert now["memories"][newer:] == before["memories"]
    assert now["events"][: len(before["events"])] == before["events"]
