"""What clients get."""

from strandline.models.base import Value
from strandline.models.checkpoint import Node


class Lineage(Value):
    """A space's checkpoints with their parents, oldest first, and each branch's head."""

    nodes: tuple[Node, ...]
    heads: dict[str, str]
