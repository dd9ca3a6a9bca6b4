"""Newton step for several classes with an l1 penalty, on the face where the same coefficients stay at zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ....core.validate.features import Array
from ..spd_solve import PositiveSystem
from .softmax_methods import SoftmaxNewton
from .softmax_objective import SoftmaxProblem

MAX_FREE = 400  # unknowns up to which a step costs little beside the passes that it saves
MAX_WORK = 2e9  # products of columns, over all pairs of classes
MAX_SIGN_CHANGES = 32  # coefficients that reach zero in a step
MAX_HALVINGS = 20

Objective = Callable[[Array], float]
"""The value of weights (features + 1, classes), whose last row holds the intercepts."""


def face_step(problem: SoftmaxProblem, weights: Array, l1: float, objective: Objective) -> Array | None:
    """Weights at the minimum of the quadratic model on the face, or part of the way there; None if that is no better.

    With fixed signs of the coefficients the l1 penalty is linear, and all classes can move together.
    """
    used = np.append(weights[:-1].any(axis=1), True)
    free = weights[used] != 0
    free[-1] = problem.fit_intercept
    work = problem.X.shape[0] * float(len(free)) ** 2 * problem.classes**2 / 2
    if not 0 < np.count_nonzero(free) <= MAX_FREE or work > MAX_WORK:
        return None
    move = np.zeros_like(weights)
    move[used] = _constrained_minimum(_with_columns(problem, used[:-1]), weights[used], free, l1) - weights[used]
    before = objective(weights)
    for halving in range(MAX_HALVINGS):  # down along the whole line, as signs are kept between its ends too
        there = weights + 0.5**halving * move
        if objective(there) < before:
            return there
    return None


def _with_columns(problem: SoftmaxProblem, used: Array) -> SoftmaxProblem:
    if used.all():
        return problem
    X = problem.X[:, used]
    return replace(problem, X=np.ascontiguousarray(X) if isinstance(X, np.ndarray) else X, norm=problem.norm[used])


def _constrained_minimum(problem: SoftmaxProblem, weights: Array, free: Array, l1: float) -> Array:
    """The minimum of the quadratic model, along a piecewise linear path: coefficients that reach zero stay there."""
    point = problem.at(weights, problem.scores(weights))
    gradient = problem.gradient(point)
    gradient[:-1] += l1 * np.sign(weights[:-1])
    curvature = SoftmaxNewton(problem, 0.0, weights).curvature(point)
    steep, there, is_free = (of.T.ravel().copy() for of in (gradient, weights, free))
    signed = np.arange(len(there)) % len(weights) < len(weights) - 1  # intercepts may change their sign
    for _ in range(MAX_SIGN_CHANGES):
        move = np.zeros(len(there))
        move[is_free] = -PositiveSystem(curvature[np.ix_(is_free, is_free)]).solve(steep[is_free])
        crossing = signed & (there * (there + move) < 0)
        fraction = np.divide(-there, move, out=np.full(len(there), np.inf), where=crossing)
        far = min(1.0, float(fraction.min()))
        there, steep = there + far * move, steep + far * (curvature @ move)
        there[fraction == far], is_free = 0, is_free & (fraction != far)
        if not (crossing.any() and is_free.any()):
            break
    return there.reshape(weights.shape[::-1]).T
