"""Least angle regression that chooses where to stop."""

from __future__ import annotations

from typing import Any

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..engines import design
from ..engines.lars import Rules
from .least_angle import UNIT, Precompute, Problem, independence, keep_paths
from .least_angle_cv import choose


@estimator
class LarsCV(Regressor):
    """Least angle regression, stopped where it best predicts rows it has not seen.

    follow from w = 0    |x_j . r| = c for active columns j,  |x_j . r| <= c for the others,    c by cross-validation

    Each fold's path is followed exactly; between knots its error on the held-out rows is a quadratic, so every knot of
    every fold is compared. Cost: a path per fold and one on all rows. [Efron, Hastie, Johnstone and Tibshirani, 2004]

    >>> X = [[-2.0, 1.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> y = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]
    >>> LarsCV(cv=3).fit(X, y).coef_.round(6) + 0.0
    array([1., 0.])
    """

    fit_intercept: bool = param(True, "whether to learn a constant term")
    verbose: int | bool = param(False, "accepted for compatibility; use learnable.progress()")
    max_iter: int = param(500, "most steps of a path", at_least=0)
    precompute: Precompute = param("auto", "whether to use a Gram matrix")
    cv: Any = param(None, "folds: None for 5, a number, a splitter, or pairs of index arrays")
    max_n_alphas: int = param(1000, "most points at which folds are compared", at_least=1)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    eps: float = param(UNIT, "rounding unit; a column within 100 eps of the active ones depends on them", at_least=0)
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    coef_: Array = learned("weight of each column", shape="features")
    intercept_: float = learned("constant term")
    alpha_: float = learned("largest product with the residual, per sample, where the path ends")
    alphas_: Array = learned("the same at each knot of the final path", shape="knots")
    active_: list[int] = learned("columns in the order they entered")
    coef_path_: Array = learned("coefficients along the final path", shape="features knots")
    cv_alphas_: Array = learned("points at which folds were compared", shape="points")
    mse_path_: Array = learned("mean squared error there on each fold", shape="points folds")
    n_iter_: int = learned("number of steps of the final path")

    reference = "Efron, Hastie, Johnstone and Tibshirani, Least angle regression, Annals of Statistics 32, 2004"

    def _fit(self, data: Data, trace: Trace) -> None:
        rules = Rules(False, independence=independence(self.eps))
        choice = choose(self, data, rules)
        self.alpha_, self.cv_alphas_, self.mse_path_ = choice.alpha, choice.alphas, choice.errors
        problem = Problem.of(data, self.fit_intercept, self.precompute, self.max_iter)
        paths = problem.follow(rules, choice.alpha, self.max_iter, trace)
        trace.stopped = choice.stopped or trace.stopped
        keep_paths(self, problem, paths, data, trace)

    def _predict(self, X: Matrix) -> Array:
        return design.scores(X, self.coef_, self.intercept_)
