"""Property tests: a handful of examples in `make test`, all of them in `make laws`."""

import os
from typing import Any

from hypothesis import settings

FULL = os.environ.get("STRANDLINE_LAWS") == "full"
"""Whether this run is `make laws`."""


def law(examples: int = 100, **more: Any) -> settings:
    """The settings of a property test that takes `examples` examples at full depth.

    Otherwise it takes a tenth of them, three to ten, and the same ones in every run. `more` is
    passed on to `hypothesis.settings`. `make laws` runs every test that hypothesis drives.
    """
    if FULL:
        return settings(deadline=None, max_examples=examples, **more)
    few = min(examples, max(3, min(10, examples // 10)))
    return settings(deadline=None, max_examples=few, derandomize=True, database=None, **more)
