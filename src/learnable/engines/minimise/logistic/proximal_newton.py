"""Logistic regression with an l1 penalty: proximal Newton steps on working sets, to a certified duality gap.

    minimise over w, b    sum_i s_i (log(1 + e^z_i) - y_i z_i)  +  l1 |w|_1  +  l2 |w|^2 / 2,      z = Xw + b

A step replaces every row by its parabola, which is a lasso with weights, and solves that by coordinate descent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.numeric import EPSILON
from ....core.validate.features import Array, Matrix
from ....parts.penalties import ElasticNet
from ... import matrix_products
from ...iterate import Progress, State
from .. import coordinate
from ..duality import gap_between
from ..line_search import objective_rounding
from ..row_losses import Terms, floored_curvature
from .logistic_rows import LogisticRows

COLUMNS_PER_COPIED = 4  # columns are copied to a smaller matrix where at most one in this many is in the working set
STEPS = 3  # Newton steps on one working set
MIN_WORKING_SET = 100  # columns in a working set
HALVINGS = 40
PASSES = 50  # over a working set, in one round of coordinate descent
ROUNDS = 10
FEW_COLUMNS = 500
ROUGH_PASSES = 10  # with many columns the next Newton step corrects an inexact one


@dataclass(frozen=True, slots=True)
class Proximal:
    """The method, for `iterate`: a step chooses a working set and does some Newton steps on it."""

    X: Matrix
    rows: LogisticRows
    penalty: ElasticNet
    fit_intercept: bool
    tolerance: float
    coef: Array
    intercept: float

    def start(self) -> State:
        """The state before the first step."""
        return self._state(self.coef, self.intercept, matrix_products.precise_scores(self.X, self.coef, self.intercept))

    def step(self, state: State) -> State:
        """Some Newton steps on a working set, and an evaluation of all columns."""
        chosen = self._working_set(state)
        X = self.X if chosen is None else self.X[:, chosen]
        coef = state["coef"] if chosen is None else state["coef"][chosen]
        intercept, z, objective = state["intercept"], state["scores"], state["objective"]
        goal = state["gap"] / 100
        moved = False
        for _ in range(STEPS):
            start = (coef, intercept, z, objective)
            found = newton_step(X, self.rows, self.penalty, self.fit_intercept, start, goal)
            if (
                found is None and not moved
            ):  # the gap of the model can be far below that of the problem: solve it exactly
                found = newton_step(X, self.rows, self.penalty, self.fit_intercept, start, 0.0)
            if found is None:
                break
            moved = True
            fallen = objective - found[3]
            coef, intercept, z, objective = found
            if fallen <= state["gap"] / 10:
                break
        if chosen is not None:
            whole = np.zeros_like(state["coef"])
            whole[chosen] = coef
            coef = whole
        there = self._state(coef, intercept, z)
        if moved and (there["gap"] < state["gap"] or there["objective"] < state["objective"]):
            return there
        return state | {"stalled": True}

    def progress(self, state: State) -> Progress:
        """How large the duality gap is."""
        noise = 64 * EPSILON * state["objective"]
        more = {"support": float(np.count_nonzero(state["coef"]))}
        return Progress(state["objective"], state["gap"], max(self.tolerance, noise), more, stalled=state["stalled"])

    def _state(self, coef: Array, intercept: float, z: Array) -> State:
        terms = self.rows.terms(z)
        balanced = _balance(-terms.gradient) if self.fit_intercept else -terms.gradient
        products = matrix_products.transposed_product(self.X, balanced)
        objective = terms.value + self.penalty.value(coef)
        return {
            "coef": coef,
            "intercept": intercept,
            "scores": z,
            "objective": objective,
            "products": products,
            "gap": gap_between(objective, dual_value(self.rows, self.penalty, balanced, products)),
            "stalled": False,
        }

    def _working_set(self, state: State) -> Array | None:
        """The support and the columns with the largest violations of optimality; None for all columns."""
        columns = len(state["coef"])
        violation = np.abs(state["products"])
        support = state["coef"] != 0
        violation[support] = np.inf
        most = max(MIN_WORKING_SET, 2 * int(support.sum()), self.X.shape[0] // 8)
        candidates = np.flatnonzero(violation > 0.9 * self.penalty.l1)
        if self.penalty.l1 == 0 or COLUMNS_PER_COPIED * min(most, len(candidates)) > columns:
            return None
        if len(candidates) > most:
            candidates = np.sort(candidates[np.argpartition(-violation[candidates], most)[:most]])
        return candidates


Iterate = tuple[Array, float, Array, float]  # coefficients, intercept, scores, objective


def newton_step(
    X: Matrix, rows: LogisticRows, penalty: ElasticNet, fit_intercept: bool, start: Iterate, goal: float
) -> Iterate | None:
    """The minimum of the quadratic model with the penalty, or as far towards it as the objective falls; None if not.

    The gap falls in step with the gradient and the objective with its square, so that the last steps are too small for
    the objective to show: one that was solved exactly, with a goal of zero, need only keep it up to rounding.
    """
    coef, intercept, z, objective = start
    terms = rows.terms(z)
    curvature = floored_curvature(terms.curvature, terms.gradient)
    total = float(curvature.sum())
    model = coordinate.StandardisedLeastSquares(X, curvature, centre=fit_intercept, targets=1)
    model.set_target(z - terms.gradient / curvature)
    w = _model_minimum(model, penalty, total, coef, goal)
    b = float(model.mean_y[0] - model.mean_x @ w) if fit_intercept else 0.0
    along = matrix_products.precise_scores(X, w, b) - z
    unseen = 0.0 if goal > 0 else objective_rounding(objective)
    return _backtrack(rows, penalty, start, (w - coef, b - intercept, along), terms, unseen)


def _model_minimum(
    model: coordinate.StandardisedLeastSquares, penalty: ElasticNet, total: float, coef: Array, goal: float
) -> Array:
    """Coefficients that minimise the quadratic model, to a gap of `goal` or as near as a limited effort gets."""
    tol = max(goal / total / max(model.scale, 1e-300), 1e-15)
    inside = model.start(coef[None])
    few = len(inside) <= FEW_COLUMNS  # then products of all pairs of columns pay, and the model can be solved exactly
    passes, rounds, care = (PASSES, ROUNDS, 1) if few else (ROUGH_PASSES, 1, 0)
    for _ in range(rounds):
        _, gap, noise, *_ = model.kernel.improve(inside, penalty.l1 / total, penalty.l2 / total, tol, passes, care, 0)
        if gap <= max(tol, noise):
            break
    return np.ascontiguousarray(inside[:, 0] * model.unit)


def _backtrack(
    rows: LogisticRows,
    penalty: ElasticNet,
    start: Iterate,
    move: tuple[Array, float, Array],
    terms: Terms,
    unseen: float,
) -> Iterate | None:
    """The longest of the steps 1, 1/2, 1/4 ... with sufficient decrease, or an increase of at most `unseen`."""
    coef, intercept, z, objective = start
    by_coef, by_intercept, along = move
    before = penalty.value(coef)
    promise = float(terms.gradient @ along) + penalty.value(coef + by_coef) - before
    if not promise < unseen:
        return None
    length = 1.0
    for _ in range(HALVINGS):
        there, scores = coef + length * by_coef, z + length * along
        value = rows.terms(scores).value + penalty.value(there)
        if value <= objective + 1e-4 * length * min(promise, 0.0) + objective_rounding(objective):
            return there, intercept + length * by_intercept, scores, value
        length /= 2
    return None


def _balance(duals: Array) -> Array:
    """Dual variables that sum to zero, as an intercept requires: the larger side is scaled down."""
    up, down = float(duals[duals > 0].sum()), -float(duals[duals < 0].sum())
    if up == down or up == 0 or down == 0:
        return duals
    lighter = min(up, down)
    return np.where(duals > 0, duals * (lighter / up), duals * (lighter / down))


def dual_value(rows: LogisticRows, penalty: ElasticNet, balanced: Array, products: Array) -> float:
    """A lower bound of every objective, from dual variables that sum to zero and their products with the columns.

    Scaled so that no product exceeds l1, they are dual feasible; with l2 > 0 they are so without scaling too.
    """
    best = -np.inf
    largest = float(np.abs(products).max(initial=0.0))
    if penalty.l1 > 0:
        best = _dual_entropy(rows, balanced * min(1.0, penalty.l1 / largest) if largest > 0 else balanced)
    if penalty.l2 > 0:
        excess = np.maximum(np.abs(products) - penalty.l1, 0)
        best = max(best, _dual_entropy(rows, balanced) - float(excess @ excess) / (2 * penalty.l2))
    return best


def _dual_entropy(rows: LogisticRows, duals: Array) -> float:
    """The dual of the row part: the mean entropy of the probabilities y - dual / weight, less the offset term."""
    p = np.clip(rows.y - duals / rows.row_weight, 0.0, 1.0)
    q = 1 - p
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(p > 0, p * np.log(p), 0.0) - np.where(q > 0, q * np.log(q), 0.0)
    value = float(rows.row_weight @ entropy)
    return value if rows.offset is None else value - float(duals @ rows.offset)
