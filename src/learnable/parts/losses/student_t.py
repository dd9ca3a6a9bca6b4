"""The loss of Student's t noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from .optimal_constants import counted


@dataclass(frozen=True)
class StudentT:
    """Student's t loss: minus the log-likelihood of t noise, zero at a perfect fit; it all but ignores far outliers.

    value = (degrees + 1) / 2  log(1 + r^2 / (degrees scale^2)),  r = y - z

    `curvature` is the weight of the EM algorithm over scale^2, (degrees + 1) / (degrees scale^2 + r^2), that of the
    parabola which touches the loss from above. The loss is not convex: the search for the best constant starts at
    the best of 64 quantiles, evaluated on 256, and then takes the better of an EM and a Newton step.
    [Lange, Little and Taylor, 1989]

    >>> loss = StudentT(degrees=3.0)
    >>> loss.curvature(np.array([0.0, 3.0]), np.array([0.0, 0.0])).round(3).tolist()
    [1.333, 0.333]
    """

    degrees: float = 4.0
    scale: float = 1.0

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = False
    majorises: ClassVar[bool] = True
    quadratic: ClassVar[bool] = False
    link: ClassVar[str] = "identity"

    @property
    def curvature_bound(self) -> float:
        return (self.degrees + 1) / self._width / self._width

    def value(self, y: Array, z: Array) -> Array:
        top, small = self._parts(y - z)
        return np.asarray((self.degrees + 1) * (np.log1p(small * small) / 2 + np.log(top)))

    def gradient(self, y: Array, z: Array) -> Array:
        _, small = self._parts(y - z)
        return np.asarray(np.sign(z - y) * small / (1 + small * small) * ((self.degrees + 1) / self._width))

    def curvature(self, y: Array, z: Array) -> Array:
        top, small = self._parts(y - z)
        return self.curvature_bound / (1 + small * small) / top / top

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        y, row_weight = counted(y, weight)
        sketch = np.quantile(y, np.arange(0.5, 256) / 256, method="inverted_cdf", weights=row_weight)
        starts = sketch[::4]
        best = float(starts[self.value(sketch, starts[:, np.newaxis]).sum(axis=1).argmin()])
        for _ in range(1000):
            moved = self._improve(y, row_weight, best)
            if abs(moved - best) <= 4 * EPSILON * max(abs(best), self.scale):
                break
            best = moved
        return best

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        return self.best_constant(y - z, weight)

    def predict(self, z: Array) -> Array:
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""

    @property
    def _width(self) -> float:
        return float(self.scale * np.sqrt(self.degrees))

    def _parts(self, residual: Array) -> tuple[Array, Array]:
        """max(u, 1) and min(u, 1/u) of u = |r| / width; 1 + u^2 is (1 + min^2) max^2, without overflow."""
        size = np.abs(residual) / self._width
        top = np.maximum(size, 1)
        return top, np.minimum(size, 1 / top)

    def _total(self, y: Array, row_weight: Array, c: float) -> float:
        return float(row_weight @ self.value(y, np.asarray(c)))

    def _improve(self, y: Array, row_weight: Array, c: float) -> float:
        z = np.asarray(c)
        gradient, weight = float(row_weight @ self.gradient(y, z)), self.curvature(y, z)
        # the second derivative is w (2 w / bound - 1), w being the curvature of the parabola
        second_derivative = float(row_weight @ (weight * (2 * weight / self.curvature_bound - 1)))
        expected = c - gradient / float(row_weight @ weight)
        newton = c - gradient / second_derivative if second_derivative > 0 else expected
        return min(newton, expected, key=lambda score: self._total(y, row_weight, score))
