"""Orthonormal columns for problems whose columns are nearly collinear or more than the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core.numeric import EPSILON
from ...core.validate.features import Array, Matrix
from ...core.validate.sparse_input import as_dense
from ..algebra.interruptible_lapack import interruptibly
from ..sufficient_statistics import Moments
from .least_squares.select_solver import can_be_copied

MAX_ROWS = 2000
MAX_COLUMNS_CHECKED = 500
NEAR_DEPENDENCE = 1e10  # condition of an equilibrated Gram matrix above which columns are nearly dependent
MAX_MEAN_RATIO = 1e4  # mean of a column, in standard deviations: beyond, its rounding dominates scores and gradients


@dataclass(frozen=True)
class Rotation:
    """Orthonormal columns U that span the centred columns of X, and the maps between coefficients of U and of X.

    (X - mean) w = U u exactly for  w = basis u,  and w is the shortest such;  u = forward w.
    """

    columns: Array
    basis: Array
    mean: Array
    forward: Array

    @classmethod
    def of(cls, X: Matrix, centre: bool) -> Rotation:
        """By singular values of the columns scaled to length one; directions of rounding size are left out."""
        return interruptibly(cls._of, as_dense(X).astype(np.float64), centre)

    @classmethod
    def _of(cls, dense: Array, centre: bool) -> Rotation:
        mean = dense.mean(axis=0) if centre else np.zeros(dense.shape[1])
        centred = dense - mean
        scale = np.linalg.norm(centred, axis=0)
        noise = np.sqrt(len(dense)) * EPSILON
        scale[scale <= noise * np.abs(dense).max(axis=0)] = 0
        inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
        U, singular, V = np.linalg.svd(centred * inverse, full_matrices=False)
        rank = int((singular[: len(dense) - centre] > max(dense.shape) * EPSILON * singular[0]).sum())
        if rank == 0:
            nothing = np.zeros((dense.shape[1], 1))
            return cls(np.zeros((len(dense), 1)), nothing, mean, nothing.T)
        # X = U M with M = S V' scale; the shortest w with M w = u is Q R'^-1 u, where M' = Q R
        forward = (V[:rank] * scale) * singular[:rank, None]
        Q, R = np.linalg.qr(forward.T)
        return cls(U[:, :rank], Q @ np.linalg.inv(R).T, mean, forward)

    def inward(self, coef: Array) -> Array:
        """The coefficients u of the orthonormal columns that give the scores of w."""
        product: Array = self.forward @ coef
        return product


@dataclass(frozen=True)
class RotatedL2:
    """The squared penalty of w = basis u as a penalty of u.

    value = alpha / 2  |basis u|^2
    """

    alpha: float
    basis: Array

    smooth: ClassVar[bool] = True

    def value(self, w: Array) -> float:
        product = self.basis @ w
        return self.alpha / 2 * float(np.vdot(product, product))

    def gradient(self, w: Array) -> Array:
        product: Array = self.alpha * (self.basis.T @ (self.basis @ w))
        return product

    def magnitude(self, w: Array) -> Array:
        """The sum of the magnitudes of the terms; with nearly collinear columns large entries of the basis cancel."""
        terms: Array = self.alpha * (np.abs(self.basis).T @ np.abs(self.basis @ w))
        return terms


def wide(X: Matrix) -> bool:
    """Whether there are at most as many rows as columns, and few enough to rotate."""
    rows, columns = X.shape
    return bool(rows <= min(columns, MAX_ROWS) and can_be_copied(X))


def nearly_dependent(X: Matrix, moments: Moments) -> bool:
    """Whether some columns are nearly collinear, and X is small enough to be rotated."""
    columns = X.shape[1]
    if not can_be_copied(X) or columns > MAX_COLUMNS_CHECKED:
        return False
    varied = varies(moments)
    scale = 1 / np.sqrt(np.where(varied, moments.gram.diagonal(), 1.0))
    system = moments.gram * scale[:, None] * scale
    try:
        root = np.linalg.inv(np.linalg.cholesky(system[varied][:, varied]))
    except np.linalg.LinAlgError:
        return True
    return bool(columns * np.square(root).sum(axis=0).max(initial=0) > NEAR_DEPENDENCE)


def spanned(moments: Moments) -> int:
    """The numerical rank of the columns."""
    varied = varies(moments)
    if not varied.any():
        return 0
    scale = 1 / np.sqrt(moments.gram.diagonal()[varied])
    sizes = np.linalg.eigvalsh(moments.gram[np.ix_(varied, varied)] * scale[:, None] * scale)
    return int((sizes * NEAR_DEPENDENCE > sizes[-1]).sum())


def far_off(X: Matrix, moments: Moments) -> bool:
    """Whether columns that vary lie so far from zero that they should be centred, and X is small enough for that."""
    far = moments.weight * moments.mean_x**2 > MAX_MEAN_RATIO**2 * moments.gram.diagonal()
    return can_be_copied(X) and bool((far & varies(moments)).any())


def varies(moments: Moments) -> Array:
    """Which columns vary by more than rounding."""
    diagonal = moments.gram.diagonal()
    return np.asarray(diagonal > (1000 * EPSILON) ** 2 * (diagonal + moments.weight * moments.mean_x**2))
