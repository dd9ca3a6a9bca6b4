"""Two tables of rows to compare, checked: one column space, numbers of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import DataType, Rows, checked
from ..core.errors import DataError
from ..core.validate.features import FeatureValidator


@dataclass(frozen=True, slots=True)
class Pair:
    """Rows of two tables; `same` says that there is one table only, `flags` that they were yes and no as they came."""

    X: Any
    Y: Any
    same: bool
    single: bool
    flags: bool = False

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
    validator = FeatureValidator(owner, sparse=True, storage="csr", missing="native" if missing else "refuse")
    left = validator.matrix(X)[0]
    right = left if Y is None or Y is X else validator.matrix(Y)[0]
    _check_width(owner, left, right)
    single = left.dtype == np.float32 and right.dtype == np.float32
    flags = all(getattr(table, "dtype", None) == np.dtype(bool) for table in (X, X if Y is None else Y))
    return Pair(left, right, right is left, single, flags)


@checked()
def check_pairwise_arrays(
    X: Rows,
    Y: Rows | None,
    *,
    precomputed: bool = False,
    dtype: Literal["infer_float"] | DataType | None = "infer_float",
    accept_sparse: Any = "csr",
    ensure_all_finite: bool | str = True,
    ensure_2d: bool = True,
    copy: bool = False,
) -> tuple[Any, Any]:
    """Both tables as arrays of numbers with columns that match, the second one the first where it is None.

    Where X holds distances to the rows of Y (`precomputed`), its columns must be as many as these rows. `dtype` is a
    type, or "infer_float": single precision where both tables have it, double elsewhere.

    >>> [table.dtype.name for table in check_pairwise_arrays([[1, 2]], None)]
    ['float64', 'float64']
    """
    owner = "check_pairwise_arrays"
    if not ensure_2d:
        return X, X if Y is None else Y
    validator = FeatureValidator(owner, bool(accept_sparse), "csr", "refuse" if ensure_all_finite is True else "native")
    left = validator.matrix(X)[0]
    right = left if Y is None or Y is X else validator.matrix(Y)[0]
    if precomputed:
        if left.shape[1] != right.shape[0]:
            raise DataError(
                f"{owner}: Precomputed metric requires shape (n_queries, n_indexed). Got {left.shape} for "
                f"{right.shape[0]} indexed."
            )
    else:
        _check_width(owner, left, right)
    kinds = {left.dtype, right.dtype}
    requested = (np.float32 if kinds == {np.dtype(np.float32)} else np.float64) if dtype == "infer_float" else dtype
    first, second = (table if requested is None else table.astype(requested, copy=copy) for table in (left, right))
    return first, first if right is left else second


@checked()
def check_paired_arrays(X: Rows, Y: Rows) -> tuple[Any, Any]:
    """Both tables as arrays of numbers of one shape.

    >>> [table.tolist() for table in check_paired_arrays([[1, 2]], [[3, 4]])]
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    tables = paired("check_paired_arrays", X, Y)
    return tables.X, tables.Y


def paired(owner: str, X: Any, Y: Any) -> Pair:
    """Two tables of one shape, compared row by row."""
    tables = pair(owner, X, Y)
    if tables.X.shape != tables.Y.shape:
        raise DataError(
            f"{owner}: X and Y are paired row by row, but their shapes are {tables.X.shape} and {tables.Y.shape}"
        )
    return tables


def _check_width(owner: str, left: Any, right: Any) -> None:
    if left.shape[1] != right.shape[1]:
        raise DataError(
            f"{owner}: Incompatible dimension for X and Y matrices: X.shape[1] == {left.shape[1]} "
            f"while Y.shape[1] == {right.shape[1]}"
        )


def _rows(table: Any) -> Array:
    return np.ascontiguousarray(table.toarray() if hasattr(table, "toarray") else table, dtype=np.float64)
