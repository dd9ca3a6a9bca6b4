"""Columns made fit for a solver, and coefficients brought to them and back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...core.validate.features import Array, Matrix
from ...parts.penalties.l2 import L2
from .. import matrix_products
from ..sufficient_statistics import Moments
from .orthogonalise import Quadratic, Rotation, alike, far_off, wide
from .problem import QuadraticPenalty

MOST_UNLIKE_SQUARES = 1e60  # the largest of mean squares of columns that can have a unit in common, times the smallest


@dataclass(frozen=True)
class Unequal:
    """Half the squared size of weights, each of which has a strength of its own."""

    strengths: Array

    def value(self, w: Array) -> float:
        return float(self.strengths @ np.square(w)) / 2

    def gradient(self, w: Array) -> Array:
        return self.strengths * w if w.ndim == 1 else self.strengths[:, None] * w

    def magnitude(self, w: Array) -> Array:
        return np.abs(self.gradient(w))


@dataclass(frozen=True)
class Columns:
    """Columns whose squares are in range: those given times `scale`, and then perhaps rotated to be orthonormal.

    `norm` is the root mean square of each. Those that are `unlike` have no unit in common, nor a penalty.
    """

    X: Matrix
    norm: Array
    scale: Array
    rotation: Rotation | None = None
    unlike: bool = False

    @classmethod
    def penalised(cls, X: Matrix, share: Array, centre: bool, strength: float) -> Columns:
        """As `of`, for a penalty of this strength; columns without a unit in common get one each, and are not rotated.

        None is enlarged beyond what makes its penalty one: it is felt no more than that.
        """
        squares = matrix_products.squared_norms(X, share)
        real = squares[squares > 0]
        if strength == 0 or real.max(initial=0.0) <= MOST_UNLIKE_SQUARES * real.min(initial=np.inf):
            return cls.of(X, share, centre, together=strength > 0)
        scale = matrix_products.power_of_two_scales(X, floor=np.sqrt(strength))
        X = matrix_products.scaled_columns(X, scale)
        return cls(X, np.sqrt(matrix_products.squared_norms(X, share)), scale, unlike=True)

    @classmethod
    def of(cls, X: Matrix, share: Array, centre: bool, together: bool, turn: bool = True) -> Columns:
        """Scaled by powers of two if they must be, by the same if `together`; rotated if rows are few, if `turn`."""
        X, scale, squares = matrix_products.in_range(X, share, together)
        columns = cls(X, np.sqrt(squares), scale)
        return columns.rotated(share, centre) if turn and wide(X) else columns

    def distinct(self, share: Array, centre: bool) -> Columns:
        """The same, rotated if some columns are nearly combinations of others, or constant: one pass to find out."""
        if self.rotation is not None:
            return self
        moments = Moments.of(self.X, np.zeros((len(share), 1)), share, centre)
        return self.rotated(share, centre) if alike(self.X, moments) or far_off(self.X, moments) else self

    def rotated(self, share: Array, centre: bool) -> Columns:
        """The same in coordinates in which no column is a combination of others."""
        turn = Rotation.of(self.X, centre)
        norm = np.sqrt(matrix_products.squared_norms(turn.columns, share))
        return replace(self, X=turn.columns, norm=norm, rotation=turn)

    def penalty(self, strength: float) -> QuadraticPenalty:
        """strength |w|^2 / 2 of the coefficients of the given columns."""
        if self.unlike:
            return Unequal(strength * self.scale * self.scale)
        scaled = strength * float(self.scale[0]) ** 2 if strength > 0 else 0.0
        return L2(scaled) if self.rotation is None else Quadratic(scaled, self.rotation.basis)

    def inward(self, coef: Array, constant: float) -> tuple[Array, float]:
        """Coefficients and intercept for these columns, from those for the given ones."""
        scaled = coef / self.scale
        if self.rotation is None:
            return scaled, constant
        return self.rotation.inward(scaled), constant + float(self.rotation.mean @ scaled)

    def outward(self, coef: Array, constant: float) -> tuple[Array, float]:
        """Coefficients and intercept for the given columns, from those for these."""
        if self.rotation is None:
            return coef * self.scale, constant
        turned = self.rotation.basis @ coef
        return turned * self.scale, constant - float(self.rotation.mean @ turned)
