"""A review: the rules' findings always, the model's where they rest on the checkpoint."""

import json
from typing import Any

import pytest

from functions.checkpoint.reviews.prompt import MAX_CHARACTERS, parse_review, review_messages
from strandline.errors import ModelUnavailable
from strandline.models.checkpoint import Checkpoint
from strandline.providers.base import Completion, Finish
from tests.support.extraction_replies import found
from tests.support.world import START, Reply, World

CONTENT = {
    "title": "Orders",
    "decisions": ["Use Postgres for the orders"],
    "open_questions": ["Should we use Postgres for the orders?"],
    "entities": ["Zed"],
}


def _checkpoint(world: World, **fields: Any) -> str:
    space = world.call("POST", "/v1/spaces", {"name": "s"})["id"]
    path = f"/v1/spaces/{space}/checkpoints"
    return str(world.call("POST", path, {**CONTENT, **fields})["id"])


def _review(world: World, checkpoint: str, reply: Any = '{"findings": []}') -> Reply:
    world.background.will(reply if not isinstance(reply, dict) else json.dumps(reply))
    return world.call("POST", f"/v1/checkpoints/{checkpoint}/review")


def _remark(*rests_on: str, text: str = "Nothing says who runs it.") -> dict[str, Any]:
    return {"kind": "Gap", "text": text, "rests_on": list(rests_on)}


def test_the_rules_find_what_they_find_without_a_model(world: World) -> None:
    """With the offline rules no model is asked, and each finding names what it rests on."""
    world.use(background_model="offline:rules")
    checkpoint = _checkpoint(world)
    reply = world.call("POST", f"/v1/checkpoints/{checkpoint}/review")
    assert (reply.status, reply["model_state"], reply["model"]) == (200, "off", None)
    answered, unused = reply["findings"]
    assert (answered["kind"], answered["by"]) == ("answered_question", "rules")
    assert answered["rests_on"] == {
        "checkpoint_ids": [checkpoint],
        "lines": [CONTENT["open_questions"][0], CONTENT["decisions"][0]],
        "memory_ids": [],
    }
    assert unused["rests_on"]["lines"] == ["Zed"]


def test_a_model_adds_at_most_five_findings_that_rest_on_lines(world: World) -> None:
    """A line is the checkpoint's own, however the model wrote it; without one it is dropped."""
    checkpoint = _checkpoint(world)
    own, invented = _remark("use postgres  for the orders"), _remark("Use Oracle")
    many = [_remark("Zed", text=f"Remark {n}.") for n in range(9)]
    reply = _review(world, checkpoint, {"findings": [own, invented, _remark(), *many]})
    assert (reply["model_state"], reply["model"]) == ("ok", "scripted:model-1")
    by_model = [each for each in reply["findings"] if each["by"] == "model"]
    assert len(by_model) == 5
    assert by_model[0]["rests_on"]["lines"] == ["Use Postgres for the orders"]
    assert [each["text"] for each in by_model[1:]] == [f"Remark {n}." for n in range(4)]
    assert len(reply["findings"]) == 7


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        (ModelUnavailable(), "MODEL_UNAVAILABLE"),
        ("no idea", "no findings"),
        ('{"weather": 1}', "no findings"),
        (Completion("No.", "scripted", "m", Finish.REFUSAL), "refused"),
    ],
)
def test_a_model_that_fails_leaves_the_rules_findings_and_is_told(
    world: World, failing: Any, reason: str
) -> None:
    """A review is never lost to a model; the answer says what happened to it."""
    reply = _review(world, _checkpoint(world), failing)
    assert (reply.status, reply["model_state"]) == (200, "failed")
    assert reason in reply["model_failure"]
    assert [each["by"] for each in reply["findings"]] == ["rules", "rules"]


def test_a_cited_memory_that_was_deleted_is_found(world: World) -> None:
    """What a checkpoint cites is looked up anew at every review."""
    said = found("The user lives in Oslo.", "I live in Oslo")
    world.learn(world.session(), "I live in Oslo.", said)
    memory = world.memories()[0]["id"]
    cited = [{"memory_id": memory, "revision": 1}]
    checkpoint = _checkpoint(world, memories=cited)
    kinds = [each["kind"] for each in _review(world, checkpoint)["findings"]]
    assert "retracted_memory" not in kinds
    world.call("DELETE", f"/v1/memories/{memory}")
    last = _review(world, checkpoint)["findings"][-1]
    assert (last["kind"], last["rests_on"]["memory_ids"]) == ("retracted_memory", [memory])


def test_a_review_changes_nothing_and_is_the_owners_alone(world: World) -> None:
    """It is read out of what is there; another account's checkpoint is not found."""
    checkpoint = _checkpoint(world)
    before = world.rows()
    assert _review(world, checkpoint).status == 200
    assert world.rows() == before
    path = f"/v1/checkpoints/{checkpoint}/review"
    assert world.call("POST", path, account="eve").status == 404
    assert world.call("POST", "/v1/checkpoints/chk_x/review").status == 404


def _made(**fields: Any) -> Checkpoint:
    return Checkpoint(
        id="chk_1", space_id="spc_1", author="user", commit_hash="", created_at=START,
        **{**CONTENT, **fields},
    )  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        'Sure:\n```json\n{"findings": [%s]}\n```', "[%s]", '{"findings": %s}',
        '{"findings": []} no, rather {"findings": [null, 7, "x", %s]}',
    ],
)  # fmt: skip
def test_findings_are_read_out_of_what_stands_around_them(reply: str) -> None:
    """Fences, prose, a single object for a list and odd items are looked through."""
    [remark] = parse_review(reply % json.dumps(_remark("Zed")), _made())
    assert (remark.kind, remark.lines) == ("Gap", ("Zed",))


def test_a_huge_checkpoint_goes_in_bounded() -> None:
    """What the model gets of a checkpoint is bounded, and is data inside JSON."""
    huge = _made(summary="word " * 40_000, tasks=tuple(f"Task {n} " * 20 for n in range(900)))
    system, data = review_messages(huge, ["known"])
    assert len(data.content) < MAX_CHARACTERS + 2_000
    assert set(json.loads(data.content)) == {"checkpoint", "known"}
    assert "Task" not in system.content
