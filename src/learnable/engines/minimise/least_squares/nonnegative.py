"""Least squares with coefficients of at least zero, by the active-set method on the normal equations.

    minimise over w >= 0    w'Gw / 2 - c'w

A column enters when its gradient is negative; entered columns are solved exactly and leave when they would turn
negative. Each step lowers the objective, so the method ends. [Lawson and Hanson, 1974]
"""

from __future__ import annotations

import numpy as np

from ....core.runtime.context import give_way
from ....core.validate.features import Array
from ...algebra.interruptible_lapack import interruptibly
from .normal_equations import NormalEquations
from .select_solver import MAX_CONDITION_OF_NORMAL_EQUATIONS


def solve(gram: Array, cross: Array, tolerance: float = 1e-12) -> tuple[Array, float]:
    """The solution, and its largest violation of optimality relative to the terms of the gradient by each column."""
    scale = 1 / np.sqrt(np.where(gram.diagonal() > 0, gram.diagonal(), 1.0))
    G, c = gram * scale[:, None] * scale, cross * scale
    w = np.zeros(len(c))
    active, useless = np.zeros(len(c), dtype=bool), gram.diagonal() <= 0
    for _ in range(10 * len(c) + 10):
        candidates = ~active & ~useless & (_relative_gradient(G, c, w) > tolerance)
        if not candidates.any():
            break
        entering = int(np.argmax(np.where(candidates, c - G @ w, -np.inf)))
        active[entering] = True
        w = _solve_feasible(G, c, w, active)
        useless[entering] = not active[entering]  # it entered by rounding alone
    relative_gradient = _relative_gradient(G, c, w)
    return w * scale, float(
        np.where(w > 0, np.abs(relative_gradient), np.maximum(relative_gradient, 0)).max(initial=0.0)
    )


def _solve_feasible(G: Array, c: Array, w: Array, active: Array) -> Array:
    """Solve for the active columns, dropping those that would turn negative on the way there."""
    while active.any():
        give_way()
        target = np.zeros_like(w)
        target[active] = _solve_active(G[np.ix_(active, active)], c[active])
        if (target[active] > 0).all():
            return target
        falling = active & (target <= 0)
        gone = w[falling] - target[falling]
        fraction = float(np.min(np.divide(w[falling], gone, out=np.zeros_like(gone), where=gone > 0)))
        w = w + fraction * (target - w)
        active[falling & (w <= 1e-15 * max(1.0, float(np.abs(w).max())))] = False
        w[~active] = 0
    return w


def _solve_active(G: Array, c: Array) -> Array:
    """The solution of G w = c, accurate also for small entries if the columns are not nearly dependent."""
    system = NormalEquations(G, 0.0)
    if system.condition < MAX_CONDITION_OF_NORMAL_EQUATIONS:
        return system.solve(c)
    return np.asarray(interruptibly(np.linalg.lstsq, G, c, rcond=None)[0])


def _relative_gradient(G: Array, c: Array, w: Array) -> Array:
    """The negative gradient by each coefficient, relative to the sum of the magnitudes of its terms."""
    terms = np.abs(c) + np.abs(G) @ w
    return np.asarray(np.divide(c - G @ w, terms, out=np.zeros_like(c), where=terms > 0))
