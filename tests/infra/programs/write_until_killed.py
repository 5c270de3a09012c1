"""Writes pairs of items in transactions until it is killed, and says how far it has come.

`ack n` after transaction n was answered, `saved n` when everything up to n is on disk.
"""

import os
import sys
from pathlib import Path

import boto3

from infra.local.persistence import Shelf
from infra.local.runner import Storage
from infra.local.template import load_template


def main(data_template: str, folder: str) -> None:
    """Write for ever."""
    save = Shelf.save
    done = 0

    def save_and_tell(shelf: Shelf) -> None:
        before = done
        save(shelf)
        os.write(1, f"saved {before}\n".encode())

    Shelf.save = save_and_tell  # type: ignore[method-assign]
    storage = Storage(load_template(Path(data_template)), Path(folder))
    client = boto3.client("dynamodb", region_name=storage.data.region)
    while True:
        n = done + 1
        items = [
            {"pk": {"S": "LEFT"}, "sk": {"S": f"{n:06d}"}},
            {"pk": {"S": "RIGHT"}, "sk": {"S": f"{n:06d}"}},
            {"pk": {"S": "LAST"}, "sk": {"S": "LAST"}, "n": {"N": str(n)}},
        ]
        client.transact_write_items(
            TransactItems=[{"Put": {"TableName": storage.data.table, "Item": i}} for i in items]
        )
        done = n
        os.write(1, f"ack {n}\n".encode())


main(*sys.argv[1:])
