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
MAX_ENTRY_RATIO = 100.0  # times the usual size of entries
SAMPLE = 1000  # rows from which the usual size is estimated


def rounding_factor(tolerance: float) -> float:
    """The factor by which rounding errors count in a criterion that is compared with `tolerance`."""
    return ROUNDING / max(tolerance, ROUNDING)


def far_columns(X: Matrix, norm: Array) -> Array:
    """Which columns have outliers so large that their root mean square `norm` is far above the usual size of entries.

    The usual size is the geometric mean of the non-zero entries, for dense columns over a sample of the rows.
    """
    if matrix_products.is_sparse(X):
        sizes = np.abs(X.tocsr().data)
        columns_of_entries = X.tocsr().indices[sizes > 0]
        count = np.bincount(columns_of_entries, minlength=X.shape[1])
        logs, rows = np.bincount(columns_of_entries, weights=np.log(sizes[sizes > 0]), minlength=X.shape[1]), X.shape[0]
    else:
        sizes = np.abs(X[:: max(1, X.shape[0] // SAMPLE)])
        count, rows = np.count_nonzero(sizes, axis=0), len(sizes)
        logs = np.log(np.where(sizes > 0, sizes, 1.0)).sum(axis=0)
    usual = np.exp(logs / np.maximum(count, 1)) * np.sqrt(count / rows)
    return np.asarray((count > 0) & (norm > MAX_ENTRY_RATIO * usual))


@dataclass(frozen=True, slots=True)
class PenaltyGradient:
    """The gradient of a penalty, and what it would be if nothing in it cancelled."""

    gradient: Array
    magnitude: Array

    @classmethod
    def of(cls, penalty: Any, weights: Array) -> PenaltyGradient:
        """The gradient of a quadratic penalty at the given weights."""
        return cls(penalty.gradient(weights), penalty.magnitude(weights))


@dataclass(frozen=True, slots=True)
class GradientTerms:
    """The terms of a gradient X'r + penalty: row gradients r, (samples,) or (samples, classes), and the penalty's.

    `sizes` are the magnitudes of the row gradients, including their rounding errors. Row gradients below `negligible`
    (a number, or one per row) belong to rows whose loss cannot fall further. With `fit_intercept` columns are centred,
    which the intercept makes up for. `distance` is that from the subdifferential of an l1 penalty. Other than `columns`
    none count.
    """

    X: Matrix
    row_gradients: Array
    sizes: Array
    penalty: PenaltyGradient
    fit_intercept: bool
    tolerance: float
    negligible: Array
    columns: Array
    distance: Callable[[Array], Array] = np.abs

    def largest_violation(self) -> float:
        """The largest entry of the gradient, each against the sum of the sizes of its terms: 1 if none cancel.

        A row far from the others counts by its row gradient and not by its distance, or all others would vanish beside
        it. Where means or margins diverge, nothing cancels their remaining gradient: then only the others are compared.
        """
        whole = self._largest_relative_entry()
        gone = np.abs(self.row_gradients) <= (
            self.negligible if self.row_gradients.ndim == 1 else self.negligible[:, None]
        )
        if whole <= self.tolerance or not gone.any():
            return whole
        rest = replace(
            self, row_gradients=np.where(gone, 0.0, self.row_gradients), sizes=np.where(gone, 0.0, self.sizes)
        )
        return min(whole, rest._largest_relative_entry())

    def _largest_relative_entry(self) -> float:
        total = self.sizes.sum(axis=0)
        middle = self._middle()
        centre = middle if self.row_gradients.ndim == 1 else middle[:, None]
        intercept_gradients = self.row_gradients.sum(axis=0)
        about = self.distance(
            matrix_products.transposed_product(self.X, self.row_gradients)
            - centre * intercept_gradients
            + self.penalty.gradient
        )
        rounding = rounding_factor(self.tolerance) * np.abs(centre) * total
        scale = matrix_products.magnitudes(self.X, self.sizes, middle) + self.penalty.magnitude + rounding
        violations = np.divide(about, scale, out=np.zeros_like(scale), where=scale > 0)[self.columns]
        by_intercept = np.abs(intercept_gradients) / np.where(total > 0, total, 1.0) if self.fit_intercept else 0.0
        return float(max(violations.max(initial=0.0), np.max(by_intercept)))

    def _middle(self) -> Array:
        """The mean of each column, weighted by the row gradients; zero without an intercept, or if X is sparse."""
        weight = self.sizes if self.sizes.ndim == 1 else self.sizes.sum(axis=1)
        free = self.fit_intercept and not matrix_products.is_sparse(self.X) and weight.any()
        return matrix_products.column_means(self.X, weight) if free else np.zeros(self.X.shape[1])
