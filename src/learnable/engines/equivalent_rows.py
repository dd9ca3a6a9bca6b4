"""Few rows with the same moments as many: what a least-squares method learns from them is the same.

Centred moments with Gram matrix A'A of columns and targets are those of the rows a and -a for every row a of A, each of
weight W / 2m, times the root of m / W, around the mean. Without a centre one row for each a suffices. A method whose
objective depends on the data through weighted sums of products alone then needs no other rows, with all its solvers,
paths and certificates. So do methods that need such sums of each class, or of each fold of a cross-validation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from ..core.validate.features import Array, Data, Matrix
from .algebra.interruptible_lapack import interruptibly
from .matrix_products import SMALLEST, OutOfRange
from .passes import RowBlock
from .sufficient_statistics import Moments

GroupMoments = Mapping[int, Moments]
"""The joint moments of columns and targets, of each class or fold."""


def joint_moments(block: RowBlock, centre: bool = True) -> Moments:
    """The moments of columns and targets together: `gram` has the products of all of them."""
    return _moments(_joined(block), block.weight, centre)


def column_moments(block: RowBlock) -> Moments:
    """The moments of the columns alone."""
    return _moments(_dense(block.X), block.weight, True)


def class_moments(block: RowBlock) -> dict[int, Moments]:
    """The moments of the columns of each class."""
    return _by_group(_dense(block.X), block.weight, block.y)


def fold_moments(block: RowBlock, bounds: Array) -> dict[int, Moments]:
    """The joint moments of each of the folds that begin at the row numbers `bounds`."""
    group = np.searchsorted(bounds, np.asarray(block.numbers), side="right") - 1
    return _by_group(_joined(block), block.weight, group)


def _by_group(rows: Array, weight: Array | None, group: Array) -> dict[int, Moments]:
    found = {}
    for code in np.unique(group).tolist():
        chosen = group == code
        own = None if weight is None else weight[chosen]
        if own is None or own.any():
            found[code] = _moments(rows[chosen], own, True)
    return found


def _moments(rows: Array, weight: Array | None, centre: bool) -> Moments:
    return Moments.of(rows, np.zeros((len(rows), 0)), weight, centre)


def _joined(block: RowBlock) -> Array:
    return np.concatenate([_dense(block.X), np.asarray(block.y, dtype=np.float64).reshape(block.n, -1)], axis=1)


def _dense(X: Matrix) -> Array:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


@dataclass(frozen=True)
class EquivalentRows:
    """Rows with given moments, moved by `shift`; `group` is the class or fold of each."""

    rows: Array
    weight: Array
    shift: Array
    group: Array

    @classmethod
    def of(cls, moments: Moments) -> EquivalentRows:
        """Rows for the moments of all rows, about their means if these are centred."""
        rows, weight = _scattered(moments)
        shift = moments.mean_x if moments.centred else np.zeros(len(moments.mean_x))
        return cls(rows, weight, shift, np.zeros(len(rows), dtype=np.int64))

    @classmethod
    def of_groups(cls, groups: GroupMoments, shifted: bool = True) -> EquivalentRows:
        """Rows for the moments of each group, about the means of all if `shifted`."""
        shift = reduce(add, [groups[code] for code in sorted(groups)]).mean_x * shifted
        found = [(code, *_scattered(groups[code])) for code in sorted(groups)]
        return cls(
            np.concatenate([rows + (groups[code].mean_x - shift) for code, rows, _ in found]),
            np.concatenate([weight for _, _, weight in found]),
            shift,
            np.concatenate([np.full(len(weight), code) for code, _, weight in found]),
        )

    def columns(self, dtype: Any) -> Array:
        """The rows in the type of the data."""
        return np.ascontiguousarray(self.rows, dtype=dtype)

    def regression_data(self, like: Data) -> Data:
        """Training data of the columns and targets that the data `like` have."""
        targets = 1 if like.y.ndim == 1 else like.y.shape[1]
        y = np.ascontiguousarray(self.rows[:, like.p :])
        X = np.ascontiguousarray(self.rows[:, : like.p], dtype=like.X.dtype)
        assert y.shape[1] == targets, "the last columns are targets"
        return Data(X, y[:, 0] if like.y.ndim == 1 else y, self.weight, like.names)

    def class_data(self, like: Data) -> Data:
        """Training data whose targets are the codes of the classes."""
        return Data(self.columns(like.X.dtype), self.group, self.weight, like.names)

    def column_data(self, like: Data) -> Data:
        """Training data without targets."""
        return Data(self.columns(like.X.dtype), np.empty(0), self.weight, like.names)


def _scattered(moments: Moments) -> tuple[Array, Array]:
    """Rows about zero with the Gram matrix of the moments, and their weights."""
    squares, sizes = moments.gram.diagonal(), np.abs(moments.mean_x)
    if not np.isfinite(moments.gram).all() or ((squares < SMALLEST) & (sizes > 0) & (sizes**2 < SMALLEST)).any():
        raise OutOfRange  # squares overflowed, or vanished though the columns did not
    root = root_of(moments.gram)
    if not moments.centred:
        return root * np.sqrt(len(root) / moments.weight), np.full(len(root), moments.weight / len(root))
    scaled = root * np.sqrt(len(root) / moments.weight)
    return np.concatenate([scaled, -scaled]), np.full(2 * len(root), moments.weight / (2 * len(root)))


def root_of(gram: Array) -> Array:
    """A with A'A = `gram`, triangular where the matrix is definite; columns are scaled to length one before."""
    scale = np.sqrt(np.maximum(gram.diagonal(), 0.0))
    safe = np.where(scale > 0, scale, 1.0)
    system = gram / safe[:, None] / safe
    try:
        root = interruptibly(_cholesky, system)
    except np.linalg.LinAlgError:
        values, vectors = interruptibly(np.linalg.eigh, system)
        root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    return np.asarray(root * scale)


def _cholesky(system: Array) -> Array:
    return np.linalg.cholesky(system).T
