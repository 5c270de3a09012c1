"""Revisions of memories, and the user's reviews of them."""

from collections.abc import Iterable

from strandline import keys
from strandline.item_codec import decode
from strandline.models.memory import Memory
from strandline.models.memory_status import GivenReview
from strandline.queries import Query
from strandline.store.pagination import ListPage, PageRequest, read_page
from strandline.table import Table

PREFIX = "REV#"


def get_revisions(
    table: Table, account: str, wanted: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], Memory]:
    """Returns the revisions that exist, by memory id and revision number."""
    found = table.get_many(keys.revision(account, *pair) for pair in wanted)
    memories = [decode(Memory, item) for item in found.values()]
    return {(memory.id, memory.revision): memory for memory in memories}


def page(table: Table, account: str, memory_id: str, request: PageRequest) -> ListPage[Memory]:
    """Returns a page of a memory's revisions, newest first."""
    partition = keys.memory_partition(account, memory_id)
    query = Query(partition, prefix=PREFIX, newest_first=True)
    return read_page(table, query, request, lambda item: decode(Memory, item))


def get_reviews(
    table: Table, account: str, memory_id: str, numbers: Iterable[int]
) -> dict[int, GivenReview]:
    """Returns the reviews of a memory's revisions, by revision number."""
    found = table.get_many(keys.review(account, memory_id, number) for number in numbers)
    stored = [decode(GivenReview, item) for item in found.values()]
    return {each.revision: each for each in stored}


def list_all(table: Table, account: str, memory_id: str) -> list[Memory]:
    """Returns all of a memory's stored revisions, oldest first."""
    query = Query(keys.memory_partition(account, memory_id), prefix=PREFIX)
    return [decode(Memory, item) for item in table.all(query)]
