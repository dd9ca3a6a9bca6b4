"""Ridge regression by the singular values of the data, whose columns may differ in size by any factor.

With the centred, root-weighted data U diag(s) V', coefficients for any alpha are V diag(s / (s^2 + alpha)) U'y. A Gram
matrix holds squares, beside the largest of which small columns are lost; here none is lost beside a larger one:

- Rows and columns are sorted by size, and the matrix is brought to a triangle from either side before its singular
  values are sought. Large numbers then stand at the top left, and what is done to them does not touch small ones.
- A singular value counts as zero where the rounding of each column, relative to this column, could have made it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core import scaling
from ....core.numeric import EPSILON
from ....core.validate.features import Array, Matrix
from ....core.validate.sparse_input import as_dense
from ...algebra.interruptible_lapack import interruptibly
from ...sufficient_statistics import Marginals
from .helmert_basis import Contrasts
from .normal_equations import UncheckedSolution
from .rank_tolerance import entry_rounding


@dataclass(frozen=True, slots=True)
class DataSvd:
    """Centred, root-weighted data of any shape as `left` diag(values) `right`', no value zero, and their centre."""

    left: Array
    values: Array
    right: Array
    mean_x: Array
    root: Array
    centred: bool

    @classmethod
    def of(cls, X: Matrix, weight: Array | None, centre: bool, penalised: bool = True) -> DataSvd:
        """Factorise once; without a penalty, singular values within the rounding of the columns count as zero."""
        root = np.ones(X.shape[0]) if weight is None else np.sqrt(weight)
        X = as_dense(X)
        A, mean_x = interruptibly(centred, X, root, centre)
        contrasts = Contrasts.of(root, centre)
        left, values, right = interruptibly(sorted_svd, interruptibly(contrasts.coordinates, A))
        rounding = max(A.shape) * EPSILON * scaling.column_sizes(A)
        of_entries = np.zeros_like(mean_x) if penalised else entry_rounding(X, mean_x, root)
        real = real_values(values, right, rounding, of_entries)
        return cls(contrasts.rows(left[:, real]), values[real], right[:, real], mean_x, root, centre)

    def shrunk(self, alphas: Array) -> Array:
        """s / (s^2 + alpha), of shape (values, alphas)."""
        values = self.values[:, None]
        with np.errstate(over="ignore"):
            return np.asarray(1 / (values + alphas / values))

    def parts(self, target: Array) -> tuple[Array, Array]:
        """Centred, root-weighted targets in the basis `left`, and their part beyond it: zero if it is complete."""
        scores = self.left.T @ target
        complete = self.left.shape[1] + self.centred == len(self.left)
        return scores, np.zeros_like(target) if complete else target - self.left @ scores


def real_values(values: Array, right: Array, rounding: Array, of_entries: Array) -> Array:
    """Which singular values could not have been made by the `rounding` of each centred column, nor by that of its
    entries before."""
    of_columns = (np.abs(right) * rounding[:, None]).max(axis=0, initial=0.0)
    return np.asarray((values > of_columns) & (values > np.linalg.norm(right * of_entries[:, None], axis=0)))


def centred(X: Array, root: Array, centre: bool) -> tuple[Array, Array]:
    """Root-weighted, centred columns; means are computed twice, the second time with negligible rounding error.

    Columns that do not vary but by rounding are zero.
    """
    if not centre:
        return X * root[:, None], np.zeros(X.shape[1])
    weight = root**2 / (root @ root)
    mean = _sums(X, weight)
    A = X - mean
    more = _sums(A, weight)
    A -= more
    A[:, scaling.column_sizes(A) <= 2 * EPSILON * np.abs(mean)] = 0
    A *= root[:, None]
    return A, mean + more


def _sums(X: Array, weight: Array) -> Array:
    """Weighted sums of the columns, which are the same for the same columns wherever they stand."""
    return np.asarray((X * weight[:, None]).sum(axis=0))


def sorted_svd(A: Array) -> tuple[Array, Array, Array]:
    """A = left diag(values) right', with as many values as its shorter side."""
    down, across = (np.argsort(-np.abs(A).max(axis=axis, initial=0.0), kind="stable") for axis in (1, 0))
    A = A[np.ix_(down, across)]
    basis, A = np.linalg.qr(A) if A.shape[0] > A.shape[1] else (None, A)
    other_basis, triangle = np.linalg.qr(A.T)
    inside, values, outside = np.linalg.svd(triangle)
    left, right = np.empty((len(down), len(values))), np.empty((len(across), len(values)))
    left[down] = outside.T if basis is None else basis @ outside.T
    right[across] = other_basis @ inside
    return left, values, right


def solve(X: Matrix, y: Array, weight: Array | None, middle: Marginals, alpha: float) -> UncheckedSolution:
    """The minimum-norm solution, for data of any shape that fit in memory twice."""
    data = DataSvd.of(X, weight, middle.centred, penalised=alpha > 0)
    target = (y - middle.mean_y) * data.root[:, None]
    shrunk, rank = data.shrunk(np.array([alpha])), len(data.values)
    with np.errstate(over="ignore"):
        inverse = shrunk / data.values[:, None]
        condition = float(np.square(data.values.max() / data.values.min())) if rank else np.inf

    def invert(gradient: Array) -> Array:  # within the span of the rows: what is beyond it is rounding
        return np.asarray(data.right @ (inverse * (data.right.T @ gradient)))

    coef = data.right @ (shrunk * (data.left.T @ target))
    freedom = float(data.values @ shrunk[:, 0]) if alpha > 0 else float(rank)
    return UncheckedSolution(coef, invert, rank, condition, freedom, "svd")
