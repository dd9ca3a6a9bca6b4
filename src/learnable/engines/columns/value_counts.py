"""How often each value of a column occurs: counts that add, for rows that are read in blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.errors import DataError
from ...core.validate.features import Array, column_name
from ...core.validate.mixed_table import CategoricalColumn, Table
from ..passes import RowBlock
from .categories import factorised

MAX_VALUES = 20_000_000


@dataclass(frozen=True)
class ValueCounts:
    """The different values of a column, and the weight of the rows with each."""

    values: Array
    counts: Array
    where: str

    @classmethod
    def of(cls, column: Array | CategoricalColumn, weight: Array | None, where: str) -> ValueCounts:
        """Those of a column; values of rows of weight zero are not seen."""
        values, codes = factorised(column, where)
        counts = np.bincount(codes, weight, len(values)).astype(np.float64)
        return cls(values[counts > 0], counts[counts > 0], where)

    def __add__(self, other: ValueCounts) -> ValueCounts:
        kinds = self.values.dtype.kind, other.values.dtype.kind
        if "O" in kinds or (kinds[0] in "US") != (kinds[1] in "US"):
            values = np.empty(len(self.values) + len(other.values), dtype=object)
            values[:] = [*self.values.tolist(), *other.values.tolist()]
        else:
            values = np.concatenate([self.values, other.values])
        if len(values) > MAX_VALUES:
            raise DataError(f"{self.where} has more than {MAX_VALUES} different values; leave it out or hash it")
        distinct, codes = factorised(values, self.where)
        counts = np.bincount(codes, np.concatenate([self.counts, other.counts]), len(distinct))
        return ValueCounts(distinct, counts, self.where)


def value_counts(block: RowBlock, owner: str) -> list[ValueCounts]:
    """The values of each column of a block, of a table or of a matrix of numbers."""
    columns = block.X.parts if isinstance(block.X, Table) else list(block.X.T)
    names = block.names
    return [
        ValueCounts.of(column, block.weight, f"{owner}: {column_name(names, j)}") for j, column in enumerate(columns)
    ]
