"""Two tables of rows to compare, checked: one column space, numbers of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..core.data import Door
from ..core.errors import DataError


@dataclass(frozen=True, slots=True)
class Pair:
    """Rows of two tables; `same` says that there is one table only."""

    X: Any
    Y: Any
    same: bool
    single: bool

    @property
    def sparse(self) -> bool:
        """Whether either table is sparse."""
        return hasattr(self.X, "tocsr") or hasattr(self.Y, "tocsr")

    def dense(self) -> tuple[Array, Array]:
        """Both as contiguous rows of double precision; one array where they are one."""
        X = _rows(self.X)
        return X, X if self.same else _rows(self.Y)

    def widened(self) -> Pair:
        """The same in double precision."""
        X = self.X.astype(np.float64, copy=False)
        return Pair(X, X if self.same else self.Y.astype(np.float64, copy=False), self.same, False)

    def cast(self, table: Array) -> Array:
        """A result in the precision of the data."""
        return table.astype(np.float32) if self.single else table


def pair(owner: str, X: Any, Y: Any = None, missing: bool = False) -> Pair:
    """`X` and `Y` (None: `X` again), checked; missing values are let through where they are allowed."""
    door = Door(owner, sparse=True, storage="csr", missing="native" if missing else "refuse")
    left = door.matrix(X)[0]
    right = left if Y is None or Y is X else door.matrix(Y)[0]
    if left.shape[1] != right.shape[1]:
        raise DataError(
            f"{owner}: Incompatible dimension for X and Y matrices: X.shape[1] == {left.shape[1]} "
            f"while Y.shape[1] == {right.shape[1]}"
        )
    single = left.dtype == np.float32 and right.dtype == np.float32
    return Pair(left, right, right is left, single)


def paired(owner: str, X: Any, Y: Any) -> Pair:
    """Two tables of one shape, compared row by row."""
    tables = pair(owner, X, Y)
    if tables.X.shape != tables.Y.shape:
        raise DataError(
            f"{owner}: X and Y should be of same shape. They were respectively {tables.X.shape} and "
            f"{tables.Y.shape} long."
        )
    return tables


def _rows(table: Any) -> Array:
    return np.ascontiguousarray(table.toarray() if hasattr(table, "toarray") else table, dtype=np.float64)
