"""Data prepared for columnwise methods: centred, weighted, and scaled to a range where squares are safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import scaling
from ..core.numeric import EPSILON
from ..core.validate.features import Array
from . import matrix_products
from .sufficient_statistics import Moments

MAX_COUNTED_WEIGHT = 2.0**170  # rows, beside which one more or less does not count
COLUMNS_AT_ONCE = 64  # columns that are copied at a time: few enough that Ctrl-C is heard between them


@dataclass(frozen=True, slots=True)
class Units:
    """How prepared data relate to those given: total weight, means, and the powers of two they were multiplied by.

    Weights whose sums cannot be squared are scaled too; only their ratios matter.
    """

    weight: float
    mean_x: Array
    mean_y: Array
    scale_x: float
    scale_y: float

    def coefficients(self, coef: Array) -> Array:
        """Coefficients of prepared data in the units of the given data."""
        return coef * (self.scale_x / self.scale_y)

    def intercepts(self, coef: Array) -> Array:
        """The intercepts that go with coefficients (targets, features) of prepared data, in the units of the given."""
        return np.asarray((self.mean_y - coef @ self.mean_x) / self.scale_y)

    def stored(self, coef: Array, dtype: Any) -> tuple[Array, Array]:
        """Coefficients (targets, features) and their intercepts in the units of the given data, rounded to `dtype`.

        The intercepts follow from the rounded coefficients: those of the precise ones would leave an error which grows
        with the distance of the columns from zero.
        """
        rounded = self.coefficients(coef).astype(dtype, copy=False)
        kept = coef if dtype == np.float64 else rounded.astype(np.float64) * (self.scale_y / self.scale_x)
        return rounded, self.intercepts(kept).astype(dtype, copy=False)

    def alphas(self, levels: Array) -> Array:
        """Products of columns and residuals, per unit of weight and in the units of the given data."""
        return levels / self.weight / self.scale_x / self.scale_y

    def levels(self, alpha: float) -> float:
        """The inverse of `alphas`."""
        return alpha * self.weight * self.scale_x * self.scale_y


@dataclass(frozen=True, slots=True)
class Centred:
    """Centred columns and targets, one contiguous row for each; samples are multiplied by the root of their weight."""

    columns: Array
    targets: Array
    units: Units

    @classmethod
    def of(cls, X: Array, y: Array, weight: Array | None = None, centre: bool = True) -> Centred:
        """Prepare `X` (samples, features) and `y` (samples,) or (samples, targets) without the rows of weight zero."""
        X, y, weight, total = _present(X, y, weight)
        scale_x, scale_y = scaling.unit_of_columns(X), scaling.unit_of(y)
        columns = np.empty(X.shape[::-1])
        for begin in range(0, len(columns), COLUMNS_AT_ONCE):
            columns[begin : begin + COLUMNS_AT_ONCE] = X[:, begin : begin + COLUMNS_AT_ONCE].T
        targets = np.array(y.T, dtype=np.float64, order="C")
        columns *= scale_x
        targets *= scale_y
        mean_x, mean_y = np.zeros(len(columns)), np.zeros(len(targets))
        if centre:
            mean_x, mean_y = means_of_rows(columns, weight), means_of_rows(targets, weight)
            columns -= mean_x[:, None]
            targets -= mean_y[:, None]
        if weight is not None:
            root = np.sqrt(weight)
            columns *= root
            targets *= root
        return cls(columns, targets, Units(total, mean_x, mean_y, scale_x, scale_y))


@dataclass(frozen=True, slots=True)
class CentredProducts:
    """Products of centred columns with each other, `gram`, and with each target, `cross` (targets, features)."""

    gram: Array
    cross: Array
    squares: Array
    units: Units

    @classmethod
    def of(cls, X: Array, y: Array, weight: Array | None = None, centre: bool = True) -> CentredProducts:
        """Sum over the rows of `X` (samples, features) and `y` (samples,) or (samples, targets)."""
        X, y, weight, total = _present(X, y, weight)
        scale_x, scale_y = scaling.unit_of_columns(X), scaling.unit_of(y)
        scaled = np.asarray(X if scale_x == 1 else X * scale_x, dtype=np.float64)
        moments = Moments.of(scaled, np.asarray(y * scale_y, dtype=np.float64), weight, centre)
        gram, cross = moments.gram, np.ascontiguousarray(moments.cross.T)
        if centre:
            rounding = (8 * EPSILON) ** 2 * total * len(y)
            still = gram.diagonal() <= rounding * moments.mean_x**2
            still_target = moments.spread <= rounding * moments.mean_y**2
            if still.any() or still_target.any():  # what is left of a constant after centring is rounding
                gram[still], gram[:, still], cross[:, still] = 0.0, 0.0, 0.0
                cross[still_target] = 0.0
        units = Units(total, moments.mean_x, moments.mean_y, scale_x, scale_y)
        return cls(gram, cross, moments.spread, units)


def _present(X: Array, y: Array, weight: Array | None) -> tuple[Array, Array, Array | None, float]:
    """The rows that count, targets as a matrix, and the total weight: of weights whose sums have squares."""
    X, y, weight = matrix_products.counting_rows(X, y.reshape(len(y), -1), weight)
    if weight is not None and scaling.largest_entry(weight) > scaling.SAFE[1]:
        weight = weight * (scaling.power_of_two_scale(weight) * MAX_COUNTED_WEIGHT)
    return X, y, weight, float(len(y) if weight is None else weight.sum())


def means_of_rows(rows: Array, weight: Array | None) -> Array:
    """Weighted mean of each row; of a constant row exactly that constant, so that centring leaves zeros."""
    means = rows.mean(axis=1) if weight is None else rows @ (weight / weight.sum())
    constant = (rows == rows[:, :1]).all(axis=1)
    return np.where(constant, rows[:, 0], means)
