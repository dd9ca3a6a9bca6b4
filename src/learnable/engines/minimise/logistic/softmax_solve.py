"""Driver of multinomial logistic regression: scaling, choice of the solver, solution and certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ....core.runtime.trace import Trace
from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...iterate import State, iterate
from ...sufficient_statistics import Moments
from ..column_scaling import ScaledColumns
from ..smooth_solver import certify_gradient, gradient_tolerance
from ..spd_solve import PositiveSystem
from .softmax_methods import SoftmaxLBFGS, SoftmaxNewton
from .softmax_objective import SoftmaxProblem

MAX_UNKNOWNS = 300  # weights up to which the whole matrix of second derivatives is made and factorised
MAX_UNKNOWNS_OF_LAST_STEPS = 1200  # the same, for the last steps alone
MAX_WORK = 2e9  # products of columns, over all pairs of classes, of such a step
LAST_STEPS = 25
MAX_COLUMNS_OF_START = 2500  # columns up to which a search starts from the products of all pairs of columns
ROWS_PER_COLUMN = 8  # rows from which these products are estimated, for each column
MIN_ROWS = 1000
ROWS_FOR_MIDDLE = 63
MANY_CELLS = 1_000_000
UNVARIED = 1e-12  # relative deviation from its mean up to which a column counts as constant
MAX_SPARSE_DENSITY = 0.25  # fraction of non-zero entries up to which a dense table is stored sparsely


@dataclass(frozen=True, slots=True)
class Softmax:
    """minimise over W, b    sum_i share_i (log sum_k e^z_ik - z_i,code(i)) + strength |W|^2 / 2,   z = XW + b.

    Weights are (features + 1, classes) with the intercepts last. Those that are only determined up to a common shift
    sum to zero over classes.
    """

    X: Matrix
    code: Array
    row_weight: Array
    classes: int
    alpha: float
    fit_intercept: bool
    max_iter: int
    tol: float

    def solve(self, weights: Array, trace: Trace) -> tuple[Array, Array | None]:
        """The best weights, found from those given, and Newton's next step, if that was the method.

        `trace` records iterations and certificate.
        """
        small = weights.size <= MAX_UNKNOWNS
        middle = self._middle() if small else np.zeros(self.X.shape[1])
        X = centred_at(self.X, middle) if middle.any() else self.X if small else as_sparse_if_mostly_zero(self.X)
        columns = ScaledColumns.of(X, self.row_weight, self.fit_intercept, together=self.alpha > 0)
        if small:
            columns = columns.distinct(self.row_weight, self.fit_intercept)
        problem = SoftmaxProblem(
            columns.X,
            self.code,
            self.row_weight,
            columns.penalty(self.alpha),
            self.fit_intercept,
            columns.norm,
            self.classes,
        )
        first = _transform_classes(columns.inward, _shifted(weights, middle))
        state = self._minimum(problem, first, trace)
        certify_gradient(state["criterion"], self.tol, self.X.dtype, trace)
        found = _shifted(_transform_classes(columns.outward, state["weights"]), -middle)
        if self.alpha == 0:
            found -= found.mean(axis=1, keepdims=True)
        elif self.fit_intercept:
            found[-1] -= found[-1].mean()
        move = state.get("move")
        return found, None if move is None else _shifted(_transform_classes(columns.outward, move), -middle)

    def _middle(self) -> Array:
        """The centre of each column if there is an intercept: the median of a sample of rows.

        A mean would follow a single outlier, beside which all other rows would be equal.
        """
        if not self.fit_intercept or matrix_products.is_sparse(self.X):
            return np.zeros(self.X.shape[1])
        some = np.sort(self.X[:: max(1, self.X.shape[0] // ROWS_FOR_MIDDLE)], axis=0)
        return np.asarray(some[len(some) // 2], dtype=np.float64)

    def _minimum(self, problem: SoftmaxProblem, first: Array, trace: Trace) -> State:
        """By Newton's method where weights are few; else by L-BFGS, its last steps by Newton's where they are cheap.

        Under a weak penalty L-BFGS converges slowly. Where rounding stops Newton's method, L-BFGS continues from there.
        """
        tolerance, before = gradient_tolerance(self.tol), trace.iterations
        if first.size <= MAX_UNKNOWNS:
            return iterate(SoftmaxNewton(problem, tolerance, first), self.max_iter, trace)
        last = min(LAST_STEPS, self.max_iter // 2) if self._newton_pays(first.size) else 0
        quick = SoftmaxLBFGS(problem, tolerance, first, first_inverse(problem))
        state = iterate(quick, self.max_iter - last, trace)
        for method in (SoftmaxNewton(problem, tolerance, first), quick):
            left = self.max_iter - (trace.iterations - before)
            if last and left and trace.stopped in ("limit", "stalled"):
                state = iterate(replace(method, first=state["weights"]), left, trace)
        return state

    def _newton_pays(self, unknown: int) -> bool:
        """Whether a step of Newton's costs little more than all those of L-BFGS, and a finite optimum exists."""
        return self.alpha > 0 and unknown <= MAX_UNKNOWNS_OF_LAST_STEPS and self.X.shape[0] * unknown**2 / 2 <= MAX_WORK


