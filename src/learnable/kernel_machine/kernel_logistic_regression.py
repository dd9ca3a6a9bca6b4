"""Logistic regression in the space of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, estimator, learned, param
from ..core.numeric import EPSILON
from ..core.runtime.native import kernels
from ..engines.algebra.cholesky import solve_shifted
from ..engines.iterate import Progress, State, iterate
from ..parts.losses.logistic import Logistic
from ._kernel_classifier_base import KernelClassifier, blocks, positive_part

MAX_HALVINGS = 30
MAX_BALANCINGS = 100
CERTAIN = 700.0  # a score whose probability rounds to one


@estimator
class KernelLogisticRegression(KernelClassifier):
    """Kernel logistic regression: logistic regression in the feature space of a kernel.

    minimise over f, b    sum_i s_i log(1 + exp(-y_i (f(x_i) + b)))  +  alpha / 2 |f|^2,    y_i = 1 or -1

    Newton's method; a step solves one system of the size of the rows, and costs n^3 / 3. The constant b is free of the
    penalty and always the best for its f. Several classes are fitted one against the rest, and their probabilities are
    made to sum to one. The duality gap certifies the solution. Of a kernel that is not an inner product, such as
    the sigmoid's, the part that is one counts. [Zhu and Hastie, 2005]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0]
    >>> KernelLogisticRegression(alpha=0.01).fit(X, y).predict([[0.0], [1.5]])
    array([0, 1])
    """

    alpha: float = param(1.0, "regularisation strength", above=0, tune=(1e-3, 1e-2, 0.1, 1.0), simpler="larger")
    fit_intercept: bool = param(True, "whether to fit an intercept")
    tol: float = param(1e-8, "duality gap, relative to the loss of f = 0, that ends the fit", above=0)
    max_iter: int = param(100, "maximum number of iterations for each class", at_least=1)
    intercept_: Array = learned("intercept of each class", shape="scores")
    n_iter_: int = learned("number of iterations, summed over classes")

    title = "kernel logistic regression"
    reference = "Zhu and Hastie, Kernel logistic regression and the import vector machine, 2005"

    def _fit(self, data: Data, trace: Trace) -> None:
        share = np.ones(data.n) if data.weight is None else data.weight
        if np.count_nonzero(np.bincount(data.y, weights=share)) == 1 < len(self.classes_):
            raise DataError(
                f"{type(self).__name__}: at least two classes are needed; only one class has a weight above zero"
            )
        K, basis = self._matrix(data.X, data.weight), None
        if not self._kernel().definite:
            K, basis = positive_part(K)
        targets = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        coef, constants, gap = [], [], 0.0
        for code in targets:
            method = _Newton(K, np.where(data.y == code, 1.0, -1.0), share, self.alpha, self.tol, self.fit_intercept)
            if trace.stopped in ("interrupted", "budget") or method.certain:
                state = method.start()  # this class has not been started, or has no rows
            else:
                state = iterate(method, self.max_iter, trace)
                gap = max(gap, method.progress(state).criterion)
            coef.append(state["coef"] if basis is None else basis @ (basis.T @ state["coef"]))
            constants.append(state["constant"])
        self.dual_coef_, self.intercept_ = np.column_stack(coef), np.array(constants)
        self.n_iter_ = trace.iterations
        trace.certify(
            "duality gap", gap, self.tol, f"the objective is within {gap:.1g} of the loss of f = 0 of the best there is"
        )

    def _scores(self, X: Matrix) -> Array:
        return np.asarray(super()._scores(X) + self.intercept_)

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, a column per entry of `classes_`, for the rows of `X`."""
        return self._probabilities(self._read(X))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _probabilities(self, X: Matrix) -> Array:
        found = Logistic().predict(self._scores(X))
        if found.shape[1] == 1:
            return np.hstack([1 - found, found])
        total = found.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, found, 1.0) / np.where(total > 0, total, found.shape[1]))


