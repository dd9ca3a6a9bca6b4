"""SAGA: variance-reduced stochastic gradients for binary and multinomial logistic regression.

    minimise over W, b    sum_i share_i loss(code_i, z_i) + penalty(W),      z = XW + b

A step uses the gradient of one row, corrected by the stored gradients of all rows. [Defazio et al., 2014]
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ....core.runtime.native import kernels
from ....core.runtime.trace import Trace
from ....core.validate.features import Array, Matrix
from ....parts.penalties import ElasticNet
from ... import matrix_products
from ...iterate import Progress, State, iterate
from ..logistic.logistic_rows import PERFECT
from ..smooth_solver import certify_gradient
from .epoch_order import shuffle
from .sgd import row_norms

LENGTH = 1 / 3  # of a step, over the largest curvature of a row
PATIENCE = 5  # epochs in which the criterion must halve, or another solver takes over


@dataclass(frozen=True, slots=True)
class Saga:
    """The problem and its stopping rule: `max_iter` epochs, or a gradient of `tol` times its terms.

    Rows of `X` are contiguous, or it is CSR. Weights are (features + 1, scores), the intercepts last: one score for two
    classes, one each for more.
    """

    X: Matrix
    code: Array
    row_weight: Array
    penalty: ElasticNet
    fit_intercept: bool
    max_iter: int
    tol: float
    seed: int

    def solve_roughly(self, first: Array, trace: Trace) -> Array:
        """Weights near the optimum, from `first`, while epochs are fast; `trace` records iterations and certificate."""
        with np.errstate(over="ignore"):
            norm = np.sqrt(matrix_products.squared_norms(self.X, self.row_weight))
            curvature_bound = 0.25 if first.shape[1] == 1 else 0.5
            heaviest = float((self.row_weight * (row_norms(self.X) + self.fit_intercept)).max())
            curvature = curvature_bound * len(self.code) * heaviest + self.penalty.l2
        if not (math.isfinite(curvature) and curvature > 0):
            return first
        state = iterate(Epochs(self, first, norm, LENGTH / curvature), self.max_iter, trace)
        certify_gradient(state["criterion"], self.tol, self.X.dtype, trace)
        found: Array = state["weights"]
        return found


@dataclass(frozen=True, slots=True)
class Epochs:
    """The method, for `iterate`: a step is an epoch, after which the gradients of all rows are recomputed.

    `norm` are the root mean squares of the columns, `pace` is the length of a step over a row.
    """

    problem: Saga
    first: Array
    norm: Array
    pace: float

    def start(self) -> State:
        """The state before the first epoch."""
        return self._state(self.first) | {"epoch": 0, "mark": math.inf, "idle": 0}

    def step(self, state: State) -> State:
        """One epoch, in an order drawn from the seed and its number."""
        weights, row_gradients, sums = (state[name].copy() for name in ("weights", "row_gradients", "sums"))
        p = self.problem
        order = np.arange(len(p.code))
        shuffle(order, p.seed, state["epoch"])
        kernels.saga_epoch(
            p.X,
            p.code,
            p.row_weight,
            order,
            self.pace,
            p.penalty.l1,
            p.penalty.l2,
            p.fit_intercept,
            weights,
            row_gradients,
            sums,
        )
        after = self._state(weights)
        halved = after["criterion"] <= state["mark"] / 2
        return after | {
            "epoch": state["epoch"] + 1,
            "mark": after["criterion"] if halved else state["mark"],
            "idle": 0 if halved else state["idle"] + 1,
        }

    def progress(self, state: State) -> Progress:
        """Objective and relative violation of the optimality conditions."""
        return Progress(state["objective"], state["criterion"], self.problem.tol, exhausted=state["idle"] >= PATIENCE)

    def _state(self, weights: Array) -> State:
        p, w = self.problem, weights[:-1]
        value, row_gradients = self._terms(weights)
        intercept_gradients = row_gradients.sum(axis=0) if p.fit_intercept else np.zeros(row_gradients.shape[1])
        sums = np.vstack([matrix_products.transposed_product(p.X, row_gradients), intercept_gradients])
        return {
            "weights": weights,
            "row_gradients": row_gradients,
            "sums": sums,
            "objective": sum(p.penalty.terms(w), value),
            "criterion": self._optimality_violation(w, row_gradients, sums),
        }

    def _terms(self, weights: Array) -> tuple[float, Array]:
        """The mean loss, and its gradient by each score."""
        p = self.problem
        scores = kernels.matvec(p.X, weights[:-1], weights[-1])
        if weights.shape[1] > 1:
            value, _, row_gradients, *_ = kernels.softmax_terms(scores, p.code, p.row_weight)
            return value, row_gradients
        value, gradient, _ = kernels.logistic_terms(scores[:, 0], (p.code == 1).astype(np.float64), p.row_weight)
        return value, gradient[:, None]

    def _optimality_violation(self, w: Array, row_gradients: Array, sums: Array) -> float:
        """The largest violation of the optimality conditions, relative to the terms of the gradient."""
        l1, l2 = self.problem.penalty.l1, self.problem.penalty.l2
        size = np.maximum(np.sqrt((row_gradients**2 / self.problem.row_weight[:, None]).sum(axis=0)), PERFECT)
        gradient = sums[:-1] + l2 * w
        away = np.where(w != 0, np.abs(gradient + l1 * np.sign(w)), np.maximum(np.abs(gradient) - l1, 0.0))
        scale = self.norm[:, None] * size + l2 * np.abs(w) + l1
        worst = np.divide(away, scale, out=np.zeros_like(away), where=scale > 0).max(initial=0.0)
        return float(max(worst, (np.abs(sums[-1]) / size).max()))
