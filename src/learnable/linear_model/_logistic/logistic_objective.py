"""Logistic regression problems: binary and multinomial fits, and the penalty in scikit-learn's parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...core import Array, Matrix, ParameterError, Trace
from ...core.errors import DataError, warn
from ...core.runtime.trace import EARLY
from ...engines import matrix_products
from ...engines.minimise.logistic.l1_logistic import L1Logistic
from ...engines.minimise.logistic.logistic_rows import LogisticRows
from ...engines.minimise.logistic.newton import LogisticNewton
from ...engines.minimise.logistic.softmax_solve import MAX_UNKNOWNS, Softmax
from ...engines.minimise.orthogonalise import wide
from ...engines.minimise.row_losses import normalised_weights
from ...engines.minimise.smooth_solver import Smooth
from ...parts.penalties import ElasticNet
from .logistic_separation import is_separable, newton_move, state_separation

Solver = Literal["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"]
PenaltyName = Literal["l1", "l2", "elasticnet", "deprecated"]

NEWTON_COLUMNS = 300  # up to here a factorised curvature pays for itself in steps saved
ABSENT_SCORE = -690.0  # the score of a class that does not occur: a probability of about 1e-300


@dataclass(frozen=True, slots=True)
class LogisticProblem:
    """A logistic regression problem: rows, class codes, weights, penalty, and how it is solved.

    minimise    total weight * C * mean loss + l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2
    """

    X: Matrix
    code: Array
    weight: Array | None
    classes: int
    C: float
    l1_ratio: float
    fit_intercept: bool
    max_iter: int
    tol: float
    prefer_newton: bool = False
    saga_seed: int | None = None  # of stochastic steps before the main solver, if any

    @property
    def alpha(self) -> float:
        """The regularisation strength relative to the mean loss."""
        return 1 / self.C / self.total()

    @property
    def penalty(self) -> ElasticNet:
        """The penalty of the coefficients, beside the mean loss."""
        return ElasticNet(self.alpha, self.l1_ratio)

    def total(self, some: Array | None = None) -> float:
        """The weight of all rows, or of some."""
        if self.weight is None:
            return float(len(self.code) if some is None else np.count_nonzero(some))
        return float(self.weight.sum() if some is None else self.weight[some].sum())

    @property
    def method(self) -> str:
        """The name of the optimisation method."""
        unknown = (self.X.shape[1] + 1) * self.classes
        few = self.X.shape[1] <= NEWTON_COLUMNS if self.classes == 2 else unknown <= MAX_UNKNOWNS
        smooth = "newton-cholesky" if few or (self.prefer_newton and self.classes == 2) else "lbfgs"
        exact = "working sets" if self.l1_ratio > 0 and self.alpha > 0 else smooth
        return exact if self.saga_seed is None else f"saga, then {exact}"

    @property
    def uses_newton(self) -> bool:
        """Whether two classes are fitted by Newton's method."""
        return self.prefer_newton or self.X.shape[1] <= NEWTON_COLUMNS

    @property
    def on_dense_rows(self) -> bool:
        """Whether the compiled Newton method applies: dense rows, more than columns."""
        return self.uses_newton and not matrix_products.is_sparse(self.X) and not wide(self.X)

    @property
    def detects_non_finite(self) -> bool:
        """Whether the fit reads every row so that it fails on values that are not finite."""
        absolute = self.l1_ratio > 0 and self.alpha > 0
        return (
            self.on_dense_rows and self.weight is None and self.classes == 2 and self.saga_seed is None and not absolute
        )

    def fit(self, start: Array, trace: Trace) -> Array:
        """Coefficients with the intercept last, (1 or classes, features + 1), from `start` of the same shape."""
        return self._fit_binary(start, trace) if len(start) == 1 else self._fit_multinomial(start, trace)

    def _fit_binary(self, start: Array, trace: Trace) -> Array:
        if self.saga_seed is not None:
            return self._fit_by_saga(start, trace)
        if self.penalty.l1 > 0:
            absolute = L1Logistic(self.X, self._rows(), self.penalty, self.fit_intercept, self.max_iter, self.tol)
            coef, intercept = absolute.solve(start[0, :-1], float(start[0, -1]), trace)
            return np.append(coef, intercept)[None]
        found = self._smooth(start[0], trace)[None]
        if self.alpha == 0 and is_separable(
            self.X, self.code, found, newton_move(self.X, self.code, found, self.fit_intercept)
        ):
            state_separation(trace)
        return found

    def _smooth(self, start: Array, trace: Trace) -> Array:
        """Coefficients of two classes with the intercept last, without an l1 penalty."""
        if self.on_dense_rows:
            newton = LogisticNewton(
                self.X, self.code, self.weight, self.penalty.l2, self.fit_intercept, self.max_iter, self.tol
            )
            found = newton.solve(start, trace)
            if found is not None:
                return found
        solver: Literal["newton-cholesky", "lbfgs"] = "newton-cholesky" if self.uses_newton else "lbfgs"
        smooth = Smooth(self.X, self._rows(), self.penalty.l2, self.fit_intercept, solver, self.max_iter, self.tol)
        coef, intercept = smooth.solve(start[:-1], float(start[-1]), trace)
        return np.append(coef, intercept)

    def _rows(self) -> LogisticRows:
        return LogisticRows((self.code == 1).astype(np.float64), normalised_weights(self.weight, len(self.code)))

    def _fit_multinomial(self, start: Array, trace: Trace) -> Array:
        present = np.bincount(self.code, minlength=self.classes) > 0
        if not present.all():
            return self._fit_present_classes(present, start, trace)
        if self.saga_seed is not None:
            return self._fit_by_saga(start, trace)
        row_weight = normalised_weights(self.weight, len(self.code))
        if self.penalty.l1 > 0:
            from ...engines.minimise.logistic.l1_softmax import L1Softmax

            absolute = L1Softmax(
                self.X, self.code, row_weight, self.classes, self.penalty, self.fit_intercept, self.max_iter, self.tol
            )
            return np.ascontiguousarray(absolute.solve(start.T, trace).T)
        softmax = Softmax(
            self.X, self.code, row_weight, self.classes, self.penalty.l2, self.fit_intercept, self.max_iter, self.tol
        )
        weights, move = softmax.solve(np.ascontiguousarray(start.T), trace)
        if self.alpha == 0 and is_separable(self.X, self.code, weights.T, None if move is None else move.T):
            state_separation(trace)
        return np.ascontiguousarray(weights.T)

    def _fit_by_saga(self, start: Array, trace: Trace) -> Array:
        """The fit from a start found by SAGA."""
        from ...engines.minimise.gradient_descent.saga import Saga

        X = self.X if matrix_products.is_sparse(self.X) else np.ascontiguousarray(self.X)
        row_weight, before, saga_seed = (
            normalised_weights(self.weight, len(self.code)),
            trace.iterations,
            self.saga_seed or 0,
        )
        stochastic = Saga(
            X, self.code, row_weight, self.penalty, self.fit_intercept, self.max_iter, self.tol, saga_seed
        )
        near = stochastic.solve_roughly(np.ascontiguousarray(start.T), trace)
        if trace.stopped in EARLY:
            return np.ascontiguousarray(near.T)
        left = max(1, self.max_iter - (trace.iterations - before))
        return replace(self, saga_seed=None, max_iter=left).fit(np.ascontiguousarray(near.T), trace)

    def _fit_present_classes(self, present: Array, start: Array, trace: Trace) -> Array:
        """The fit of the classes present; the others get a score that is never the largest."""
        code_among_present = np.cumsum(present) - 1
        some = replace(self, code=code_among_present[self.code], classes=int(present.sum()))
        found = np.zeros_like(start)
        found[~present, -1] = ABSENT_SCORE
        if some.classes > 2:
            found[present] = some.fit(start[present], trace)
            return found
        first, second = np.flatnonzero(present)
        half = some.fit((start[second] - start[first])[None], trace)[0] / 2
        found[first], found[second] = -half, half
        return found


