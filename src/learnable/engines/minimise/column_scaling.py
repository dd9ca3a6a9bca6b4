"""Scaling and rotation of columns before a solver, and of coefficients back to the given columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...core import scaling
from ...core.validate.features import Array, Matrix
from ...parts.penalties.l2 import L2
from .. import matrix_products
from ..sufficient_statistics import Moments
from .orthogonalise import RotatedL2, Rotation, far_off, nearly_dependent, wide
from .problem import QuadraticPenalty

MAX_SQUARE_RATIO = 1e60  # largest ratio of mean squares of columns that are scaled by one factor


@dataclass(frozen=True)
class DiagonalL2:
    """A squared penalty with an alpha of its own for each weight: sum_j alpha_j w_j^2 / 2."""

    alphas: Array

    def value(self, w: Array) -> float:
        return float(self.alphas @ np.square(w)) / 2

    def gradient(self, w: Array) -> Array:
        return self.alphas * w if w.ndim == 1 else self.alphas[:, None] * w

    def magnitude(self, w: Array) -> Array:
        return np.abs(self.gradient(w))


@dataclass(frozen=True)
class ScaledColumns:
    """Columns whose squares are in range: the given ones times `scale`, then possibly rotated to be orthonormal.

    `norm` is the root mean square of each. With `separately_scaled` each column has its own scale and penalty.
    """

    X: Matrix
    norm: Array
    scale: Array
    rotation: Rotation | None = None
    separately_scaled: bool = False

    @classmethod
    def penalised(cls, X: Matrix, row_weight: Array, centre: bool, alpha: float) -> ScaledColumns:
        """As `of`, for a penalty with this alpha; columns of very different sizes are scaled one by one, not rotated.

        None is enlarged beyond the scale at which its penalty is one, where the column has no effect any more.
        """
        squares = matrix_products.squared_norms(X, row_weight)
        real = squares[squares > 0]
        if alpha == 0 or real.max(initial=0.0) <= MAX_SQUARE_RATIO * real.min(initial=np.inf):
            return cls.of(X, row_weight, centre, together=alpha > 0)
        scale = scaling.power_of_two_scales(X, floor=np.sqrt(alpha))
        X = matrix_products.scaled_columns(X, scale)
        return cls(X, np.sqrt(matrix_products.squared_norms(X, row_weight)), scale, separately_scaled=True)

    @classmethod
    def of(cls, X: Matrix, row_weight: Array, centre: bool, together: bool, rotate: bool = True) -> ScaledColumns:
        """Scaled by powers of two if they must be, by the same if `together`; rotated if rows are few, if `rotate`."""
        X, scale, squares = matrix_products.in_range(X, row_weight, together)
        columns = cls(X, np.sqrt(squares), scale)
        return columns.rotated(row_weight, centre) if rotate and wide(X) else columns

    def distinct(self, row_weight: Array, centre: bool) -> ScaledColumns:
        """The same, rotated if some columns are nearly collinear, or constant: one pass over the data decides."""
        if self.rotation is not None:
            return self
        moments = Moments.of(self.X, np.zeros((len(row_weight), 1)), row_weight, centre)
        return (
            self.rotated(row_weight, centre) if nearly_dependent(self.X, moments) or far_off(self.X, moments) else self
        )

    def rotated(self, row_weight: Array, centre: bool) -> ScaledColumns:
        """The same in orthonormal coordinates."""
        rotate = Rotation.of(self.X, centre)
        norm = np.sqrt(matrix_products.squared_norms(rotate.columns, row_weight))
        return replace(self, X=rotate.columns, norm=norm, rotation=rotate)

    def penalty(self, alpha: float) -> QuadraticPenalty:
        """The penalty alpha |w|^2 / 2 of the coefficients of the given columns."""
        if self.separately_scaled:
            return DiagonalL2(alpha * self.scale * self.scale)
        scaled = alpha * float(self.scale[0]) ** 2 if alpha > 0 else 0.0
        return L2(scaled) if self.rotation is None else RotatedL2(scaled, self.rotation.basis)

    def inward(self, coef: Array, intercept: float) -> tuple[Array, float]:
        """Coefficients and intercept for these columns, from those for the given ones."""
        scaled = coef / self.scale
        if self.rotation is None:
            return scaled, intercept
        return self.rotation.inward(scaled), intercept + float(self.rotation.mean @ scaled)

    def outward(self, coef: Array, intercept: float) -> tuple[Array, float]:
        """Coefficients and intercept for the given columns, from those for these."""
        if self.rotation is None:
            return coef * self.scale, intercept
        turned = self.rotation.basis @ coef
        return turned * self.scale, intercept - float(self.rotation.mean @ turned)
