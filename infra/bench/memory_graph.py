"""Bench (d): what a look into the memory graph asks of AWS, in an account of 10,000 memories."""

import json
from typing import Any

from functions.diagnostics.app import handler
from infra.bench.aws_calls import context
from infra.bench.bench_account import ACCOUNT, Stage, stage
from infra.bench.metering import Meter, depth
from infra.local.api_events import Request, api_event
from infra.local.template import Route
from strandline import ids, keys
from strandline.clock import utc_now
from strandline.item_codec import encode
from strandline.models.memory import Memory, Reference
from strandline.models.memory_head import Head
from strandline.models.turn import Role, Turn, TurnStatus
from strandline.queries import Query
from strandline.store.memories import memory_heads
from strandline.store.memories.incoming_references import IncomingReference
from strandline.store.memories.memory_heads import head_item
from strandline.store.pagination import PageRequest
from strandline.table import Table
from strandline.writes import Item

SIZE = 10_000
GROWN = 200
"""So many memories form a tree: each refers to two others, whose turns are there to be quoted."""
MOST_CALLS = 12
MOST_BYTES = 2_000_000
COLUMNS = ("request", "items", "calls", "in_sequence", "bytes_read")
CLAIMS = {"sub": ACCOUNT, "scope": "debug:read turns:read", "developer": True}
ROUTE = "/v1/debug/memories"
BATCH = 25


def run(size: int = SIZE) -> list[dict[str, Any]]:
    """Rows with COLUMNS. Raises RuntimeError for a request beyond MOST_CALLS or MOST_BYTES."""
    with stage(size) as made:
        found = _grow(made, min(GROWN, size))
        _refer(made, found[-1])
        root, target = found[0].id, found[-1].id
        meter = Meter()
        made.install(meter.watch(made.client), meter.watch(made.sqs))
        return [
            _row(meter, "list, a page of 100", "", "limit=100"),
            _row(meter, "list, a filter that nothing passes", "", "label=none"),
            _row(meter, "search, cold", "/search", "q=violin+harbour&limit=100"),
            _row(meter, "search, warm", "/search", "q=violin+harbour&limit=100"),
            _row(meter, "search, all filtered out", "/search", "q=told&label=none"),
            _row(meter, "evidence, direct", f"/{root}/evidence", ""),
            _row(
                meter, "evidence, 16 deep, 100 nodes", f"/{root}/evidence",
                "depth=16&node_budget=100&limit=100",
            ),
            _row(meter, f"referenced by {size:,}", f"/{target}/referenced_by", "limit=100"),
            _row(
                meter, f"referenced by {size:,}, with history", f"/{target}/referenced_by",
                "limit=100&history=true",
            ),
            _row(
                meter, f"referenced by {size:,}, none of that revision",
                f"/{target}/referenced_by", "limit=100&target_revision=7",
            ),
        ]  # fmt: skip


def _row(meter: Meter, name: str, path: str, query: str) -> dict[str, Any]:
    request = Request("GET", ROUTE + path, query, [], b"")
    first, _, rest = path.removeprefix("/").partition("/")
    own = ROUTE + ("/search" if first == "search" else "/{memory_id}" if first else "")
    route = Route("GET", own + (f"/{rest}" if rest else ""), "DiagnosticsFunction", True)
    named = {"memory_id": first} if first and first != "search" else {}
    answer = handler(api_event(request, route, named, CLAIMS, utc_now()), context())
    if answer["statusCode"] != 200:
        raise RuntimeError(answer["body"])
    calls = meter.take()
    read = sum(call.bytes_read for call in calls)
    # A cold search loads the account's index, as the first message of a process does.
    within = len(calls) <= LIMITS.get(name, MOST_CALLS) and read <= MOST_BYTES
    if not within and "cold" not in name:
        raise RuntimeError(f"{name}: {len(calls)} calls, {read:,} bytes")
    return {
        "request": name,
        "items": len(json.loads(answer["body"])["items"]),
        "calls": len(calls),
        "in_sequence": depth(calls),
        "bytes_read": read,
    }


LIMITS = {"evidence, 16 deep, 100 nodes": 24}
"""A level is a few calls, whatever is on it: seven levels hold a hundred of the tree."""


def _grow(made: Stage, count: int) -> list[Memory]:
    """Let the first memories refer to two others each, with their revisions and turns."""
    table = Table(made.client, made.data.table)
    found = memory_heads.page(table, ACCOUNT, PageRequest(count), lambda head: head).items
    grown = [_referring(head.memory, number, found) for number, head in enumerate(found)]
    _put(made, [item for head, memory in zip(found, grown, strict=True)
                for item in _items(head, memory)])  # fmt: skip
    return grown


def _referring(memory: Memory, number: int, found: tuple[Head, ...]) -> Memory:
    others = [found[n].memory.id for n in (2 * number + 1, 2 * number + 2) if n < len(found)]
    references = tuple(Reference(memory_id=name, revision=1) for name in others)
    return memory.model_copy(update={"references": references})


def _items(head: Head, memory: Memory) -> list[Item]:
    [cited] = memory.evidence
    session_id, number = ids.parse_turn_id(cited.turn_id)
    turn = Turn(
        id=cited.turn_id,
        session_id=session_id,
        sequence_number=number,
        role=Role.USER,
        content="Words as they are said in a chat, a few sentences of them. " * 6,
        created_at=cited.said_at,
        status=TurnStatus.ANSWERED,
    )
    changed = head.model_copy(update={"memory": memory})
    items = [
        (keys.memory(ACCOUNT, memory.id), head_item(changed)),
        (keys.revision(ACCOUNT, memory.id, 1), encode(memory)),
        (keys.turn(ACCOUNT, session_id, number), encode(turn)),
    ]
    return [key._asdict() | item for key, item in items]


def _refer(made: Stage, target: Memory) -> None:
    """Let every memory of the account refer to one."""
    table = Table(made.client, made.data.table)
    items = []
    query = Query(keys.memory(ACCOUNT, "").pk, prefix=memory_heads.PREFIX)
    for item in table.all(query):
        mark = IncomingReference(source=item["id"], revision=1, targets=(1,))
        key = keys.incoming_reference(ACCOUNT, target.id, item["id"], 1)
        items.append(key._asdict() | encode(mark))
    _put(made, items)


def _put(made: Stage, items: list[Item]) -> None:
    unique = list({(item["pk"], item["sk"]): item for item in items}.values())
    for start in range(0, len(unique), BATCH):
        batch = [{"PutRequest": {"Item": item}} for item in unique[start : start + BATCH]]
        made.client.batch_write_item(RequestItems={made.data.table: batch})
