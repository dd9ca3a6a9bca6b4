"""Quantile regression at a vertex: through as many rows as there are coefficients."""

from __future__ import annotations

import numpy as np

from ....core.numeric import TINY
from ....core.runtime.threads import scipy_linalg
from ....core.validate.features import Array
from ... import matrix_products
from ...algebra.interruptible_lapack import interruptibly
from ...iterate import State
from .pinball import Pinball

ZERO_RESIDUAL = 1e-9  # of the largest target: residuals that count as zero
SINGULAR = 1e-12
VERTEX_GAP = 1e-4  # gap below which the vertex is tried
ROUNDING_GAP = 1e-13  # a gap that is only rounding


def nearest_vertex(problem: Pinball, dual: Array) -> tuple[Array, float, Array] | None:
    """The coefficients that pass exactly through the rows whose dual variables are farthest from their bounds.

    With the dual variables that belong to them: at the bounds for rows with a residual, unchanged for others without
    one, and for the chosen rows the values that keep the sums at zero. None if no rows determine the coefficients.
    """
    basis = _basis(problem, dual)
    if basis is None:
        return None
    rows = _rows(problem, basis)
    solution = interruptibly(np.linalg.solve, rows, problem.target[basis])
    coef, intercept = (solution[:-1], float(solution[-1])) if problem.fit_intercept else (solution, 0.0)
    coef[_columns(problem, basis)] = 0
    residual = problem.target - problem.scores(coef, intercept)
    is_off = np.abs(residual) > ZERO_RESIDUAL * np.abs(problem.target).max()
    settled = np.where(is_off, np.where(residual > 0, problem.high, problem.low), dual)
    settled[basis] = 0
    sums, total = problem.column_sums(settled)
    settled[basis] = -interruptibly(np.linalg.solve, rows.T, np.append(sums, total) if problem.fit_intercept else sums)
    return coef, intercept, settled


def move_to_vertex(problem: Pinball, state: State, unit: float) -> State:
    """The state moved to the nearest vertex, if its gap proves it optimal, relative to `unit`.

    The state holds `coef`, `intercept`, `residual`, `dual`, `objective` and `bound`.
    """
    if problem.ridge > 0 or state["objective"] - state["bound"] > VERTEX_GAP * unit:
        return state
    vertex = nearest_vertex(problem, state["dual"])
    if vertex is None:
        return state
    coef, intercept, dual = vertex
    residual = problem.target - problem.scores(coef, intercept)
    objective, bound = problem.value(coef, residual), problem.bound(coef, dual)
    if objective - bound > ROUNDING_GAP * unit:
        return state
    moved = {"coef": coef, "intercept": intercept, "residual": residual, "dual": dual}
    return state | moved | {"objective": objective, "bound": min(bound, objective)}


def _basis(problem: Pinball, dual: Array) -> Array | None:
    """Independent rows, as many as coefficients, chosen among those farthest inside by QR with pivoting."""
    size = problem.X.shape[1] + int(problem.fit_intercept)
    if len(dual) < size:
        return None
    inside = np.minimum(problem.high - dual, dual - problem.low) / (problem.high - problem.low)
    some = min(len(dual), 3 * size + 10)
    candidates = np.sort(np.argpartition(-inside, some - 1)[:some])
    rows = _rows(problem, candidates)
    rows *= (np.maximum(inside[candidates], 0) / np.linalg.norm(rows, axis=1).clip(TINY))[:, None]
    triangle, order = interruptibly(scipy_linalg().qr, rows.T, mode="r", pivoting=True)
    pivots = np.abs(triangle.diagonal())
    if len(pivots) < size or not pivots[size - 1] > SINGULAR * pivots[0]:
        return None
    return np.sort(candidates[order[:size]])


def _columns(problem: Pinball, rows: Array) -> Array:
    """The columns whose penalty is among the rows; these come after the data."""
    return np.asarray(problem.penalised[rows[rows >= len(problem.y)] - len(problem.y)])


def _rows(problem: Pinball, chosen: Array) -> Array:
    """The chosen rows in order as a dense matrix, the column of the intercept last."""
    real, columns = chosen[chosen < len(problem.y)], _columns(problem, chosen)
    picked = problem.X[real]
    dense = picked.toarray() if matrix_products.is_sparse(picked) else picked
    stacked = np.vstack([dense, np.eye(problem.X.shape[1])[columns]]).astype(np.float64)
    if not problem.fit_intercept:
        return stacked
    return np.column_stack([stacked, np.append(np.ones(len(real)), np.zeros(len(columns)))])
