"""Kernels defined by a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...core import Array
from ...core.errors import DataError
from ...core.runtime.context import give_way
from .kernel import Kernel

ROWS_AT_ONCE = 1024  # between two checks of the budget


@dataclass(frozen=True)
class Custom(Kernel):
    """Kernel defined by a function of two rows, or of two tables, also for texts, sets and graphs.

    takes="rows": function(x, z) -> number; a table is then anything with rows, for example a list of texts.
    takes="tables": function(X, Y) -> matrix, some rows of X at once; of a column of objects it gets these alone.

    >>> shared = Custom(lambda left, right: len(set(left) & set(right)))
    >>> shared(["abc", "bcd"]).tolist()
    [[3.0, 2.0], [2.0, 3.0]]
    """

    function: Callable[..., Any]
    takes: Literal["rows", "tables"] = "rows"

    @property
    def definite(self) -> bool:
        """Unknown, so False."""
        return False

    def __call__(self, X: Any, Y: Any = None) -> Array:
        if self.takes == "tables":
            Y = X if Y is None else Y
            if _rows(X) <= ROWS_AT_ONCE:
                return self._of_tables(X, Y)
            firsts = range(0, _rows(X), ROWS_AT_ONCE)
            return np.concatenate([self._of_tables(X[i : i + ROWS_AT_ONCE], Y) for i in firsts])
        X, Y = _items(X), None if Y is None or Y is X else _items(Y)
        if Y is not None:
            return np.array([[float(self.function(x, y)) for y in Y] for x in X]).reshape(_rows(X), _rows(Y))
        found = np.empty((_rows(X), _rows(X)))
        for i, x in enumerate(X):
            give_way()
            for j in range(i + 1):
                found[i, j] = found[j, i] = self.function(x, X[j])
        return found

    def _of_tables(self, X: Any, Y: Any) -> Array:
        """The checked values of the function: a finite matrix of the right shape."""
        give_way()
        given = self.function(_items(X), _items(Y))
        found = np.asarray(given.toarray() if hasattr(given, "toarray") else given, dtype=np.float64)
        if found.shape != (_rows(X), _rows(Y)):
            raise DataError(
                f"the kernel function gave an array of shape {found.shape} for tables of {_rows(X)} and {_rows(Y)} rows"
                "; it must give a row for each row of the first, with a number for each row of the second"
            )
        if not np.isfinite(found).all():
            raise DataError("the kernel function gave values that are not finite; every similarity must be a number")
        return found

    def diagonal(self, X: Any) -> Array:
        if self.takes == "rows":
            return np.array([float(self.function(x, x)) for x in _items(X)])
        one_by_one = (self.function(X[i : i + 1], X[i : i + 1]) for i in range(_rows(X)))
        return np.array([float(np.asarray(found).item()) for found in one_by_one])


def _items(table: Any) -> Any:
    """The table, or its only column if that holds objects."""
    things = isinstance(table, np.ndarray) and table.dtype.kind == "O" and table.shape[1] == 1
    return table[:, 0] if things else table


def _rows(table: Any) -> int:
    return int(table.shape[0]) if hasattr(table, "shape") else len(table)
