"""Logistic regression in the space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, estimator, learned, param
from ..core.native import kernels
from ..engines.cholesky import solve_shifted
from ..engines.iterate import Progress, State, iterate
from .machine import KernelClassifier

MOST_HALVINGS = 30


@estimator
class KernelLogisticRegression(KernelClassifier):
    """Logistic regression on the images of the rows under a kernel, which are never computed.

    minimise over f    sum_i s_i log(1 + exp(-y_i f(x_i)))  +  alpha / 2 |f|^2,    y_i = 1 or -1

    Newton's method; a step solves one system of the size of the rows, and costs n^3 / 3. Several classes are fitted one
    against the rest, and their probabilities are made to sum to one. The duality gap proves how good the answer is.
    There is no constant term: add one to the kernel. [Zhu and Hastie, 2005]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]
    >>> KernelLogisticRegression(alpha=0.01).fit(X, y).predict([[0.0], [1.5]])
    array([0, 1])
    """

    alpha: float = param(1.0, "strength of the penalty", above=0, tune=(1e-3, 1e-2, 0.1, 1.0), simpler="larger")
    tol: float = param(1e-8, "duality gap, relative to the loss of f = 0, that ends the fit", above=0)
    max_iter: int = param(100, "most steps for each class", at_least=1)
    n_iter_: int = learned("steps done, for all classes together")

    reference = "Zhu and Hastie, Kernel logistic regression and the import vector machine, 2005"

    def _fit(self, data: Data, trace: Trace) -> None:
        K = self._matrix(data.X, data.weight)
        share = np.ones(data.n) if data.weight is None else data.weight
        targets = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        found, gap = [], 0.0
        for code in targets:
            method = _Newton(K, np.where(data.y == code, 1.0, -1.0), share, self.alpha, self.tol)
            if trace.stopped in ("interrupted", "budget"):
                found.append(np.zeros(data.n))  # nobody has looked at this class
                continue
            state = iterate(method, self.max_iter, trace)
            found.append(state["coef"])
            gap = max(gap, method.progress(state).criterion)
        self.dual_coef_ = np.column_stack(found)
        self.n_iter_ = trace.iterations
        trace.certify(
            "duality gap", gap, self.tol, f"the objective is within {gap:.1g} of the loss of f = 0 of the best there is"
        )

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, a column per entry of `classes_`, for the rows of `X`."""
        return self._probabilities(self._read(X))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _probabilities(self, X: Matrix) -> Array:
        found = _logistic(self._scores(X))
        if found.shape[1] == 1:
            return np.hstack([1 - found, found])
        total = found.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, found, 1.0) / np.where(total > 0, total, found.shape[1]))


@dataclass(frozen=True)
class _Newton:
    """Newton's method for one class against the rest; f = K c."""

    K: Array
    y: Array
    share: Array
    alpha: float
    tol: float

    def start(self) -> State:
        return {"coef": np.zeros(len(self.y)), "scores": np.zeros(len(self.y)), "stalled": False}

    def step(self, state: State) -> State:
        coef, scores = state["coef"], state["scores"]
        chance = _logistic(scores)
        curve = self.share * chance * (1 - chance)
        target = curve * scores + self.share * self._misses(scores)
        root = np.sqrt(curve)
        inner = root[:, None] * self.K * root / self.alpha
        pushed = root * kernels.matvec(self.K, target) / self.alpha
        solved = solve_shifted(np.ascontiguousarray(inner), 1.0, pushed[:, None]).x[:, 0]
        step = (target - root * solved) / self.alpha - coef
        return self._searched(coef, scores, step)

    def _misses(self, scores: Array) -> Array:
        """y times the chance of the other class: minus the slope of the loss."""
        return self.y * _logistic(-self.y * scores)

    def _searched(self, coef: Array, scores: Array, step: Array) -> State:
        """As much of a step as lowers the objective."""
        along = kernels.matvec(self.K, step)
        before = self._objective(coef, scores)
        for halving in range(MOST_HALVINGS):
            part = 0.5**halving
            moved, there = coef + part * step, scores + part * along
            if self._objective(moved, there) <= before:
                return {"coef": moved, "scores": there, "stalled": False}
        return {"coef": coef, "scores": scores, "stalled": True}

    def _objective(self, coef: Array, scores: Array) -> float:
        loss = np.logaddexp(0.0, -self.y * scores)
        return float(self.share @ loss + self.alpha / 2 * (coef @ scores))

    def progress(self, state: State) -> Progress:
        """The gap to the dual: the entropy of the chances, less the squared length of what the misses pull."""
        objective = self._objective(state["coef"], state["scores"])
        miss = _logistic(-self.y * state["scores"])
        pull = self.share * self.y * miss
        entropy = -_xlogx(miss) - _xlogx(1 - miss)
        dual = float(self.share @ entropy - pull @ kernels.matvec(self.K, pull) / (2 * self.alpha))
        whole = float(self.share.sum()) * np.log(2.0)
        gap = max(objective - dual, 0.0) / whole
        return Progress(objective, gap, self.tol, stalled=state["stalled"])


def _xlogx(x: Array) -> Array:
    return np.asarray(np.where(x > 0, x * np.log(np.where(x > 0, x, 1.0)), 0.0))


def _logistic(z: Array) -> Array:
    small = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1.0, small) / (1.0 + small))