def initial_coefficients(problem: LogisticProblem, several: bool) -> Array:
    """Initial values: zero coefficients, and the best intercepts for these."""
    count = problem.classes if several else 1
    start = np.zeros((count, problem.X.shape[1] + 1))
    if not problem.fit_intercept:
        return start
    if several:
        totals = np.bincount(problem.code, weights=problem.weight, minlength=problem.classes)
        logs = np.log(np.maximum(totals, 1e-300 * totals.sum()))
        start[:, -1] = logs - logs.mean()
    else:
        own, whole = problem.total(problem.code == 1), problem.total()
        start[0, -1] = math.log(max(own, 1e-300 * whole)) - math.log(max(whole - own, 1e-300 * whole))
    return start


def penalty_of(model: Any) -> tuple[float, float]:
    """C and l1_ratio of a model, with a warning for scikit-learn's deprecated parameters."""
    if model.penalty != "deprecated":
        warn(
            f"{type(model).__name__}: penalty is deprecated; use l1_ratio=0 for 'l2', l1_ratio=1 for 'l1', something "
            "between for 'elasticnet', and C=inf for None",
            FutureWarning,
        )
    elif model.l1_ratio is None:
        warn(f"{type(model).__name__}: l1_ratio=None is deprecated; use 0 <= l1_ratio <= 1", FutureWarning)
    _warn_of_ignored(model)
    return requested_penalty(model)


def _warn_of_ignored(model: Any) -> None:
    """Say which parameters do not count, or contradict each other, beside `penalty`."""
    owner, name, ratio = type(model).__name__, model.penalty, model.l1_ratio
    if name is None and model.C != 1.0:
        warn(f"{owner}: Setting penalty=None will ignore the C and l1_ratio parameters", UserWarning)
    elif (name == "l1" and ratio != 1.0) or (name == "l2" and ratio != 0.0):
        warn(f"{owner}: Inconsistent values: penalty={name} with l1_ratio={ratio}; penalty counts", UserWarning)


def requested_penalty(model: Any) -> tuple[float, float]:
    """C and l1_ratio of a model, from its current parameters or from `penalty`."""
    name, ratio = model.penalty, model.l1_ratio
    if name == "deprecated":
        return float(model.C), float(ratio or 0.0)
    if name is None:
        return np.inf, 0.0
    if name == "elasticnet" and ratio is None:
        raise ParameterError(
            f"{type(model).__name__}: penalty='elasticnet' needs l1_ratio, the fraction of the l1 part"
        )
    return float(model.C), {"l1": 1.0, "l2": 0.0}.get(name, ratio)


def refuse_one_class(owner: str, classes: Array, code: Array, weight: Array | None) -> None:
    """Refuse data with a single class among the rows with positive weight."""
    if weight is None and len(classes) > 1:  # all of them are present
        return
    totals = np.bincount(code, weights=weight, minlength=len(classes))
    if np.count_nonzero(totals) < 2:
        only = classes.tolist()[int(totals.argmax())]
        raise DataError(
            f"{owner}: y holds one class, {only!r}, and two or more are needed; collect rows of another class, or "
            "give them positive weight"
        )
