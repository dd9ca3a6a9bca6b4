"""What the rows of a problem say at given scores, and the row parts that solvers share."""

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
SMALLEST_BEND = 1e-40  # of the largest: keeps every row in the least squares that a Newton step solves
SMALLEST_UNDER_SLOPE = 1e-12  # of the largest, where a slope is as large as any


@dataclass(frozen=True, slots=True)
class Terms:
    """The row part of an objective at scores z: its value, and its slope and bend by each score.

    The second derivative by the scores is diag(bend) - twist twist'; `twist` is None where rows do not interact.
    `safe` bends parabolas that lie above the value everywhere, None if the rows know none. Slopes whose length is below
    `least` are those of a perfect fit.
    """

    value: float
    slope: Array
    bend: Array
    twist: Array | None = None
    safe: Array | None = None
    least: float = 0.0


class Rows(Protocol):
    """The row part of an objective: a function of the scores alone."""

    @property
    def share(self) -> Array:
        """The weight of each row, above zero; they sum to one."""
        ...

    def terms(self, z: Array) -> Terms:
        """What the rows say at the scores z."""
        ...


@dataclass(frozen=True, slots=True)
class LossRows:
    """The mean of a loss, weighted by `share`."""

    loss: Loss
    y: Array
    share: Array

    def terms(self, z: Array) -> Terms:
        """Value, slope and curvature of the mean loss; a value that overflows is infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(self.share @ self.loss.value(self.y, z))
            slope = self.share * self.loss.gradient(self.y, z)
            bend = self.share * self.loss.curvature(self.y, z)
        return Terms(value, slope, bend, safe=bend if self.loss.majorises else None)


@dataclass(frozen=True)
class DevianceRows:
    """The mean half deviance of the Tweedie family with the log link, weighted by `share`, in one compiled pass.

    The curvature is the second derivative where that cannot be negative, its expectation elsewhere.
    """

    y: Array
    share: Array
    power: float

    @cached_property
    def _logs(self) -> Array:
        return np.log(np.where(self.y > 0, self.y, 1.0))

    @cached_property
    def _units(self) -> Array:
        return np.where(self.y > 0, np.exp((2 - self.power) * self._logs), 0.0)

    def terms(self, z: Array) -> Terms:
        """Value, slope and curvature; means beyond e^700 are held there."""
        expected = not 1 <= self.power <= 2
        return Terms(*kernels.deviance_terms(z, self._logs, self._units, self.share, self.power, expected))


@dataclass(frozen=True, slots=True)
class RobustRows:
    """The mean of an even, convex loss of the residual that grows ever less fast with its square, such as log cosh.

    For such a loss the parabola bent by gradient / (z - y) lies above it, which is what `safe` is.
    """

    loss: Loss
    y: Array
    share: Array

    def terms(self, z: Array) -> Terms:
        """Value, slope, curvature and safe curvature of the mean loss."""
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(self.share @ self.loss.value(self.y, z))
            gradient, curvature, away = self.loss.gradient(self.y, z), self.loss.curvature(self.y, z), z - self.y
        ratio = np.divide(gradient, away, out=curvature.copy(), where=np.abs(away) > NO_RESIDUAL)
        return Terms(value, self.share * gradient, self.share * curvature, safe=self.share * ratio)


def counted(data: Data) -> tuple[Matrix, Array, Array | None]:
    """Matrix, target in double precision and weights of the rows whose weight is not zero."""
    return matrix_products.counting_rows(data.X, data.y.astype(np.float64), data.weight)


def shares(weight: Array | None, rows: int) -> Array:
    """Sample weights as shares that sum to one.

    >>> shares(np.array([3.0, 1.0]), 2).tolist()
    [0.75, 0.25]
    """
    if weight is None:
        return np.full(rows, 1 / rows)
    bounded = weight / weight.max()
    return np.asarray(bounded / bounded.sum())


def raised(bend: Array, slope: Array) -> Array:
    """Bends of which none is zero, as weights of a least squares need to be, nor too small for its row's slope.

    Slope over bend is the target of a row there, and one far beyond the others would cost them their digits.
    """
    top, steepest = float(bend.max()), float(np.abs(slope).max())
    share = (
        np.maximum(SMALLEST_BEND, np.abs(slope) / steepest * SMALLEST_UNDER_SLOPE) if steepest > 0 else SMALLEST_BEND
    )
    return np.maximum(bend, share * top if top > 0 else 1.0)


def lengths(terms: Terms, z: Array, share: Array) -> tuple[float, float]:
    """Length of the slopes, and of the changes that they would undergo if every score moved by its own size.

    A gradient is judged against the first; rounding of the scores lets it vary by about 1e-16 of the second.
    """
    squares = kernels.slope_squares(terms.slope, terms.bend, z, share)
    if all(matrix_products.SMALLEST < square < matrix_products.LARGEST for square in squares):
        return math.sqrt(squares[0]), math.sqrt(squares[1])
    root = np.sqrt(share)
    return length(terms.slope / root), length(terms.bend * z / root)


def length(parts: Array) -> float:
    """Euclidean length without overflow."""
    top = float(np.abs(parts).max(initial=0))
    return top * float(np.linalg.norm(parts / top)) if 0 < top < np.inf else top
