"""Receipts: what the prompt of an assistant turn held."""

from strandline import keys
from strandline.errors import NotFound
from strandline.item_codec import decode, encode
from strandline.models.receipt import Receipt
from strandline.models.turn import Turn
from strandline.table import Table
from strandline.writes import Item, Write, put_new


def receipt_write(account: str, answer: Turn, receipt: Receipt) -> Write:
    """Returns the write that stores an answer's receipt."""
    key = keys.receipt(account, answer.session_id, answer.sequence_number)
    return put_new(key, encode(receipt))


def get(table: Table, account: str, session_id: str, sequence_number: int) -> Receipt:
    """Returns the receipt of the assistant turn with a sequence number. Raises NotFound."""
    item = table.get(keys.receipt(account, session_id, sequence_number))
    if item is None:
        raise NotFound
    return receipt_from_item(item)


def receipt_from_item(item: Item) -> Receipt:
    """Returns the receipt in an item."""
    return decode(Receipt, item)
