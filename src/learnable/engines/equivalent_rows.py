"""Few rows with the same moments as many: what a least-squares method learns from them is the same.

Centred moments with Gram matrix A'A of columns and targets are those of the rows a and -a for every row a of A, each of
weight W / 2m, times the root of m / W, around the mean. Without a centre one row for each a suffices. A method whose
objective depends on the data through weighted sums of products alone then needs no other rows, with all its solvers,
paths and certificates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.validate.features import Array, Data, Matrix
from .algebra.interruptible_lapack import interruptibly
from .sufficient_statistics import Moments


def joint_moments(X: Matrix, y: Array, weight: Array | None, centre: bool) -> Moments:
    """The moments of columns and targets together: `gram` has the products of all of them."""
    target = np.asarray(y, dtype=np.float64).reshape(X.shape[0], -1)
    both = np.concatenate([np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64), target], axis=1)
    return Moments.of(both, np.zeros((X.shape[0], 0)), weight, centre)


@dataclass(frozen=True)
class Equivalent:
    """Rows with given joint moments, about `mean_x` and `mean_y` where these are centred."""

    X: Array
    y: Array
    weight: Array
    mean_x: Array
    mean_y: Array

    @classmethod
    def of(cls, moments: Moments, targets: int, around: Moments | None = None) -> Equivalent:
        """Rows for joint moments whose last `targets` columns are targets; `around` the mean of others, if given."""
        root = root_of(moments.gram)
        centre = moments.mean_x if around is None else around.mean_x
        if moments.centred:
            count = 2 * len(root)
            scaled = root * np.sqrt(len(root) / moments.weight)
            rows = np.concatenate([scaled, -scaled]) + (moments.mean_x - centre)
        else:
            count = len(root)
            rows = root * np.sqrt(count / moments.weight)
            centre = np.zeros(len(centre))
        split = rows.shape[1] - targets
        return cls(
            np.ascontiguousarray(rows[:, :split]),
            np.ascontiguousarray(rows[:, split:]),
            np.full(count, moments.weight / count),
            centre[:split],
            centre[split:],
        )

    def data(self, dtype: object, flat: bool, names: list[str] | None) -> Data:
        """The rows as training data; with one target `flat`."""
        y = self.y[:, 0] if flat else self.y
        return Data(self.X.astype(dtype, copy=False), y, self.weight, names)  # type: ignore[call-overload]  # a dtype


def root_of(gram: Array) -> Array:
    """A with A'A = `gram`, triangular where the matrix is definite, columns scaled to length one before."""
    diagonal = np.maximum(gram.diagonal(), 0.0)
    scale = np.sqrt(diagonal)
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
