"""Blocks of decoded log entries, which an index adds at once.

Entries are grouped by embedding space when they are folded.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from strandline.models.index_entry import BYTES_PER_TERM, IndexEntry
from strandline.providers.vector_types import Vectors
from strandline.recall.stemming import unpack_terms
from strandline.recall.vectors import dimensions_of, unpack_vectors


@dataclass(frozen=True, slots=True)
class EntryBlock:
    """Rankable entries of one embedding space, with decoded vectors and terms.

    `vectors` are unit vectors of shape (entries, dimensions). `stems`, `counts` and `terms_of`
    have the shape (terms,): the terms of all entries in order, and for each term the position of
    its entry.
    """

    space: str
    entries: tuple[IndexEntry, ...]
    vectors: Vectors
    stems: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    terms_of: NDArray[np.int64]

    def column(self, name: str) -> NDArray[np.int64]:
        """Returns an integer field of every entry, of shape (entries,)."""
        return np.array([getattr(entry, name) for entry in self.entries], dtype=np.int64)

    def importance(self) -> NDArray[np.float64]:
        """Returns the stored importance of every entry, of shape (entries,)."""
        return np.array([entry.importance for entry in self.entries], dtype=np.float64)

    def lengths(self) -> NDArray[np.int32]:
        """Returns how many terms each entry has, repetitions included, of shape (entries,)."""
        summed = np.bincount(self.terms_of, weights=self.counts, minlength=len(self.entries))
        return summed.astype(np.int32)


def decode_entries(entries: Sequence[IndexEntry]) -> tuple[list[EntryBlock], list[IndexEntry]]:
    """Returns the entries as blocks, and the entries whose vectors are unusable.

    A vector is unusable if it is zero, not finite or of the wrong size. Raises ValueError for
    terms that `stemming.pack_terms` didn't write.
    """
    blocks: list[EntryBlock] = []
    unusable: list[IndexEntry] = []
    for space in sorted({entry.space for entry in entries}):
        in_space = [entry for entry in entries if entry.space == space]
        vectors, usable = unpack_vectors([entry.vector for entry in in_space], dimensions_of(space))
        unusable += [entry for entry, good in zip(in_space, usable, strict=True) if not good]
        kept = tuple(entry for entry, good in zip(in_space, usable, strict=True) if good)
        if kept:
            blocks.append(_block(space, kept, vectors[usable]))
    return blocks, unusable


def _block(space: str, entries: tuple[IndexEntry, ...], vectors: Vectors) -> EntryBlock:
    stems, counts = unpack_terms(b"".join(entry.terms for entry in entries))
    sizes = [len(entry.terms) // BYTES_PER_TERM for entry in entries]
    terms_of = np.repeat(np.arange(len(entries), dtype=np.int64), sizes)
    return EntryBlock(space, entries, vectors, stems, counts, terms_of)
