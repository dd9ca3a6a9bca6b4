"""How far a gradient is from zero: each of its entries against the sizes of the terms that it sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.numeric import EPSILON
from ...core.validate.features import Array, Matrix
from .. import matrix_products

ROUNDING = 16 * EPSILON
FAR_OFF = 100.0  # times the usual size of entries
SAMPLE = 1000  # rows that tell it


def doubt(tolerance: float) -> float:
    """What a rounding error must be multiplied by to be forgiven by those who judge by `tolerance`."""
    return ROUNDING / max(tolerance, ROUNDING)


def far_columns(X: Matrix, norm: Array) -> Array:
    """Which columns have rows so far off that their root mean square `norm` is beyond what entries usually are.

    The geometric mean of the entries that are not zero says that; of dense columns some rows are enough.
    """
    if matrix_products.is_sparse(X):
        sizes = np.abs(X.tocsr().data)
        place = X.tocsr().indices[sizes > 0]
        count = np.bincount(place, minlength=X.shape[1])
        logs, rows = np.bincount(place, weights=np.log(sizes[sizes > 0]), minlength=X.shape[1]), X.shape[0]
    else:
        sizes = np.abs(X[:: max(1, X.shape[0] // SAMPLE)])
        count, rows = np.count_nonzero(sizes, axis=0), len(sizes)
        logs = np.log(np.where(sizes > 0, sizes, 1.0)).sum(axis=0)
    usual = np.exp(logs / np.maximum(count, 1)) * np.sqrt(count / rows)
    return np.asarray((count > 0) & (norm > FAR_OFF * usual))


@dataclass(frozen=True, slots=True)
class Pull:
    """The gradient of a penalty, and what it would be if nothing in it cancelled."""

    gradient: Array
    magnitude: Array

    @classmethod
    def of(cls, penalty: Any, weights: Array) -> Pull:
        """That of a quadratic penalty at some weights."""
        return cls(penalty.gradient(weights), penalty.magnitude(weights))


@dataclass(frozen=True, slots=True)
class Pulls:
    """What makes a gradient X'r + pull: the slopes r of rows, (samples,) or (samples, classes), and of the penalty.

    `sizes` are those of the slopes, with what rounding may add to them. Slopes below `faint` (a number, or one for each
    row) belong to rows that have nothing left to gain. With a free `constant` columns count from their middles, for
    which it makes up. `away` says how far a gradient is from what an absolute penalty allows. Only `columns` count.
    """

    X: Matrix
    slopes: Array
    sizes: Array
    pull: Pull
    constant: bool
    tolerance: float
    faint: Array
    columns: Array
    away: Callable[[Array], Array] = np.abs

    def largest_share(self) -> float:
        """The largest entry of the gradient, each against the sum of the sizes of its terms: 1 if none cancel.

        A row far off counts by what it pulls and not by how far it is, or all others would vanish beside it. Where
        means or margins go on for ever, nothing cancels what is left of their pull: then the others are judged alone.
        """
        whole = self._share()
        gone = np.abs(self.slopes) <= (self.faint if self.slopes.ndim == 1 else self.faint[:, None])
        if whole <= self.tolerance or not gone.any():
            return whole
        rest = replace(self, slopes=np.where(gone, 0.0, self.slopes), sizes=np.where(gone, 0.0, self.sizes))
        return min(whole, rest._share())

    def _share(self) -> float:
        total = self.sizes.sum(axis=0)
        middle = self._middle()
        centre = middle if self.slopes.ndim == 1 else middle[:, None]
        constants = self.slopes.sum(axis=0)
        about = self.away(matrix_products.pullback(self.X, self.slopes) - centre * constants + self.pull.gradient)
        rounding = doubt(self.tolerance) * np.abs(centre) * total
        scale = matrix_products.magnitudes(self.X, self.sizes, middle) + self.pull.magnitude + rounding
        parts = np.divide(about, scale, out=np.zeros_like(scale), where=scale > 0)[self.columns]
        by_constant = np.abs(constants) / np.where(total > 0, total, 1.0) if self.constant else 0.0
        return float(max(parts.max(initial=0.0), np.max(by_constant)))

    def _middle(self) -> Array:
        """The mean of each column, rows counting as much as they pull; zero where that would cost something."""
        weight = self.sizes if self.sizes.ndim == 1 else self.sizes.sum(axis=1)
        free = self.constant and not matrix_products.is_sparse(self.X) and weight.any()
        return matrix_products.column_means(self.X, weight) if free else np.zeros(self.X.shape[1])
