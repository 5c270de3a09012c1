"""A numpy array that grows at its end."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)

_FIRST_CAPACITY = 16


class GrowableArray(Generic[T]):
    """Values of one type, or rows of `width` values; appending costs amortised constant time."""

    def __init__(self, dtype: type[T], width: int | None = None) -> None:
        self._shape = () if width is None else (width,)
        self._array: NDArray[T] = np.empty((0, *self._shape), dtype=dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def values(self) -> NDArray[T]:
        """What was appended, as a view: writing to it writes to the column."""
        return self._array[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes held, room for growth included."""
        return self._array.nbytes

    def extend(self, values: NDArray[Any]) -> None:
        """Append all of `values`; room grows by half, never by the whole of a large matrix."""
        length = self._length + len(values)
        if length > len(self._array):
            capacity = max(_FIRST_CAPACITY, length, len(self._array) * 3 // 2)
            grown = np.empty((capacity, *self._shape), dtype=self._array.dtype)
            grown[: self._length] = self.values
            self._array = grown
        self._array[self._length : length] = values
        self._length = length

    def keep(self, mask: NDArray[np.bool_]) -> None:
        """Drop the values where `mask` is false, and the spare room."""
        self._array = self.values[mask]
        self._length = len(self._array)
