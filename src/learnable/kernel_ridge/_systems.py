"""Linear systems of kernel ridge regression: one fit, paths of alpha, and leave-one-out predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ..core.scaling import power_of_two
from ..engines.algebra.cholesky import inverse_diagonal, solve_shifted

MAX_ROWS_SHARED = 8000  # of a kernel matrix that all folds of a search share
MIN_FOR_EIGENVECTORS = 16  # values of alpha from which eigenvectors cost less than a factor each
ROUNDING = float(np.finfo(np.float64).eps)
SURE = 1e-10  # alpha over the largest entry, below which rounding of the matrix is felt in what rows left out get
SHARED = 1e-8  # of a row, outside the span of the others: less counts as zero


class DualCoefficients(NamedTuple):
    """Dual coefficients; leave-one-out errors, if requested; fitted values and certificate."""

    coef: Array
    gap: Array | None
    fitted: Array
    objective: float
    error: float
    rank: int


def solve(K: Array, y: Array, weight: Array | None, alphas: Array, with_gap: bool) -> DualCoefficients:
    """The dual coefficients that minimise sum s (y - Kc)^2 + alpha c'Kc, for each target with its own alpha."""
    root, scaled = _weighted(K, weight)
    unit = 1 / power_of_two(np.abs(y).max(axis=0))  # exact to divide by; residuals of any target are then seen
    unit = np.where(np.isfinite(unit) & (y != 0).any(axis=0), unit, 1.0)
    right = root[:, None] * (y / unit)
    coef, gap = np.empty_like(right), np.empty_like(right) if with_gap else None
    error, rank = 0.0, len(K)
    for alpha in np.unique(alphas):
        chosen = alphas == alpha
        part = _solve_one(scaled, float(alpha), right[:, chosen], with_gap)
        coef[:, chosen] = part.coef
        error, rank = max(error, part.error), min(rank, part.rank)
        if gap is not None:
            gap[:, chosen] = part.gap
    coef *= root[:, None]
    fitted = kernels.matvec(K, coef)
    residual = (y / unit - fitted) * root[:, None]
    loss = float((residual**2).sum() + (alphas * (coef * fitted).sum(axis=0)).sum())
    gap = None if gap is None else gap / np.where(root > 0, root, 1.0)[:, None] * unit
    return DualCoefficients(coef * unit, gap, fitted * unit, loss, error, rank)


def left_out(dual: DualCoefficients, y: Array, weight: Array | None) -> Array:
    """Leave-one-out predictions, without refitting.

    A row is left out whole, with all the copies that its weight stands for.
    """
    assert dual.gap is not None  # requested by the caller
    return y - dual.gap if weight is None else np.where(weight[:, None] > 0, y - dual.gap, dual.fitted)


def path_predictions(K: Array, y: Array, weight: Array | None, alphas: Array, train: Array) -> Callable[[Array], Array]:
    """A function of rows: their predictions (alphas, rows, targets) by the models of the training rows."""
    inside = np.ascontiguousarray(K[np.ix_(train, train)])
    own = None if weight is None else weight[train]
    coefs = _path(inside, y[train], own, alphas)

    def predict_rows(rows: Array) -> Array:
        similar = np.ascontiguousarray(K[np.ix_(rows, train)])
        return np.stack([kernels.matvec(similar, np.ascontiguousarray(coef)) for coef in coefs])

    return predict_rows


def _path(K: Array, y: Array, weight: Array | None, alphas: Array) -> list[Array]:
    """The dual coefficients for each alpha."""
    root, scaled = _weighted(K, weight)
    right = root[:, None] * y
    if len(alphas) < MIN_FOR_EIGENVECTORS:
        return [root[:, None] * solve_shifted(scaled, float(alpha), right).x for alpha in alphas]
    values, vectors = np.linalg.eigh(scaled)
    if values[0] + alphas.min() <= len(K) * ROUNDING * max(values[-1], 0.0):
        raise np.linalg.LinAlgError("the matrix is not positive definite")
    turned = vectors.T @ right
    return [root[:, None] * (vectors @ (turned / (values + alpha)[:, None])) for alpha in alphas]


class _PartialSolution(NamedTuple):
    coef: Array
    gap: Array | None
    error: float
    rank: int


def _solve_one(K: Array, alpha: float, right: Array, with_gap: bool) -> _PartialSolution:
    """(K + alpha I) c = side, by a Cholesky factor, or by eigenvectors if that fails or is inaccurate."""
    if with_gap and alpha < SURE * np.abs(K).max():
        return _by_eigenvectors(K, alpha, right)
    try:
        found = solve_shifted(K, alpha, right, keep_factor=with_gap)
    except np.linalg.LinAlgError:
        return _by_eigenvectors(K, alpha, right)
    gap = found.x / inverse_diagonal(found.factor)[:, None] if with_gap and found.factor is not None else None
    return _PartialSolution(found.x, gap, found.error, len(K))


def _by_eigenvectors(K: Array, alpha: float, right: Array) -> _PartialSolution:
    """The minimum-norm solution, with the leave-one-out errors.

    A leave-one-out error is the residual over one minus the leverage, or c_i / (inverse)_ii where that is zero: both
    hold for an invertible matrix, and for a singular one each where the other is 0 / 0.
    """
    values, vectors = np.linalg.eigh(K)
    least = len(K) * ROUNDING * np.abs(values).max(initial=0.0)
    values = np.where(np.abs(values) > least, values, 0.0) + alpha
    kept = np.abs(values) > least
    inverse = np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)
    turned, shrunk = vectors.T @ right, np.where(kept, alpha * inverse, 1.0)
    coef, residual = vectors @ (inverse[:, None] * turned), vectors @ (shrunk[:, None] * turned)
    own, left = ((vectors**2) @ part for part in (inverse, shrunk))
    shared = np.abs(left) > SHARED
    gap = np.where(shared[:, None], residual, coef) / np.where(shared, left, np.where(own != 0, own, 1.0))[:, None]
    return _PartialSolution(coef, gap, _normal_error(values, inverse, turned), int(kept.sum()))


def _normal_error(values: Array, inverse: Array, turned: Array) -> float:
    """The residual of the normal equations, in the basis of the eigenvectors."""
    off = values[:, None] * (turned - values[:, None] * (inverse[:, None] * turned))
    scale = np.abs(values).max(initial=0.0) * np.abs(turned).max(initial=0.0)
    return float(np.abs(off).max(initial=0.0) / scale) if scale > 0 else 0.0


def _weighted(K: Array, weight: Array | None) -> tuple[Array, Array]:
    """Roots of the weights, and K with rows and columns multiplied by them."""
    if weight is None:
        return np.ones(len(K)), K
    root = np.sqrt(weight)
    return root, root[:, None] * K * root
