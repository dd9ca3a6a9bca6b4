"""Tweedie regression: one family from Gaussian noise to counts and amounts."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..engines import design
from ..engines.minimise.smooth import Solver
from ..parts.losses.tweedie import Tweedie
from .glm import explained_deviance, fit_glm
from .glm_summary import GlmStatistics, glm_summary
from .summary import Summary

Link = Literal["auto", "identity", "log"]


@estimator
class TweedieRegressor(Regressor):
    """A mean linked to a weighted sum of columns, with noise whose variance is a power of the mean.

    minimise over w, b    sum_i s_i d(y_i, m_i) / 2 + alpha |w|^2 / 2,   m = Xw + b or exp(Xw + b),   variance ~ m^power

    d is the deviance: power 0 Gauss, 1 Poisson, between 1 and 2 amounts that may be zero, 2 gamma, 3 inverse Gauss.
    Newton's method (Fisher scoring where the loss is not convex) costs n p^2 a step, L-BFGS n p. [Jorgensen, 1987]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 2.0, 4.0, 8.0]
    >>> model = TweedieRegressor(power=1.5, alpha=0.01).fit(X, y)
    >>> round(model.score(X, y), 3)
    0.685
    """

    power: float = param(0.0, "the variance grows as this power of the mean")
    alpha: float = param(1.0, "strength of the shrinkage", at_least=0)
    fit_intercept: bool = param(True, "whether to learn a constant term")
    link: Link = param("auto", "from scores to means; auto is the identity up to power 0, the log above")
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
    reference = "Jorgensen, Exponential dispersion models, JRSS B 49, 1987"

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_glm(self, Tweedie(self.power, self.link), self.power, data, trace)

    def _predict(self, X: Matrix) -> Array:
        return Tweedie(self.power, self.link).predict(design.scores(X, self.coef_, self.intercept_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """D², the share of the deviance that the model explains."""
        return explained_deviance(self, Tweedie(self.power, self.link), X, y, sample_weight)

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with standard errors, z, p and intervals at `level`; only coef if alpha > 0."""
        return glm_summary(self, level)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.power > 0
        return tags
