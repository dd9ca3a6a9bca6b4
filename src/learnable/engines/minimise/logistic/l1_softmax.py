"""Multinomial logistic regression with an l1 penalty, by block coordinate descent over the classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ....core.runtime.native import kernels
from ....core.runtime.trace import Trace
from ....core.validate.features import Array, Matrix
from ....parts.penalties import L2, ElasticNet
from ... import matrix_products
from ...iterate import Progress, State, iterate
from ..optimality import GradientTerms, PenaltyGradient, far_columns
from ..smooth_solver import gradient_tolerance
from .logistic_rows import PERFECT, LogisticRows
from .proximal_newton import newton_step
from .softmax_active_set import face_step
from .softmax_objective import SoftmaxProblem

MIN_GRADIENT = 1e-7  # the gradient that a Newton step solved to a duality gap of rounding size leaves
MODEL_GAP = 1e-3  # of the objective times the squared criterion


@dataclass(frozen=True, slots=True)
class L1Softmax:
    """minimise over W, b    sum_i share_i (log sum_k e^z_ik - z_i,code(i)) + penalty(W),   z = XW + b.

    With the scores of the other classes fixed, the loss of class k is a binary logistic loss with scores shifted by
    -log sum_(l != k) e^z_l: a proximal Newton step of each class in turn. [Friedman, Hastie and Tibshirani, 2010]
    Then a step of all classes together, with the signs of the coefficients fixed.
    """

    X: Matrix
    code: Array
    row_weight: Array
    classes: int
    penalty: ElasticNet
    fit_intercept: bool
    max_iter: int
    tol: float

    def solve(self, weights: Array, trace: Trace) -> Array:
        """The best weights (features + 1, classes), intercepts last, found from those given."""
        X, scale, squares = matrix_products.in_range(self.X, self.row_weight, together=True)
        unit = float(scale[0])
        if matrix_products.is_sparse(X):
            X = X.tocsc()
        penalty = self.penalty.scaled(unit)
        first = np.vstack([weights[:-1] / unit, weights[-1:]])
        tolerance = max(gradient_tolerance(self.tol), MIN_GRADIENT)
        method = ClassByClass(X, self, penalty, np.sqrt(squares), tolerance, first)
        state = iterate(method, self.max_iter, trace)
        trace.certify(
            "optimality violation",
            state["criterion"] + float(np.finfo(self.X.dtype).eps),
            max(tolerance, 64 * float(np.finfo(self.X.dtype).eps)),
            "no entry of the gradient is further from what the penalty allows than this fraction of the terms it sums",
        )
        found = state["weights"]
        return np.vstack([found[:-1] * unit, found[-1:] - (found[-1].mean() if self.fit_intercept else 0.0)])


@dataclass(frozen=True, slots=True)
class ClassByClass:
    """The method, for `iterate`: a step is a Newton step of each class."""

    X: Matrix
    task: L1Softmax
    penalty: ElasticNet
    norm: Array
    tolerance: float
    first: Array

    def start(self) -> State:
        """The state before the first step."""
        return self._state(self.first, self._scores(self.first))

    def step(self, state: State) -> State:
        """Steps of each class and of all together; where these gain nothing, the same with models solved exactly."""
        for model_gap in (MODEL_GAP, 0.0):
            after = self._round(state, model_gap * state["criterion"] ** 2)
            if after["objective"] < state["objective"] or after["criterion"] < state["criterion"]:
                return after
        return state | {"stalled": True}

    def _round(self, state: State, goal: float) -> State:
        """A step of each class, whose model is solved to a gap of `goal` of its objective; then all together."""
        weights, z = state["weights"].copy(), state["scores"].copy()
        for k in range(self.task.classes):
            rows, scores = self._rows(z, k), np.ascontiguousarray(z[:, k])
            coef = np.ascontiguousarray(weights[:-1, k])
            value = rows.terms(scores).value + self.penalty.value(coef)
            start = coef, float(weights[-1, k]), scores, value
            found = newton_step(self.X, rows, self.penalty, self.task.fit_intercept, start, goal * value)
            if found is not None:
                weights[:-1, k], weights[-1, k], z[:, k] = found[0], found[1], found[2]
        shift = best_shift(weights[:-1], self.penalty)
        weights[:-1] += shift[:, None]
        z += matrix_products.precise_scores(self.X, shift, 0.0)[:, None]
        together = face_step(self._smooth(), weights, self.penalty.l1, self._objective)
        if together is not None:
            weights, z = together, self._scores(together)
        return self._state(weights, z)

    def progress(self, state: State) -> Progress:
        """Objective and relative violation of the optimality conditions."""
        more = {"support": float(np.count_nonzero(state["weights"][:-1]))}
        return Progress(state["objective"], state["criterion"], self.tolerance, more, stalled=state["stalled"])

    def _rows(self, z: Array, k: int) -> LogisticRows:
        """The rows of class k against all others, whose scores are fixed."""
        rest = np.delete(z, k, axis=1)
        top = rest.max(axis=1)
        offset = -(top + np.log(np.exp(rest - top[:, None]).sum(axis=1)))
        return LogisticRows((self.task.code == k).astype(np.float64), self.task.row_weight, offset)

    def _scores(self, weights: Array) -> Array:
        product: Array = kernels.matvec(self.X, weights[:-1], weights[-1])
        return product

    def _smooth(self) -> SoftmaxProblem:
        """The problem without its l1 penalty."""
        task, ridge = self.task, L2(self.penalty.l2)
        return SoftmaxProblem(self.X, task.code, task.row_weight, ridge, task.fit_intercept, self.norm, task.classes)

    def _objective(self, weights: Array) -> float:
        value = kernels.softmax_terms(self._scores(weights), self.task.code, self.task.row_weight)[0]
        return float(value) + self._penalty_value(weights[:-1])

    def _penalty_value(self, coef: Array) -> float:
        return sum(self.penalty.value(column) for column in np.ascontiguousarray(coef.T))

    def _state(self, weights: Array, z: Array) -> State:
        value, _, row_gradient, *_ = kernels.softmax_terms(z, self.task.code, self.task.row_weight)
        gradient = kernels.rmatvec(self.X, row_gradient)
        coef = weights[:-1]
        size = np.maximum(np.linalg.norm(row_gradient / np.sqrt(self.task.row_weight)[:, None], axis=0), PERFECT)
        scale = self.norm[:, None] * size + self.penalty.l1 + self.penalty.l2 * np.abs(coef)
        distance = partial(self._subgradient_distance, coef)
        worst = float(
            np.max(distance(gradient + self.penalty.l2 * coef) / np.where(scale > 0, scale, 1.0), initial=0.0)
        )
        if self.task.fit_intercept:
            worst = max(worst, float(np.max(np.abs(row_gradient.sum(axis=0)) / size)))
        if worst <= self.tolerance and (far := far_columns(self.X, self.norm)).any():
            penalty_gradient, negligible = (
                PenaltyGradient.of(L2(self.penalty.l2), coef),
                self.tolerance * float(size.min()) * self.task.row_weight,
            )
            gradient_terms = GradientTerms(
                self.X,
                row_gradient,
                np.abs(row_gradient),
                penalty_gradient,
                False,
                self.tolerance,
                negligible,
                far,
                distance,
            )
            worst = max(worst, gradient_terms.largest_violation())
        objective = value + self._penalty_value(coef)
        return {"weights": weights, "scores": z, "objective": objective, "criterion": worst, "stalled": False}

    def _subgradient_distance(self, coef: Array, gradient: Array) -> Array:
        """The distance of the gradient of the smooth part from the negative subdifferential of the l1 penalty."""
        l1 = self.penalty.l1
        return np.where(coef != 0, np.abs(gradient + l1 * np.sign(coef)), np.maximum(np.abs(gradient) - l1, 0.0))


def best_shift(coef: Array, penalty: ElasticNet) -> Array:
    """The common shift of the classes' coefficients of each column that minimises the penalty at equal probabilities.

    The penalty of a column is a parabola in the shift between the points where a coefficient becomes zero.

    >>> coef = np.array([[1.0, 2.0, 6.0]])
    >>> best_shift(coef, ElasticNet(1.0, 1.0)), best_shift(coef, ElasticNet(1.0, 0.0))
    (array([-2.]), array([-3.]))
    """
    classes = coef.shape[1]
    knots = np.sort(-coef, axis=1)
    edge = np.full((len(coef), 1), np.inf)
    low, high = np.hstack([-edge, knots]), np.hstack([knots, edge])
    positive = np.arange(classes + 1)  # coefficients above zero on each piece
    if penalty.l2 > 0:
        lowest = -coef.mean(axis=1, keepdims=True) - penalty.l1 / penalty.l2 * (2 * positive / classes - 1)
    else:
        lowest = np.zeros(
            (len(coef), classes + 1)
        )  # pieces are straight: the least is at a knot, or no shift is needed
    tried = np.clip(lowest, low, high)
    moved = coef[:, None, :] + tried[:, :, None]
    cost = penalty.l1 * np.abs(moved).sum(axis=2) + penalty.l2 / 2 * np.square(moved).sum(axis=2)
    return np.take_along_axis(tried, cost.argmin(axis=1)[:, None], axis=1)[:, 0]
