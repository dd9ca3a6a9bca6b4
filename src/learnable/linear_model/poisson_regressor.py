"""Poisson regression: a model of counts."""

from __future__ import annotations

from typing import Any

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..engines import design
from ..engines.minimise.smooth import Solver
from ..parts.losses.poisson import Poisson
from .glm import explained_deviance, fit_glm
from .glm_summary import GlmStatistics, glm_summary
from .summary import Summary


@estimator
class PoissonRegressor(Regressor):
    """Counts whose mean is the exponential of a weighted sum of columns.

    minimise over w, b    sum_i s_i (exp(z_i) - y_i z_i) + alpha |w|^2 / 2,   z = Xw + b,   s_i = weight_i / sum weight

    A column that rises by one multiplies the mean by exp(w). Newton's method costs n p^2 a step, L-BFGS n p; both start
    at the best constant and stop where no entry of the gradient exceeds tol^2 of what it sums. If a group has no counts
    at all and alpha is 0, its coefficient has no finite optimum and the fit ends when its part of the gradient is gone.
    [Nelder and Wedderburn, 1972]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1, 2, 4, 8]
    >>> model = PoissonRegressor(alpha=0.0).fit(X, y)
    >>> model.predict([[4.0]]).round(6)
    array([16.])
    """

    alpha: float = param(1.0, "strength of the shrinkage", at_least=0)
    fit_intercept: bool = param(True, "whether to learn a constant term")
    solver: Solver = param("lbfgs", "how the optimum is found; more than 2000 columns always use lbfgs")
    max_iter: int = param(100, "most steps", at_least=1)
    tol: float = param(1e-4, "largest relative gradient; the fit goes on to its square if rounding allows", above=0)
    warm_start: bool = param(False, "whether to start from what was learned before")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    coef_: Array = learned("weight of each column", shape="features")
    intercept_: float = learned("constant term")
    n_iter_: int = learned("steps done")
    statistics_: GlmStatistics = learned("what the coefficient table is made of")

    sparse = True
    storage = "csr"
    positive_target = True
    reference = "Nelder and Wedderburn, Generalized linear models, JRSS A 135, 1972"

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_glm(self, Poisson(), 1.0, data, trace)

    def _predict(self, X: Matrix) -> Array:
        return Poisson().predict(design.scores(X, self.coef_, self.intercept_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """D², the share of the deviance that the model explains."""
        return explained_deviance(self, Poisson(), X, y, sample_weight)

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with standard errors, z, p and intervals at `level`; only coef if alpha > 0."""
        return glm_summary(self, level)
