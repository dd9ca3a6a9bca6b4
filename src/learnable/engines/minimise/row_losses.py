"""The row part of an objective: value and derivatives of the weighted losses at given scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array, Data, Matrix
from ...parts.losses.loss import Loss
from .. import matrix_products

NO_RESIDUAL = 1e-150
MIN_CURVATURE = 1e-40  # of the largest: keeps every row in the least squares of a Newton step
MIN_CURVATURE_PER_GRADIENT = 1e-12  # of the largest, for the row with the largest gradient


@dataclass(frozen=True, slots=True)
class Terms:
    """The row part of an objective at scores z: its value, and its gradient and curvature by each score.

    The second derivative by the scores is diag(curvature) - rank_one rank_one'; `rank_one` is None where rows do not
    interact. `majorizer` holds the curvatures of parabolas that lie above the value everywhere, None if there are none.
    A gradient whose norm is below `noise_floor` is that of a perfect fit.
    """

    value: float
    gradient: Array
    curvature: Array
    rank_one: Array | None = None
    majorizer: Array | None = None
    noise_floor: float = 0.0


class RowLoss(Protocol):
    """The row part of an objective: a function of the scores alone."""

    @property
    def row_weight(self) -> Array:
        """The weight of each row, above zero; they sum to one."""
        ...

    def terms(self, z: Array) -> Terms:
        """Value and derivatives at the scores z."""
        ...


@dataclass(frozen=True, slots=True)
class LossRows:
    """The mean of a loss, weighted by `row_weight`."""

    loss: Loss
    y: Array
    row_weight: Array

    def terms(self, z: Array) -> Terms:
        """Value, gradient and curvature of the mean loss; a value that overflows is infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(self.row_weight @ self.loss.value(self.y, z))
            gradient = self.row_weight * self.loss.gradient(self.y, z)
            curvature = self.row_weight * self.loss.curvature(self.y, z)
        return Terms(value, gradient, curvature, majorizer=curvature if self.loss.majorises else None)


@dataclass(frozen=True)
class DevianceRows:
    """The mean half deviance of the Tweedie family with the log link, weighted by `row_weight`, in one compiled pass.

    The curvature is the second derivative where that cannot be negative, its expectation elsewhere.
    """

    y: Array
    row_weight: Array
    power: float

    @cached_property
    def _logs(self) -> Array:
        return np.log(np.where(self.y > 0, self.y, 1.0))

    @cached_property
    def _units(self) -> Array:
        return np.where(self.y > 0, np.exp((2 - self.power) * self._logs), 0.0)

    def terms(self, z: Array) -> Terms:
        """Value, gradient and curvature; means beyond e^700 are held there."""
        expected = not 1 <= self.power <= 2
        return Terms(*kernels.deviance_terms(z, self._logs, self._units, self.row_weight, self.power, expected))


@dataclass(frozen=True, slots=True)
class RobustRows:
    """The mean of an even, convex loss that is concave as a function of the squared residual, such as log cosh.

    The parabola with curvature gradient / (z - y) lies above such a loss, which gives the `majorizer`.
    """

    loss: Loss
    y: Array
    row_weight: Array

    def terms(self, z: Array) -> Terms:
        """Value, gradient, curvature and majorizer of the mean loss."""
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(self.row_weight @ self.loss.value(self.y, z))
            gradient, curvature, offset = self.loss.gradient(self.y, z), self.loss.curvature(self.y, z), z - self.y
        ratio = np.divide(gradient, offset, out=curvature.copy(), where=np.abs(offset) > NO_RESIDUAL)
        return Terms(value, self.row_weight * gradient, self.row_weight * curvature, majorizer=self.row_weight * ratio)


def counted_rows(data: Data) -> tuple[Matrix, Array, Array | None]:
    """Matrix, target in double precision and weights of the rows whose weight is not zero."""
    return matrix_products.counting_rows(data.X, data.y.astype(np.float64), data.weight)


def normalised_weights(weight: Array | None, rows: int) -> Array:
    """Sample weights divided by their sum.

    >>> normalised_weights(np.array([3.0, 1.0]), 2).tolist()
    [0.75, 0.25]
    """
    if weight is None:
        return np.full(rows, 1 / rows)
    bounded = weight / weight.max()
    return np.asarray(bounded / bounded.sum())


def floored_curvature(curvature: Array, gradient: Array) -> Array:
    """Curvatures bounded away from zero, as weights of least squares need to be, also relative to the row's gradient.

    Gradient over curvature is the working target of a row, and one far beyond the others would cost them their digits.
    """
    largest, largest_gradient = float(curvature.max()), float(np.abs(gradient).max())
    floor: Array | float = MIN_CURVATURE
    if largest_gradient > 0:
        floor = np.maximum(MIN_CURVATURE, np.abs(gradient) / largest_gradient * MIN_CURVATURE_PER_GRADIENT)
    return np.maximum(curvature, floor * largest if largest > 0 else 1.0)


def gradient_norms(terms: Terms, z: Array, row_weight: Array) -> tuple[float, float]:
    """Norm of the row gradients, and of their change if every score moved by its own size.

    A gradient is compared with the first; rounding of the scores lets it vary by about 1e-16 of the second.
    """
    squares = kernels.gradient_squares(terms.gradient, terms.curvature, z, row_weight)
    if all(matrix_products.SMALLEST < square < matrix_products.LARGEST for square in squares):
        return math.sqrt(squares[0]), math.sqrt(squares[1])
    root = np.sqrt(row_weight)
    return safe_norm(terms.gradient / root), safe_norm(terms.curvature * z / root)


def safe_norm(parts: Array) -> float:
    """Euclidean length without overflow."""
    largest = float(np.abs(parts).max(initial=0))
    return largest * float(np.linalg.norm(parts / largest)) if 0 < largest < np.inf else largest
