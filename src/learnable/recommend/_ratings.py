"""Ratings as pairs of ids and as a sparse matrix of users and items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, Matrix, Table
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import refuse_broken
from ..core.validate.targets import is_sparse
from ..engines.columns.categories import codes_of, factorised


def pairs_of(owner: str, X: Any) -> tuple[Table, list[str] | None]:
    """The user and the item of each rating: a table of two columns of any kind."""
    table, names = FeatureValidator(owner).table(X)
    if table.shape[1] != 2:
        raise DataError(
            f"{owner}: X must have two columns, the user and the item of each rating; it has {table.shape[1]}. A "
            "matrix of users and items must be sparse, with an entry for each rating"
        )
    return table, names


def as_rated_pairs(owner: str, X: Any, y: Any) -> tuple[Any, Any]:
    """Pairs and ratings: as given, from a sparse matrix of users and items, or one for each pair without ratings."""
    if is_sparse(X):
        refuse_broken(owner, "X", X)
        entries = X.tocoo()
        pairs = np.column_stack([entries.row, entries.col]).astype(np.int64)
        if not len(pairs):
            raise DataError(f"{owner}: X has no entries: 0 sample(s) while a minimum of 1 is required.")
        return pairs, np.asarray(entries.data, dtype=np.float64) if y is None else y
    if y is None:
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return X, np.ones(rows)
    return X, y


def codes(table: Table, column: int, known: Array) -> Array:
    """The index of each user, or item, among those that are known; -1 for others."""
    return codes_of(table.parts[column], known, f"column {column}")


@dataclass(frozen=True)
class RatingTable:
    """Ratings by code of user and item, one for each pair, with their weights."""

    users: Array
    items: Array
    matrix: Matrix  # csr: users, items
    weight: Matrix | None  # of the same pattern; None: one each

    @classmethod
    def of(cls, pairs: Table, y: Array, weight: Array | None) -> RatingTable:
        """The ratings of a data set; several of one pair become their mean, with the sum of their weights."""
        from scipy.sparse import csr_array

        users, user = factorised(pairs.parts[0], "column 0")
        items, item = factorised(pairs.parts[1], "column 1")
        order = _order_by(user, item)
        row_weights = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
        order = order[row_weights[order] > 0]
        user, item, value, row_weights = (
            user[order],
            item[order],
            np.asarray(y, dtype=np.float64)[order],
            row_weights[order],
        )
        first = np.flatnonzero(np.diff(user, prepend=-1) | np.diff(item, prepend=-1))
        total = np.add.reduceat(row_weights, first)
        value = np.add.reduceat(row_weights * value, first) / total
        users, user = _used(users, user[first])
        items, item = _used(items, item[first])
        start = np.concatenate([[0], np.cumsum(np.bincount(user, minlength=len(users)))])
        shape = (len(users), len(items))
        matrix = csr_array((value, item.astype(np.int32), start.astype(np.int32)), shape=shape)
        several = weight is not None or len(first) < len(order)
        weights = csr_array((total, item.astype(np.int32), start.astype(np.int32)), shape=shape) if several else None
        return cls(users, items, matrix, weights)

    @property
    def mean(self) -> float:
        """The weighted mean of the ratings."""
        return float(np.average(self.matrix.data, weights=None if self.weight is None else self.weight.data))

    @property
    def weights(self) -> Array:
        """The weight of each rating."""
        return np.ones(self.matrix.nnz) if self.weight is None else np.asarray(self.weight.data)

    @property
    def user(self) -> Array:
        """The user of each rating."""
        return np.repeat(np.arange(self.matrix.shape[0], dtype=np.int32), np.diff(self.matrix.indptr))

    @property
    def item(self) -> Array:
        """The item of each rating."""
        return np.asarray(self.matrix.indices, dtype=np.int32)


def _order_by(user: Array, item: Array) -> Array:
    """The order by user, and by item for each: stable sorts by 16 bits, the last of the item first."""
    order = np.arange(len(user))
    for code in (item, user):
        for shift in range(0, int(code.max(initial=0)).bit_length(), 16):
            digit = (code[order] >> shift & 0xFFFF).astype(np.uint16)
            order = order[np.argsort(digit, kind="stable")]
    return order


def _used(ids: Array, code: Array) -> tuple[Array, Array]:
    """The ids that occur among the codes, and the codes among these."""
    here = np.bincount(code, minlength=len(ids)) > 0
    return (ids, code) if here.all() else (ids[here], (np.cumsum(here) - 1)[code])


def parts(matrix: Matrix) -> tuple[Array, Array, Array]:
    """Start, index and value of a matrix by rows, in the types of the kernels."""
    return (
        np.asarray(matrix.indptr, dtype=np.int64),
        np.asarray(matrix.indices, dtype=np.int32),
        np.asarray(matrix.data, dtype=np.float64),
    )
