"""Base classes of least angle regression and the lasso by least angle regression."""

from __future__ import annotations

from typing import Any, Self

from ...core import Array, Data, Matrix, RandomState, Regressor, Trace, Traits, declaring, learned, param
from ...core.roles.regressor import NumberPredictor
from ...engines import matrix_products
from ...engines.paths.lars import Rules
from .lars_cv_base import choose
from .lars_fit import UNIT, LarsProblem, Precompute, independence, keep_paths


@declaring
class LarsBase(NumberPredictor):
    """Base class of models on a path of least angle regression, or of the `lasso`."""

    fit_intercept: bool = param(True, "whether to fit an intercept")
    verbose: int | bool = param(False, "accepted for compatibility; use learnable.progress()")
    precompute: Precompute = param("auto", "whether to use a Gram matrix, or the matrix itself")
    eps: float = param(
        UNIT, "machine epsilon; a column within 100 eps of the active ones counts as dependent", at_least=0
    )
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")

    reference = "Efron, Hastie, Johnstone and Tibshirani, Least angle regression, Annals of Statistics 32, 2004"
    lasso = False
    positive = False

    def _problem(self, data: Data, limit: int) -> LarsProblem:
        return LarsProblem.of(data, self.fit_intercept, self.precompute, limit, self.positive)

    def _rules(self, **more: Any) -> Rules:
        return Rules(self.lasso, self.positive, independence=independence(self.eps), **more)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)


@declaring
class LarsPathBase(LarsBase):
    """Base class of models at the end of a path, for each target."""

    fit_path: bool = param(True, "whether to store the whole path")
    jitter: float | None = param(None, "upper bound of uniform noise added to y to break ties", at_least=0)
    random_state: RandomState = param(None, "seed of the jitter")
    alphas_: Any = learned(
        "alpha (largest product with the residual, per sample) at each knot; a list for several targets"
    )
    active_: list[Any] = learned("active columns in the order of entry; a list per target", optional=True)
    coef_path_: Any = learned("coefficients (features, knots); a list for several targets", optional=True)
    n_iter_: Any = learned("number of steps; a list for several targets")

    traits = Traits(multi_target=True, flat_target=True)

    def fit(self, X: Any, y: Any, Xy: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows `X` and targets `y`; `Xy` is accepted for compatibility and computed from them."""
        return self._fit_checked(X, y, sample_weight)


@declaring
class LarsCVBase(LarsBase, Regressor):
    """Base class of models at the point of a path chosen by cross-validation."""

    max_iter: int = param(500, "maximum number of steps of a path", at_least=0)
    cv: Any = param(None, "cross-validation folds: None for 5, a number, a splitter, or (train, test) pairs")
    max_n_alphas: int = param(1000, "maximum number of alphas compared by cross-validation", at_least=1)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    alpha_: float = learned("alpha with the best cross-validation score, where the path ends")
    alphas_: Array = learned("alpha at each knot of the final path", shape="knots")
    active_: list[int] = learned("active columns in the order of entry")
    coef_path_: Array = learned("coefficients along the final path", shape="features knots")
    cv_alphas_: Array = learned("alphas compared by cross-validation", shape="points")
    mse_path_: Array = learned("mean squared error at each of these on each fold", shape="points folds")
    n_iter_: int = learned("number of steps of the final path")

    def _fit(self, data: Data, trace: Trace) -> None:
        rules = self._rules()
        choice = choose(self, data, rules)
        self.alpha_, self.cv_alphas_, self.mse_path_ = choice.alpha, choice.alphas, choice.errors
        problem = self._problem(data, self.max_iter)
        paths = problem.follow(rules, choice.alpha, self.max_iter, trace)
        trace.stopped = choice.stopped or trace.stopped
        keep_paths(self, problem, paths, data, trace)
