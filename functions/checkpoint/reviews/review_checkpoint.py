"""Looking a checkpoint over: by rules always, and by a model where one is configured."""

from typing import Literal

from functions.checkpoint.reviews import review_prompt
from functions.checkpoint.reviews.lint_rules import lint
from functions.checkpoint.reviews.review_prompt import Remark
from strandline.clock import Deadline
from strandline.dependencies import Dependencies
from strandline.errors import ModelError, ModelNotConfigured
from strandline.models.base import Value
from strandline.models.checkpoint import Checkpoint
from strandline.models.memory_head import Head
from strandline.models.receipt import Usage
from strandline.observability import log_failure, metric
from strandline.providers.base import Completion, Finish
from strandline.store.conversations import checkpoints
from strandline.store.memories import memory_heads

MAX_LINE = 50
"""How many checkpoints of a line are looked at, the newest ones."""

OFFLINE = "offline"
"""The provider whose rules are the deterministic findings' own kind: it has nothing to add."""


class RestsOn(Value):
    """What a finding rests on: checkpoints, lines as they stand in them, and memories."""

    checkpoint_ids: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    memory_ids: tuple[str, ...] = ()


class ReviewFinding(Value):
    """Something to look at, what it rests on, and who found it."""

    kind: str
    text: str
    rests_on: RestsOn
    by: Literal["rules", "model"]


class Review(Value):
    """What there is to look at in a checkpoint.

    `model_state` is "off" where no model but the offline rules is configured. When it is
    "failed", `model_failure` says how, and the rules' findings stand all the same.
    """

    checkpoint_id: str
    findings: tuple[ReviewFinding, ...]
    model_state: Literal["ok", "off", "failed"]
    model_failure: str | None = None
    model: str | None = None
    usage: Usage = Usage()


def make_review(deps: Dependencies, account: str, checkpoint_id: str, until: Deadline) -> Review:
    """The findings on a checkpoint; nothing is stored. Raises NotFound, CheckpointAltered."""
    checkpoint = checkpoints.get(deps.table, account, checkpoint_id)
    line = checkpoints.list_ancestors(deps.table, account, checkpoint, MAX_LINE)[:-1]
    retracted = _retracted(deps, account, checkpoint)
    by_rules = tuple(
        ReviewFinding(kind=each.kind, text=each.text, rests_on=_sorted(each.rests_on), by="rules")
        for each in lint(checkpoint, line, retracted)
    )
    made = Review(checkpoint_id=checkpoint.id, findings=by_rules, model_state="off")
    if deps.settings.background_model.partition(":")[0] == OFFLINE:
        return made
    return made.model_copy(update=_by_model(deps, checkpoint, by_rules, until))


def _retracted(deps: Dependencies, account: str, checkpoint: Checkpoint) -> frozenset[str]:
    """The cited memories that are no longer there."""
    cited = {each.memory_id for each in checkpoint.memories}
    found = memory_heads.find_unexpired(deps.table, account, cited)
    return frozenset(each for each in cited if not isinstance(found.get(each), Head))


def _sorted(rests_on: tuple[str, ...]) -> RestsOn:
    return RestsOn(
        checkpoint_ids=tuple(each for each in rests_on if each.startswith("chk_")),
        memory_ids=tuple(each for each in rests_on if each.startswith("mem_")),
        lines=tuple(each for each in rests_on if not each.startswith(("chk_", "mem_"))),
    )


def _by_model(
    deps: Dependencies,
    checkpoint: Checkpoint,
    by_rules: tuple[ReviewFinding, ...],
    until: Deadline,
) -> dict[str, object]:
    """What changes in a review by the model's having been asked."""
    try:
        completion = deps.background_model.complete(
            review_prompt.messages(checkpoint, [each.text for each in by_rules]),
            schema=review_prompt.SCHEMA,
            deadline=until,
        )
    except (ModelError, ModelNotConfigured) as error:
        log_failure("review without a model", error, checkpoint_id=checkpoint.id)
        return _failed(f"{error.code}: {error.message}")
    remarks = _remarks(completion, checkpoint)
    told = {"model": f"{completion.provider}:{completion.model}", "usage": _usage(completion)}
    if isinstance(remarks, str):
        return told | _failed(remarks)
    found = tuple(
        ReviewFinding(
            kind=remark.kind,
            text=remark.text,
            rests_on=RestsOn(checkpoint_ids=(checkpoint.id,), lines=remark.lines),
            by="model",
        )
        for remark in remarks
    )
    return told | {"findings": by_rules + found, "model_state": "ok"}


def _remarks(completion: Completion, checkpoint: Checkpoint) -> list[Remark] | str:
    if completion.finish is Finish.REFUSAL:
        return "The model refused."
    return review_prompt.parse(completion.text, checkpoint)


def _failed(reason: str) -> dict[str, object]:
    metric("ReviewModelFailed")
    return {"model_state": "failed", "model_failure": reason}


def _usage(completion: Completion) -> Usage:
    return Usage(
        input_tokens=completion.usage.input_tokens, output_tokens=completion.usage.output_tokens
    )
