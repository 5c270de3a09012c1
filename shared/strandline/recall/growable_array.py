"""A numpy array that grows at its end."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)

_FIRST_CAPACITY = 16


class GrowableArray(Generic[T]):
    """An array of shape (n,), or (n, width), that takes amortised constant time to append to."""

    def __init__(self, dtype: type[T], width: int | None = None) -> None:
        """Makes an empty array of that type; with `width`, of rows of that many values."""
        self._shape = () if width is None else (width,)
        self._array: NDArray[T] = np.empty((0, *self._shape), dtype=dtype)
        self._length = 0

    def __len__(self) -> int:
        """Returns the number of values, or of rows."""
        return self._length

    @property
    def values(self) -> NDArray[T]:
        """The values as a view: writing to it changes the array."""
        return self._array[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes held, spare capacity included."""
        return self._array.nbytes

    def extend(self, values: NDArray[Any]) -> None:
        """Appends all of `values`. Capacity grows by half, so a large matrix is never doubled."""
        length = self._length + len(values)
        if length > len(self._array):
            capacity = max(_FIRST_CAPACITY, length, len(self._array) * 3 // 2)
            grown = np.empty((capacity, *self._shape), dtype=self._array.dtype)
            grown[: self._length] = self.values
            self._array = grown
        self._array[self._length : length] = values
        self._length = length

    def keep(self, mask: NDArray[np.bool_]) -> None:
        """Drops the values where `mask` is false, and the spare capacity."""
        self._array = self.values[mask]
        self._length = len(self._array)
