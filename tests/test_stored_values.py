"""What is stored can be read again, whatever of it is null."""

import types
import typing

import pytest

from strandline.models.base import Value
from strandline.models.event import Event
from strandline.models.job import Job
from strandline.models.memory import Memory
from strandline.models.memory_head import Head, MemoryUsage, Tombstone
from strandline.models.profile import Profile
from strandline.models.receipt import Receipt
from strandline.models.session import Session
from strandline.models.space import Space
from strandline.models.turn import Note, Turn
from strandline.store.accounts.idempotency import IdempotencyRecord
from strandline.store.jobs import OpenJob

STORED: list[type[Value]] = [
    Event,
    Head,
    Job,
    Memory,
    Note,
    OpenJob,
    Profile,
    Receipt,
    IdempotencyRecord,
    Session,
    Space,
    Tombstone,
    Turn,
    MemoryUsage,
]


def inside(annotation: object) -> set[type[Value]]:
    """The values that a field of that type may hold."""
    if isinstance(annotation, type) and issubclass(annotation, Value):
        return {annotation}
    return {found for part in typing.get_args(annotation) for found in inside(part)}


def with_parts(model: type[Value]) -> set[type[Value]]:
    """The model and every value inside it."""
    parts = {model}
    for field in model.model_fields.values():
        for part in inside(field.annotation):
            parts |= with_parts(part)
    return parts


@pytest.mark.parametrize("model", STORED, ids=lambda model: model.__name__)
def test_a_field_that_may_be_null_may_be_left_out(model: type[Value]) -> None:
    """Nulls are not stored: a field without a default would make its row unreadable."""
    for part in with_parts(model):
        for name, field in part.model_fields.items():
            arguments = typing.get_args(field.annotation)
            if types.NoneType in arguments:
                assert not field.is_required(), f"{part.__name__}.{name}"
