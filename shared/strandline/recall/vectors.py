"""Vectors of one embedding space: packing as float16, unit length, and cosines."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from strandline.errors import ModelReplyInvalid
from strandline.providers.base import EmbeddingSpace
from strandline.providers.vector_types import Vectors
from strandline.recall.growable_array import GrowableArray

_HALF = np.dtype("<f2")


def pack_vector(vector: NDArray[np.floating]) -> bytes:
    """Returns a vector as the log stores it: unit length, little-endian float16.

    `vector` has the shape (dimensions,). Raises ValueError if it is zero or not finite.
    """
    unit = unit_vector(vector, len(vector))
    if unit is None:
        raise ValueError("a zero or non-finite vector can't be ranked")
    return unit.astype(_HALF).tobytes()


def unit_vector(vector: NDArray[np.floating], dimensions: int) -> Vectors | None:
    """Returns `vector` at unit length, float32 of shape (dimensions,).

    Returns None if it has another shape, is zero, or holds a value that isn't finite.
    """
    if vector.shape != (dimensions,):
        return None
    units, usable = _normalize(vector[np.newaxis].astype(np.float64))
    return units[0] if usable[0] else None


def checked_vectors(vectors: Vectors, count: int, space: EmbeddingSpace) -> Vectors:
    """Returns `vectors` unchanged: an embedder's result for `count` texts in `space`.

    Raises ModelReplyInvalid unless the shape is (count, dimensions) and every row is finite and
    not zero.
    """
    if vectors.shape != (count, space.dimensions) or not _normalize(vectors)[1].all():
        raise ModelReplyInvalid("The embedder gave a vector that can't be used.")
    return vectors


def unpack_vectors(packed: Sequence[bytes], dimensions: int) -> tuple[Vectors, NDArray[np.bool_]]:
    """Returns unit vectors, float32 of shape (n, dimensions), and which rows are usable.

    A row is not usable if its bytes have another size, or if it is zero or not finite; such a row
    is zero.
    """
    size = dimensions * _HALF.itemsize
    sized = np.array([len(each) == size for each in packed], dtype=np.bool_)
    whole = b"".join(each if len(each) == size else bytes(size) for each in packed)
    halves = np.frombuffer(whole, dtype=_HALF).reshape(len(packed), dimensions)
    units, usable = _normalize(halves.astype(np.float32))
    return units, usable & sized


def dimensions_of(space: str) -> int:
    """Returns the dimensions in a space's name, `provider:model@dimensions`; 0 if it has none."""
    size = space.rpartition("@")[2]
    return int(size) if size.isascii() and size.isdigit() else 0


def _normalize(vectors: NDArray[np.floating]) -> tuple[Vectors, NDArray[np.bool_]]:
    """Returns the rows at unit length, and which rows are usable; the others become zero."""
    usable = np.isfinite(vectors).all(axis=1)
    finite = np.where(usable[:, np.newaxis], vectors, 0)
    peaks = np.abs(finite).max(axis=1, initial=0)
    usable &= peaks > 0
    # Divided by the peak first: squares of very large or small numbers leave float32's range.
    scaled = finite / np.where(usable, peaks, 1)[:, np.newaxis]
    lengths = np.linalg.norm(scaled, axis=1)
    units = scaled / np.where(usable, lengths, 1)[:, np.newaxis]
    return units.astype(np.float32), usable


class SpaceVectors:
    """The unit vectors of one embedding space, and the index row that each belongs to."""

    def __init__(self, dimensions: int) -> None:
        """Makes an empty set of vectors of that size."""
        self._vectors = GrowableArray(np.float32, dimensions)
        self._rows = GrowableArray(np.int32)

    @property
    def rows(self) -> NDArray[np.int32]:
        """The index rows of the vectors, of shape (n,)."""
        return self._rows.values

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._vectors.nbytes + self._rows.nbytes

    def extend(self, vectors: Vectors, rows: NDArray[np.int32]) -> None:
        """Adds vectors, of shape (n, dimensions), and the rows they belong to, of shape (n,)."""
        self._vectors.extend(vectors)
        self._rows.extend(rows)

    def cosines(self, unit: Vectors) -> NDArray[np.float32]:
        """Returns each vector's cosine with `unit`, of shape (n,), in the order of `rows`.

        `unit` is a unit vector of shape (dimensions,).
        """
        return self._vectors.values @ unit

    def renumber(self, numbers: NDArray[np.int32]) -> None:
        """Replaces each row number `n` by `numbers[n]`; a row with -1 is dropped."""
        renumbered = numbers[self.rows]
        self._vectors.keep(renumbered >= 0)
        self._rows.keep(renumbered >= 0)
        self._rows.values[:] = renumbered[renumbered >= 0]
