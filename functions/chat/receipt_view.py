"""Receipts as clients read them. The prompt is rebuilt from what the receipt refers to."""

from collections.abc import Mapping

from strandline import ids
from strandline.context.prompt import (
    REMOVED,
    CheckpointPart,
    HistoryTurn,
    Prompt,
    checkpoint_part,
    memory_line,
    prompt_hash,
    render_text,
)
from strandline.dependencies import Dependencies
from strandline.memories import visibility
from strandline.models.memory import Memory
from strandline.models.receipt import Context, RecalledLine, Receipt, ReceiptView
from strandline.models.turn import Role, Turn
from strandline.store.conversations import checkpoints, turn_versions, turns
from strandline.store.conversations import receipts as stored
from strandline.store.memories import memory_heads, memory_revisions

Revisions = Mapping[str, Memory]
"""By memory id, the revision that a receipt refers to, if it may still be shown."""


def read_receipt_view(deps: Dependencies, account: str, turn_id: str) -> ReceiptView:
    """Returns the receipt of an exchange, by either of its turns. Raises NotFound."""
    turn = turns.get(deps.table, account, turn_id, deps.clock())
    number = turns.answer_number(turn) if turns.is_question(turn) else turn.sequence_number
    receipt = stored.get(deps.table, account, turn.session_id, number)
    shown = _visible_revisions(deps, account, receipt)
    prompt = render_text(_rebuild_prompt(deps, account, receipt, shown))
    fields = {name: getattr(receipt, name) for name in _COPIED_FIELDS}
    return ReceiptView(
        **fields,
        context=receipt_summary(receipt, _recalled_lines(receipt, shown)),
        prompt=prompt,
        prompt_matches=prompt_hash(prompt) == receipt.prompt_sha256,
    )


def receipt_summary(receipt: Receipt, lines: tuple[RecalledLine, ...]) -> Context:
    """Returns a receipt's summary with the lines of the recalled memories."""
    return Context(
        mode=receipt.mode,
        recall=receipt.recall,
        memories=lines,
        checkpoints=receipt.checkpoints,
        boundary=receipt.boundary,
        history=receipt.history,
    )


def recalled_lines(deps: Dependencies, account: str, receipt: Receipt) -> tuple[RecalledLine, ...]:
    """Returns the recalled memories, each with its line of the prompt if it may still be shown."""
    return _recalled_lines(receipt, _visible_revisions(deps, account, receipt))


_COPIED_FIELDS = ReceiptView.model_fields.keys() & Receipt.model_fields.keys()


def _recalled_lines(receipt: Receipt, shown: Revisions) -> tuple[RecalledLine, ...]:
    return tuple(
        RecalledLine(**recalled.model_dump(), line=_memory_line(shown.get(recalled.memory_id)))
        for recalled in receipt.memories
    )


def _memory_line(memory: Memory | None) -> str | None:
    return memory_line(memory.title, memory.text) if memory else None


def _visible_revisions(deps: Dependencies, account: str, receipt: Receipt) -> Revisions:
    """Returns the revisions a receipt refers to, without those whose memory or source is gone."""
    wanted = [(recalled.memory_id, recalled.revision) for recalled in receipt.memories]
    if not wanted:
        return {}
    heads = memory_heads.get_readable(deps.table, account, [name for name, _ in wanted])
    deleting = visibility.sessions_being_deleted(deps.table, account)
    found = memory_revisions.get_revisions(deps.table, account, wanted)
    return {
        memory.id: memory
        for memory in found.values()
        if memory.id in heads and visibility.visible_memory(memory, deleting) is not None
    }


def _rebuild_prompt(deps: Dependencies, account: str, receipt: Receipt, shown: Revisions) -> Prompt:
    session_id = ids.parse_turn_id(receipt.turn_id)[0]
    history = [ids.turn_id(session_id, number) for number in receipt.sequences]
    wanted = {turn_id: receipt.versions.get(turn_id, 1) for turn_id in history}
    wanted[receipt.user_turn_id] = receipt.versions.get(receipt.user_turn_id, 1)
    found = turn_versions.get_many(deps.table, account, wanted, deps.clock())
    question = found.get(receipt.user_turn_id)
    checkpoint_ids = [each.id for each in receipt.checkpoints]
    stored_checkpoints = checkpoints.get_many(deps.table, account, checkpoint_ids)
    return Prompt(
        checkpoints=tuple(
            checkpoint_part(stored_checkpoints[each])
            if each in stored_checkpoints
            else CheckpointPart(REMOVED)
            for each in checkpoint_ids
        ),
        query=question.content if question else REMOVED,
        history=tuple(
            _history_turn(number, found.get(turn_id))
            for number, turn_id in zip(receipt.sequences, history, strict=True)
        ),
        memory_lines=tuple(
            _memory_line(shown.get(name)) or REMOVED for name in receipt.prompt_order
        ),
    )


def _history_turn(number: int, turn: Turn | None) -> HistoryTurn:
    """Returns a turn of the history. Questions have odd sequence numbers, answers even ones."""
    if turn is None:
        return HistoryTurn(Role.USER if number % 2 else Role.ASSISTANT, REMOVED)
    return HistoryTurn(turn.role, turn.content)