@dataclass(frozen=True)
class _Newton:
    """Newton's method for one class against the rest; scores are K c + b."""

    K: Array
    y: Array
    share: Array
    alpha: float
    tol: float
    has_constant: bool

    @property
    def certain(self) -> bool:
        """Whether a free constant alone decides: no row of one of the sides counts."""
        return self.has_constant and not (self._side(1.0) > 0 and self._side(-1.0) > 0)

    def _side(self, sign: float) -> float:
        return float(self.share[self.y == sign].sum())

    def start(self) -> State:
        n = len(self.y)
        if self.certain:
            constant = CERTAIN if self._side(1.0) > 0 else -CERTAIN
        else:
            constant = self._best_constant(np.zeros(n), 0.0)
        return {"coef": np.zeros(n), "scores": np.full(n, constant), "constant": constant, "stalled": False}

    def step(self, state: State) -> State:
        coef, scores = state["coef"], state["scores"]
        probability = Logistic().predict(scores)
        curve = self.share * probability * (1 - probability)
        target = curve * scores + self.share * self._negative_gradient(scores)
        best = self._solved(curve, np.column_stack([target, curve]) if self.has_constant else target[:, None])
        requested = best[:, 0]
        if self.has_constant and best[:, 1].sum() > 0:  # coefficients sum to zero where the constant is best
            requested = requested - best[:, 0].sum() / best[:, 1].sum() * best[:, 1]
        return self._searched(state, requested - coef)

    def _solved(self, curve: Array, target: Array) -> Array:
        """c of (W K + alpha I) c = target, W the curvatures, by a system that is symmetric.

        An alpha that rounding would swallow is raised to it, which shortens the step.
        """
        root = np.sqrt(curve)
        side = np.divide(target, root[:, None], out=np.zeros_like(target), where=root[:, None] > 0)
        between = _between(self.K, root)
        shift = max(self.alpha, len(root) * EPSILON * float(np.trace(between)))
        return np.asarray(root[:, None] * solve_shifted(between, shift, side).x)

    def _negative_gradient(self, scores: Array) -> Array:
        """y times the probability of the other class: minus the gradient of the loss."""
        return self.y * Logistic().predict(-self.y * scores)

    def _searched(self, state: State, step: Array) -> State:
        """As much of a step as lowers the objective, with the constant that is best there."""
        coef, values = state["coef"], state["scores"] - state["constant"]
        along = kernels.matvec(self.K, step)
        before = self._objective(coef, state["scores"], state["constant"])
        for halving in range(MAX_HALVINGS):
            part = 0.5**halving
            moved, there = coef + part * step, values + part * along
            constant = self._best_constant(there, state["constant"])
            if self._objective(moved, there + constant, constant) <= before:
                return {"coef": moved, "scores": there + constant, "constant": constant, "stalled": False}
        return state | {"stalled": True}

    def _best_constant(self, values: Array, near: float) -> float:
        """The intercept b for which residuals of both classes balance; Newton steps safeguarded by bisection."""
        if not self.has_constant:
            return 0.0
        low, high, b = -np.abs(values).max() - CERTAIN, np.abs(values).max() + CERTAIN, near
        for _ in range(MAX_BALANCINGS):
            probability = Logistic().predict(values + b)
            gradient = -float(self.share @ self._negative_gradient(values + b))
            low, high = (b, high) if gradient < 0 else (low, b)
            curvature = float(self.share @ (probability * (1 - probability)))
            after = b - gradient / curvature if curvature > 0 else np.inf
            after = after if low < after < high else (low + high) / 2
            if abs(after - b) <= 1e-15 * (1 + abs(b)) or gradient == 0:
                return b
            b = after
        return b

    def _objective(self, coef: Array, scores: Array, constant: float) -> float:
        loss = np.logaddexp(0.0, -self.y * scores)
        return float(self.share @ loss + self.alpha / 2 * (coef @ (scores - constant)))

    def progress(self, state: State) -> Progress:
        """The gap to the dual: the entropy of the probabilities, less the squared norm of the dual expansion."""
        objective = self._objective(state["coef"], state["scores"], state["constant"])
        residual = Logistic().predict(-self.y * state["scores"])
        pull = self.share * self.y * residual
        entropy = -_xlogx(residual) - _xlogx(1 - residual)
        length = float(pull @ kernels.matvec(self.K, pull))  # a plain number may become infinite without a warning
        dual = float(self.share @ entropy) - length / (2 * self.alpha)
        whole = float(self.share.sum()) * np.log(2.0)
        gap = max(objective - dual, 0.0) / whole
        return Progress(objective, gap, self.tol, stalled=state["stalled"])


def _between(K: Array, root: Array) -> Array:
    """root_i K_ij root_j, a few rows at a time, so that a fit can be stopped."""
    found = np.empty_like(K)
    for rows in blocks(len(K)):
        np.multiply(K[rows], root, out=found[rows])
        found[rows] *= root[rows, None]
    return found


def _xlogx(x: Array) -> Array:
    return np.asarray(np.where(x > 0, x * np.log(np.where(x > 0, x, 1.0)), 0.0))
