"""Least angle regression."""

from __future__ import annotations

from typing import Any, Self

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, estimator, learned, param
from ..engines import design
from ..engines.lars import Rules
from .least_angle import UNIT, Precompute, Problem, independence, jittered, keep_paths


@estimator
class Lars(Regressor):
    """Columns enter one by one, and those that are in always have the same angle with what is left to explain.

    follow from w = 0    |x_j . r| = c for active columns j,  |x_j . r| <= c for the others,    r = y - Xw - b,

    as c falls from its largest value to zero. The path is straight between the points where a column enters, and these
    are found exactly; a whole path costs about as much as one least-squares fit. Columns that tie enter together, and
    columns that depend on active ones stay out. [Efron, Hastie, Johnstone and Tibshirani, 2004]

    >>> X, y = [[-1.0, 1.0], [0.0, 0.0], [1.0, 1.0]], [-1.1111, 0.0, -1.1111]
    >>> model = Lars(n_nonzero_coefs=1).fit(X, y)
    >>> model.coef_
    array([ 0.    , -1.1111])
    """

    fit_intercept: bool = param(True, "whether to learn a constant term")
    verbose: int | bool = param(False, "accepted for compatibility; use learnable.progress()")
    precompute: Precompute = param("auto", "whether to use a Gram matrix, or that matrix")
    n_nonzero_coefs: int = param(500, "most columns that may enter", at_least=1)
    eps: float = param(UNIT, "rounding unit; a column within 100 eps of the active ones depends on them", at_least=0)
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    fit_path: bool = param(True, "whether to keep the whole path")
    jitter: float | None = param(None, "largest noise added to y to break ties", at_least=0)
    random_state: RandomState = param(None, "seed of that noise")
    coef_: Array = learned("weight of each column at the end of the path", shape="targets? features")
    intercept_: float | Array = learned("constant term", shape="targets?")
    alphas_: Any = learned("largest product with the residual, per sample, at each knot; a list if y has columns")
    active_: list[Any] = learned("columns in the order they entered; a list for each target", optional=True)
    coef_path_: Any = learned("coefficients (features, knots); a list if y has columns", optional=True)
    n_iter_: Any = learned("number of steps; a list if y has columns")

    multi_target = True
    flat_target = True
    reference = "Efron, Hastie, Johnstone and Tibshirani, Least angle regression, Annals of Statistics 32, 2004"

    def fit(self, X: Any, y: Any, Xy: Any = None, sample_weight: Any = None) -> Self:  # type: ignore[override]  # as scikit-learn
        """Learn from rows `X` and targets `y`; `Xy` is accepted for compatibility and computed from them."""
        return super().fit(X, y, sample_weight)

    def _fit(self, data: Data, trace: Trace) -> None:
        data = jittered(data, self.jitter, self.random_state)
        limit = self.n_nonzero_coefs
        problem = Problem.of(data, self.fit_intercept, self.precompute, limit)
        rules = Rules(False, most_active=limit, keep_path=self.fit_path, independence=independence(self.eps))
        paths = problem.follow(rules, 0.0, limit, trace)
        keep_paths(self, problem, paths, data, trace, self.fit_path)
        trace.stopped = "converged" if trace.stopped == "limit" else trace.stopped  # it has the columns it may have

    def _predict(self, X: Matrix) -> Array:
        return design.scores(X, self.coef_, self.intercept_)
