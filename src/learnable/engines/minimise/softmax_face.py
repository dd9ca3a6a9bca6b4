"""Newton's step for several classes with an absolute penalty, on the face where the same coefficients stay at zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...core.data import Array
from .positive import PositiveSystem
from .softmax import SoftmaxProblem
from .softmax_methods import SoftmaxNewton

MOST_FREE = 400  # unknowns up to which a step costs little beside the passes that it saves
MOST_WORK = 2e9  # products of columns, over all pairs of classes

Objective = Callable[[Array], float]
"""The value of weights (features + 1, classes), whose last row holds the constants."""


def face_step(problem: SoftmaxProblem, weights: Array, l1: float, objective: Objective) -> Array | None:
    """Weights at the minimum of the quadratic model on the face, or as far as signs stay; None if that is no better.

    With the signs of the coefficients kept, the absolute penalty is a plane, and all classes can move together.
    """
    used = np.append(weights[:-1].any(axis=1), True)
    free = weights[used] != 0
    free[-1] = problem.intercept
    work = problem.X.shape[0] * float(len(free)) ** 2 * problem.classes**2 / 2
    if not 0 < np.count_nonzero(free) <= MOST_FREE or work > MOST_WORK:
        return None
    move = np.zeros_like(weights)
    move[used] = _move(_with_columns(problem, used[:-1]), weights[used], free, l1)
    before = objective(weights)
    for goal in _goals(weights, move):
        if objective(goal) < before:
            return goal
    return None


def _with_columns(problem: SoftmaxProblem, used: Array) -> SoftmaxProblem:
    if used.all():
        return problem
    X = problem.X[:, used]
    return replace(problem, X=np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X, norm=problem.norm[used])


def _move(problem: SoftmaxProblem, weights: Array, free: Array, l1: float) -> Array:
    """Newton's step of the free weights."""
    point = problem.at(weights, problem.scores(weights))
    slope = problem.gradient(point)
    slope[:-1] += l1 * np.sign(weights[:-1])
    chosen = free.T.ravel()
    system = PositiveSystem(SoftmaxNewton(problem, 0.0, weights).curvature(point)[np.ix_(chosen, chosen)])
    move = np.zeros(weights.size)
    move[chosen] = -system.solve(slope.T.ravel()[chosen])
    return move.reshape(weights.shape[::-1]).T


def _goals(weights: Array, move: Array) -> list[Array]:
    """Where a step may end: with all that would change sign at zero; or where the first of these gets there."""
    whole = weights + move
    crossing = weights[:-1] * whole[:-1] < 0
    if not crossing.any():
        return [whole]
    whole[:-1][crossing] = 0
    share = np.where(crossing, -weights[:-1] / np.where(crossing, move[:-1], 1.0), np.inf)
    near = weights + share.min() * move
    near[:-1][share == share.min()] = 0
    return [whole, near]