def centred_at(X: Array, middle: Array) -> Array:
    """`X` less `middle`; constant columns become exactly zero.

    >>> centred_at(np.array([[0.1, 1.0], [0.1, 3.0]]), np.array([0.1 + 1e-16, 2.0])).tolist()
    [[0.0, -1.0], [0.0, 1.0]]
    """
    apart = X - middle
    apart[:, np.abs(apart).max(axis=0) <= UNVARIED * np.abs(middle)] = 0
    return np.asarray(apart)


def as_sparse_if_mostly_zero(X: Matrix) -> Matrix:
    """`X` as a CSR array if it is a large table of mostly zeros, so that products are faster."""
    if matrix_products.is_sparse(X) or X.size < MANY_CELLS:
        return X
    filled = X != 0
    counts = np.count_nonzero(filled, axis=1)
    if counts.sum() > MAX_SPARSE_DENSITY * X.size:
        return X
    from scipy import sparse

    start = np.append(0, np.cumsum(counts)).astype(np.int32)
    columns = np.broadcast_to(np.arange(X.shape[1], dtype=np.int32), X.shape)[filled]
    return sparse.csr_array((X[filled], columns, start), shape=X.shape)


def _transform_classes(transform: Callable[[Array, float], tuple[Array, float]], weights: Array) -> Array:
    """The weights of each class transformed to other columns."""
    parts = [transform(column[:-1], float(column[-1])) for column in weights.T]
    return np.stack([np.append(coef, intercept) for coef, intercept in parts], axis=1)


def _shifted(weights: Array, middle: Array) -> Array:
    """The weights for columns shifted by `middle`."""
    return np.vstack([weights[:-1], weights[-1] + middle @ weights[:-1]])


def first_inverse(problem: SoftmaxProblem) -> Callable[[Array], Array]:
    """An inverse curvature to start from, the same for every class: that of equal probabilities.

    With few columns it uses their Gram matrix on a sample of the rows; with many, only its diagonal.
    """
    X, row_weight, columns = problem.X, problem.row_weight, problem.X.shape[1]
    curvature = (problem.classes - 1) / problem.classes**2
    ridge = (
        problem.penalty.gradient(np.ones(columns))
        if columns > MAX_COLUMNS_OF_START
        else problem.penalty.gradient(np.eye(columns))
    )
    if columns > MAX_COLUMNS_OF_START:
        mean = matrix_products.column_means(X, row_weight) if problem.fit_intercept else np.zeros(columns)
        squares = matrix_products.squared_norms(X, row_weight)
        spread = curvature * np.maximum(squares - mean**2, 1e-10 * squares) + ridge
        inverse = np.divide(1, spread, out=np.zeros_like(spread), where=spread > 0)
        return lambda gradient: _eliminated(problem, gradient, mean, curvature, lambda right: inverse[:, None] * right)
    step = max(1, X.shape[0] // max(MIN_ROWS, ROWS_PER_COLUMN * columns))
    some = X[::step]
    some = some if matrix_products.is_sparse(some) else np.ascontiguousarray(some)
    weight = row_weight[::step] / row_weight[::step].sum()
    moments = Moments.of(some, np.zeros(len(weight)), weight, problem.fit_intercept)
    system = PositiveSystem(curvature * moments.gram + ridge)
    return lambda gradient: _eliminated(problem, gradient, moments.mean_x, curvature, system.solve)


def _eliminated(
    problem: SoftmaxProblem, gradient: Array, mean: Array, curvature: float, solve: Callable[[Array], Array]
) -> Array:
    """The inverse curvature times a gradient, `solve` being that of the weights with the intercepts eliminated."""
    coef = solve(gradient[:-1] - mean[:, None] * gradient[-1])
    intercept = gradient[-1] / curvature - mean @ coef if problem.fit_intercept else np.zeros(problem.classes)
    return np.vstack([coef, intercept])
