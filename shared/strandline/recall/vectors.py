"""Vectors of one embedding space: from the log's float16 to unit float32, and compared."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from strandline.errors import ModelReplyInvalid
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.recall.growable_array import GrowableArray

_HALF = np.dtype("<f2")


def pack_vector(vector: NDArray[np.floating]) -> bytes:
    """A vector as the log keeps it: unit length, little-endian float16.

    Raises ValueError for a vector that can't be ranked.
    """
    unit = unit_vector(vector, len(vector))
    if unit is None:
        raise ValueError("a zero or non-finite vector can't be ranked")
    return unit.astype(_HALF).tobytes()


def unit_vector(vector: NDArray[np.floating], dimensions: int) -> Vectors | None:
    """`vector` at unit length, or None if it is of other size, zero, or not finite."""
    if vector.shape != (dimensions,):
        return None
    units, usable = _units(vector[np.newaxis].astype(np.float64))
    return units[0] if usable[0] else None


def checked_vectors(vectors: Vectors, count: int, space: EmbeddingSpace) -> Vectors:
    """What an embedder gave for `count` texts, if every row can be compared in its space.

    Raises ModelReplyInvalid.
    """
    if vectors.shape != (count, space.dimensions) or not _units(vectors)[1].all():
        raise ModelReplyInvalid("The embedder gave a vector that can't be used.")
    return vectors


def unpack_vectors(packed: Sequence[bytes], dimensions: int) -> tuple[Vectors, NDArray[np.bool_]]:
    """Unit vectors, one row for each of `packed`, and which of them can be ranked at all."""
    size = dimensions * _HALF.itemsize
    right = np.array([len(one) == size for one in packed], dtype=np.bool_)
    whole = b"".join(one if len(one) == size else bytes(size) for one in packed)
    halves = np.frombuffer(whole, dtype=_HALF).reshape(len(packed), dimensions)
    units, usable = _units(halves.astype(np.float32))
    return units, usable & right


def dimensions_of(space: str) -> int:
    """The size that `provider:model@size` (EmbeddingSpace.name) names, 0 if it names none."""
    size = space.rpartition("@")[2]
    return int(size) if size.isascii() and size.isdigit() else 0


def _units(vectors: NDArray[np.floating]) -> tuple[Vectors, NDArray[np.bool_]]:
    """Rows at unit length, and which rows have a length; the others become zero."""
    usable = np.isfinite(vectors).all(axis=1)
    finite = np.where(usable[:, np.newaxis], vectors, 0)
    peaks = np.abs(finite).max(axis=1, initial=0)
    usable &= peaks > 0
    # By the peak first: the square of a very large or small number leaves float32's range.
    scaled = finite / np.where(usable, peaks, 1)[:, np.newaxis]
    lengths = np.linalg.norm(scaled, axis=1)
    units = scaled / np.where(usable, lengths, 1)[:, np.newaxis]
    return units.astype(np.float32), usable


class SpaceVectors:
    """The unit vectors of one space, and which row of the index each belongs to."""

    def __init__(self, dimensions: int) -> None:
        self._vectors = GrowableArray(np.float32, dimensions)
        self._rows = GrowableArray(np.int32)

    @property
    def rows(self) -> NDArray[np.int32]:
        """The index's rows, in the vectors' order."""
        return self._rows.values

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._vectors.nbytes + self._rows.nbytes

    def extend(self, vectors: Vectors, rows: NDArray[np.int32]) -> None:
        """Take in vectors and the rows they belong to."""
        self._vectors.extend(vectors)
        self._rows.extend(rows)

    def cosines(self, unit: Vectors) -> NDArray[np.float32]:
        """The cosine of each vector with `unit`, in the order of `rows`."""
        return self._vectors.values @ unit

    def renumber(self, numbers: NDArray[np.int32]) -> None:
        """Give each row its new number; a row numbered -1 goes."""
        renumbered = numbers[self.rows]
        self._vectors.keep(renumbered >= 0)
        self._rows.keep(renumbered >= 0)
        self._rows.values[:] = renumbered[renumbered >= 0]
