"""Huber's loss with the scale of the residuals estimated along with the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.validate.features import Array
from ..row_losses import Terms


@dataclass(frozen=True, slots=True)
class ConcomitantHuber:
    """The minimum over a scale c of  sum_i s_i (c + c H((y_i - z_i) / c)),  H(u) = u^2, or 2 e |u| - e^2 beyond e.

    It is convex in z. By c it couples the rows: its Hessian is diag(curvature) - rank_one rank_one'. The scale is
    found exactly, and is at least `floor`, so that a perfect fit has one too.  [Huber and Ronchetti, 2009; Owen, 2007]
    """

    y: Array
    row_weight: Array
    reach: float
    floor: float

    def scale(self, z: Array) -> float:
        """The best scale: where  sum_i s_i min(|r_i| / c, reach)^2 = 1."""
        squares = np.square(self.y - z)
        inverse = 1 / max(
            float(self.row_weight @ squares), self.floor**2
        )  # of the squared scale; with every row inside
        limit = self.reach**2
        for _ in range(100):  # the sum is concave in `inverse`: Newton's steps come from the left and end exactly
            inside = squares * inverse <= limit
            gradient = float(self.row_weight[inside] @ squares[inside])
            rest = 1 - limit * float(self.row_weight[~inside].sum())
            if gradient <= 0 or rest <= 0 or gradient <= self.floor**2 * rest:
                return self.floor if rest > 0 else 1 / float(np.sqrt(inverse))
            found = rest / gradient
            if found <= inverse * (1 + 1e-15):
                break
            inverse = found
        return max(1 / float(np.sqrt(inverse)), self.floor)

    @np.errstate(over="ignore", invalid="ignore", divide="ignore")
    def terms(self, z: Array) -> Terms:
        """Value, gradient and curvature, at the best scale for z."""
        residual = self.y - z
        size = np.abs(residual)
        scale = self.scale(z)
        near = np.minimum(size, self.reach * scale)
        value = scale + float(self.row_weight @ (near * (2 * size - near))) / scale
        gradient = -2 * self.row_weight * np.copysign(near, residual) / scale
        inside = size <= self.reach * scale
        curvature = 2 * self.row_weight * inside / scale
        majorizer = 2 * self.row_weight / np.maximum(scale, size / self.reach)
        return Terms(value, gradient, curvature, self._rank_one(residual * inside, scale), majorizer)

    def _rank_one(self, residual: Array, scale: float) -> Array | None:
        """The derivative of the gradients by the scale, over the root of the curvature by the scale."""
        spread = float(self.row_weight @ np.square(residual))
        if scale <= self.floor or spread <= 0:
            return None
        return np.asarray(self.row_weight * residual * np.sqrt(2 / (spread * scale)))
