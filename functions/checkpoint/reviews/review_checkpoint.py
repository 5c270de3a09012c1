"""Reviews a checkpoint: by rules always, and by a model where one is configured."""

from typing import Literal

from functions.checkpoint.reviews import prompt
from functions.checkpoint.reviews.lint_rules import lint_checkpoint
from functions.checkpoint.reviews.prompt import Remark
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

MAX_ANCESTORS = 50
"""How many of a checkpoint's ancestors the rules look at, itself counted; the nearest ones."""

OFFLINE = "offline"
"""The provider that works by rules itself, and so has nothing to add."""


class RestsOn(Value):
    """What a finding rests on: checkpoints, lines copied from them, and memories."""

    checkpoint_ids: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    memory_ids: tuple[str, ...] = ()


class ReviewFinding(Value):
    """Something to look at, what it rests on, and whether the rules or the model found it."""

    kind: str
    text: str
    rests_on: RestsOn
    by: Literal["rules", "model"]


class Review(Value):
    """The findings on a checkpoint.

    `model_state` is "off" where no model but the offline rules is configured. When it is
    "failed", `model_failure` says why; the rules' findings are returned all the same.
    """

    checkpoint_id: str
    findings: tuple[ReviewFinding, ...]
    model_state: Literal["ok", "off", "failed"]
    model_failure: str | None = None
    model: str | None = None
    usage: Usage = Usage()


def make_review(deps: Dependencies, account: str, checkpoint_id: str, deadline: Deadline) -> Review:
    """Returns the findings on a checkpoint; nothing is stored.

    Raises NotFound, CheckpointAltered. `model_state` tells when the model failed.
    """
    checkpoint = checkpoints.get(deps.table, account, checkpoint_id)
    ancestors = checkpoints.list_ancestors(deps.table, account, checkpoint, MAX_ANCESTORS)[:-1]
    retracted = _retracted_memory_ids(deps, account, checkpoint)
    by_rules = tuple(
        ReviewFinding(
            kind=each.kind, text=each.text, rests_on=_sort_sources(each.rests_on), by="rules"
        )
        for each in lint_checkpoint(checkpoint, ancestors, retracted)
    )
    review = Review(checkpoint_id=checkpoint.id, findings=by_rules, model_state="off")
    if deps.settings.background_model.partition(":")[0] == OFFLINE:
        return review
    return review.model_copy(update=_model_findings(deps, checkpoint, by_rules, deadline))


def _retracted_memory_ids(
    deps: Dependencies, account: str, checkpoint: Checkpoint
) -> frozenset[str]:
    """Returns the ids of cited memories that no longer exist."""
    cited = {each.memory_id for each in checkpoint.memories}
    found = memory_heads.find_unexpired(deps.table, account, cited)
    return frozenset(each for each in cited if not isinstance(found.get(each), Head))


def _sort_sources(rests_on: tuple[str, ...]) -> RestsOn:
    """Sorts ids and lines apart, by the prefixes of ids."""
    return RestsOn(
        checkpoint_ids=tuple(each for each in rests_on if each.startswith("chk_")),
        memory_ids=tuple(each for each in rests_on if each.startswith("mem_")),
        lines=tuple(each for each in rests_on if not each.startswith(("chk_", "mem_"))),
    )


def _model_findings(
    deps: Dependencies,
    checkpoint: Checkpoint,
    by_rules: tuple[ReviewFinding, ...],
    deadline: Deadline,
) -> dict[str, object]:
    """Asks the model; returns the fields of the review that this changes."""
    try:
        completion = deps.background_model.complete(
            prompt.review_messages(checkpoint, [each.text for each in by_rules]),
            schema=prompt.SCHEMA,
            deadline=deadline,
        )
    except (ModelError, ModelNotConfigured) as error:
        log_failure("review without a model", error, checkpoint_id=checkpoint.id)
        return _model_failure(f"{error.code}: {error.message}")
    remarks = _parse_completion(completion, checkpoint)
    source = {"model": f"{completion.provider}:{completion.model}", "usage": _usage(completion)}
    if isinstance(remarks, str):
        return source | _model_failure(remarks)
    found = tuple(
        ReviewFinding(
            kind=remark.kind,
            text=remark.text,
            rests_on=RestsOn(checkpoint_ids=(checkpoint.id,), lines=remark.lines),
            by="model",
        )
        for remark in remarks
    )
    return source | {"findings": by_rules + found, "model_state": "ok"}


def _parse_completion(completion: Completion, checkpoint: Checkpoint) -> list[Remark] | str:
    """Returns the model's remarks, or why there are none."""
    if completion.finish is Finish.REFUSAL:
        return "The model refused."
    return prompt.parse_review(completion.text, checkpoint)


def _model_failure(reason: str) -> dict[str, object]:
    metric("ReviewModelFailed")
    return {"model_state": "failed", "model_failure": reason}


def _usage(completion: Completion) -> Usage:
    return Usage(
        input_tokens=completion.usage.input_tokens, output_tokens=completion.usage.output_tokens
    )
