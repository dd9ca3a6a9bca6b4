"""Least squares with coefficients of at least zero, by the active-set method on the normal equations.

    minimise over w >= 0    w'Gw / 2 - c'w

A column enters when the gradient asks for it; entered columns are solved exactly and leave when they would turn
negative. Each step lowers the objective, so the method ends. [Lawson and Hanson, 1974]
"""

from __future__ import annotations

import numpy as np

from ...core.ambient import give_way
from ...core.data import Array
from ..apart import apart


def solve(gram: Array, cross: Array, tolerance: float = 1e-12) -> tuple[Array, float]:
    """The answer, and its largest violation of optimality relative to the size of the terms in the gradient."""
    scale = 1 / np.sqrt(np.where(gram.diagonal() > 0, gram.diagonal(), 1.0))
    G, c = gram * scale[:, None] * scale, cross * scale
    w = np.zeros(len(c))
    active = np.zeros(len(c), dtype=bool)
    size = float(np.abs(c).max(initial=0.0)) or 1.0
    for _ in range(10 * len(c) + 10):
        slope = c - G @ w
        slope[active | (gram.diagonal() <= 0)] = -np.inf
        entering = int(np.argmax(slope))
        if slope[entering] <= tolerance * size:
            break
        active[entering] = True
        w = _inside(G, c, w, active)
    return w * scale, _violation(G, c, w, size)


def _inside(G: Array, c: Array, w: Array, active: Array) -> Array:
    """Solve for the active columns, dropping those that would turn negative on the way there."""
    while active.any():
        give_way()
        target = np.zeros_like(w)
        target[active] = apart(np.linalg.lstsq, G[np.ix_(active, active)], c[active], rcond=None)[0]
        if (target[active] > 0).all():
            return target
        falling = active & (target <= 0)
        share = float(np.min(w[falling] / (w[falling] - target[falling])))
        w = w + share * (target - w)
        active[falling & (w <= 1e-15 * max(1.0, float(np.abs(w).max())))] = False
        w[~active] = 0
    return w


def _violation(G: Array, c: Array, w: Array, size: float) -> float:
    slope = c - G @ w
    return float(np.where(w > 0, np.abs(slope), np.maximum(slope, 0)).max(initial=0.0)) / size
