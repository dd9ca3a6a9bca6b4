"""Products of the stored entries of sparse rows."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from ..core import Array


class SparseProducts:
    """The products of the stored entries of each row of a CSR matrix, degree by degree.

    The columns of one degree are in the lexicographic order of their factors. A product gets a factor in front:
    its column is that of the shorter product, moved by an offset that depends on the new factor alone.
    """

    def __init__(self, X: Any, distinct: bool) -> None:
        self.width, self.distinct = int(X.shape[1]), distinct
        self.lengths, self.data = np.diff(X.indptr), X.data
        self.rows = np.repeat(np.arange(X.shape[0]), self.lengths)
        self.starts = np.repeat(X.indptr[:-1], self.lengths).astype(np.int64)
        self.used, self.column = np.unique(X.indices, return_inverse=True)
        self.first = np.arange(len(X.data))  # the first factor of each product, as an index of the stored entries
        self.codes, self.values = X.indices.astype(np.int64), X.data
        self.degree = 1

    def count(self, degree: int) -> int:
        """How many products of a degree the stored entries make."""
        lengths, often = np.unique(self.lengths, return_counts=True)
        return sum(many * self._products(length, degree) for length, many in zip(lengths.tolist(), often.tolist(),
                                                                                   strict=True))  # fmt: skip

    def _products(self, columns: int, degree: int) -> int:
        return comb(columns, degree) if self.distinct else comb(columns + degree - 1, degree) if columns else 0

    def of_degree(self, degree: int) -> tuple[Array, Array, Array]:
        """Row, column among those of the degree, and value of each product; degrees come in order from 1."""
        while self.degree < degree:
            self._extend()
        return self.rows[self.first], self.codes, self.values

    def _extend(self) -> None:
        """One factor more, in a column no later than the first one."""
        self.degree += 1
        lowest = self.starts[self.first]
        counts = self.first - lowest + (not self.distinct)
        product = np.repeat(np.arange(len(counts)), counts)
        factor = np.arange(len(product)) - np.repeat(np.cumsum(counts) - counts, counts) + lowest[product]
        self.codes = self.codes[product] + self._offsets()[self.column[factor]]
        self.values = self.values[product] * self.data[factor]
        self.first = factor

    def _offsets(self) -> Array:
        """How far each column in front moves a product of one degree less."""
        found = [
            self._start(column, self.degree) - self._start(column + self.distinct, self.degree - 1)
            for column in self.used.tolist()
        ]
        return np.array(found, dtype=np.int64)

    def _start(self, column: int, degree: int) -> int:
        """How many products of a degree begin with an earlier column."""
        return self._products(self.width, degree) - self._products(self.width - column, degree)
