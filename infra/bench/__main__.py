"""`make bench`: prints each table beside its target, and writes bench-results/bench.json."""

import contextlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from infra.bench import aws_calls, cost, imports, memory_graph, ranking

Rows = list[dict[str, Any]]
RESULTS = Path("bench-results") / "bench.json"


def main() -> None:
    """Run them all."""
    results: dict[str, Any] = {}
    _title("(a) ranking: median ms, target: at 10,000 within 2x of the bare numpy floor")
    results["ranking"] = ranking.run()
    ranking.print_table(results["ranking"])
    _title("(b) AWS calls of a chat turn; target: warm, at most 6 in sequence at any size")
    results["calls"] = _quietly(aws_calls.run)
    _table(aws_calls.COLUMNS, results["calls"])
    _title("(c) CPU time of importing; target: the chat handler at most 2.5x boto3")
    results["imports"] = imports.run()
    _table(imports.COLUMNS, results["imports"])
    _title("(d) the memory graph at 10,000 memories; target: few calls, at most 2 MB a request")
    results["graph"] = _quietly(memory_graph.run)
    _table(memory_graph.COLUMNS, results["graph"])
    _title("(e) calculated cost of 1,000 turns in US dollars; target: below 0.07")
    results["cost"] = _quietly(cost.run)
    _table(("what", "units", "dollars"), results["cost"])
    _assumptions(cost.ASSUMPTIONS, cost.PRICES, cost.waiting())
    results["assumptions"] = {"prices": cost.PRICES, **cost.ASSUMPTIONS}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(f"\nwritten to {RESULTS}")


def _quietly(bench: Callable[[], Rows]) -> Rows:
    """The handlers' own logs and metrics are no part of a bench's output."""
    with contextlib.redirect_stdout(io.StringIO()):
        return bench()


def _title(text: str) -> None:
    print(f"\n{text}")


def _table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    cells = [list(columns), *([_cell(row[name]) for name in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _assumptions(given: Mapping[str, Any], prices: Mapping[str, float], waiting: float) -> None:
    print("assumed:")
    for name, value in given.items():
        print(f"  {name}: {value}")
    for name, price in prices.items():
        print(f"  {name}: ${price:.10g}")
    print(f"beside the sum: each second of waiting for the model adds ${waiting:.4f}")


if __name__ == "__main__":
    main()
