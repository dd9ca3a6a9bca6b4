"""Terms counted in texts: compiled for the usual ways to cut a text, in Python for all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

import numpy as np

from ...core import Array
from ...core.runtime.context import give_way
from ...core.runtime.native import kernels
from ._analyzer import ascii_bitmaps, character_bitmaps

MIN_LENGTH_OF_PATTERN = {  # patterns that mean: whole words with this minimum length
    pattern: length
    for length, core in ((1, r"\w+"), (2, r"\w\w+"))
    for pattern in (rf"(?u)\b{core}\b", rf"\b{core}\b", rf"(?u){core}", core)
}


class TermCounts(Protocol):
    """The terms of some texts and how often each text has each."""

    def terms(self) -> list[Any]:
        """The distinct terms, in order."""

    def hashes(self, seed: int) -> Array:
        """MurmurHash3 of each term."""

    def rows(self, columns: Array | None = None, signs: Array | None = None, real: bool = False) -> tuple[Array, ...]:
        """The pointers, columns and values of a sparse matrix with term k in columns[k], times signs[k]."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A way to cut texts that the compiled counter knows."""

    unit: str
    low: int
    high: int
    shortest: int
    lower: bool
    stop: tuple[str, ...]

    def count(self, texts: list[str]) -> TermCounts:
        """Counts of the texts; characters beyond ASCII are lowered here, as only Python knows all their rules."""
        plain = all(map(str.isascii, texts))
        if not plain and self.lower:
            texts = [text if text.isascii() else text.lower() for text in texts]
        word, space = ascii_bitmaps() if plain else character_bitmaps()
        return kernels.count_terms(
            texts, word, space, self.unit, self.low, self.high, self.shortest, self.lower, list(self.stop)
        )


def _counted(document: Any, analyze: Callable[[Any], Iterable[Hashable]]) -> Counter[Hashable]:
    give_way()
    return Counter(analyze(document))


class CountsInPython:
    """Counts of terms that any function finds in any documents."""

    def __init__(self, documents: Iterable[Any], analyze: Callable[[Any], Iterable[Hashable]]) -> None:
        counted = [_counted(document, analyze) for document in documents]
        self._terms: list[Any] = sorted(set().union(*counted))
        rank = {term: place for place, term in enumerate(self._terms)}
        self._start = np.cumsum([0, *map(len, counted)])
        self._rank = np.fromiter((rank[term] for row in counted for term in row), np.int64, self._start[-1])
        self._count = np.fromiter(chain.from_iterable(row.values() for row in counted), np.int64, self._start[-1])

    def terms(self) -> list[Any]:
        """The distinct terms, in order."""
        return self._terms

    def hashes(self, seed: int) -> Array:
        """MurmurHash3 of each term."""
        return kernels.hash_terms(self._terms, seed)

    def rows(self, columns: Array | None = None, signs: Array | None = None, real: bool = False) -> tuple[Array, ...]:
        """The pointers, columns and values of a sparse matrix with term k in columns[k], times signs[k]."""
        from scipy.sparse import coo_array

        place = self._rank if columns is None else columns[self._rank]
        count = self._count if signs is None else self._count * signs[self._rank]
        row = np.repeat(np.arange(len(self._start) - 1), np.diff(self._start))
        kept = place >= 0
        shape = (len(self._start) - 1, int(place.max(initial=0)) + 1)
        matrix = coo_array((count[kept], (row[kept], place[kept])), shape=shape).tocsr()
        matrix.sort_indices()
        return matrix.indptr, matrix.indices, matrix.data.astype(np.float64 if real else np.int64)


def matrix_of(parts: tuple[Array, ...], columns: int, dtype: Any) -> Any:
    """A SciPy matrix by rows of the parts that `Counts.rows` gives."""
    from scipy.sparse import csr_matrix

    start, index, value = parts
    small = start[-1] <= np.iinfo(np.int32).max
    kind = np.int32 if small else np.int64
    matrix = csr_matrix((len(start) - 1, columns), dtype=dtype)
    matrix.indptr, matrix.indices = start.astype(kind, copy=False), index.astype(kind, copy=False)
    matrix.data = value.astype(dtype, copy=False)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix
