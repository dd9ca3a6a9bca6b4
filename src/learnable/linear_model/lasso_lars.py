"""The lasso by least angles."""

from __future__ import annotations

from typing import Any, Self

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, estimator, learned, param
from ..engines import design
from ..engines.lars import Rules
from .least_angle import UNIT, Precompute, Problem, independence, jittered, keep_paths


@estimator
class LassoLars(Regressor):
    """The lasso, found by following its solutions exactly from the strength where all coefficients are zero.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha |w|_1,    s_i = weight_i / sum(weight)

    Solutions move on straight lines as alpha falls; where a coefficient comes to zero its column leaves, where a
    product with the residual reaches alpha its column enters. [Efron, Hastie, Johnstone and Tibshirani, 2004]

    >>> X, y = [[-1.0, 1.0], [0.0, 0.0], [1.0, 1.0]], [-1.0, 0.0, -1.0]
    >>> LassoLars(alpha=0.01).fit(X, y).coef_.round(3)
    array([ 0.   , -0.955])
    """

    alpha: float = param(1.0, "strength of the penalty", kw_only=False, at_least=0)
    fit_intercept: bool = param(True, "whether to learn a constant term")
    verbose: int | bool = param(False, "accepted for compatibility; use learnable.progress()")
    precompute: Precompute = param("auto", "whether to use a Gram matrix, or that matrix")
    max_iter: int = param(500, "most steps", at_least=0)
    eps: float = param(UNIT, "rounding unit; a column within 100 eps of the active ones depends on them", at_least=0)
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    fit_path: bool = param(True, "whether to keep the whole path")
    positive: bool = param(False, "whether coefficients must be at least zero")
    jitter: float | None = param(None, "largest noise added to y to break ties", at_least=0)
    random_state: RandomState = param(None, "seed of that noise")
    coef_: Array = learned("weight of each column", shape="targets? features")
    intercept_: float | Array = learned("constant term", shape="targets?")
    alphas_: Any = learned("strength at each knot of the path; a list if y has columns")
    active_: list[Any] = learned(
        "columns that are in, in the order they entered; a list for each target", optional=True
    )
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
        problem = Problem.of(data, self.fit_intercept, self.precompute, self.max_iter, self.positive)
        rules = Rules(True, self.positive, keep_path=self.fit_path, independence=independence(self.eps))
        paths = problem.follow(rules, self.alpha, self.max_iter, trace)
        keep_paths(self, problem, paths, data, trace, self.fit_path)

    def _predict(self, X: Matrix) -> Array:
        return design.scores(X, self.coef_, self.intercept_)
