"""Tweedie regression."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..core import Traits, estimator, param
from ..parts.losses.tweedie import Tweedie
from ._glm.glm_base import GeneralizedLinear

Link = Literal["auto", "identity", "log"]


@estimator
class TweedieRegressor(GeneralizedLinear):
    """Tweedie regression: a generalised linear model whose variance is a power of the mean.

    minimise over w, b    sum_i s_i d(y_i, m_i) / 2 + alpha |w|^2 / 2,   m = Xw + b or exp(Xw + b),   variance ~ m^power

    d is the deviance: power 0 Gauss, 1 Poisson, between 1 and 2 amounts that may be zero, 2 gamma, 3 inverse Gauss.
    Newton's method (Fisher scoring where the loss is not convex) costs n p^2 a step, L-BFGS n p. [Jorgensen, 1987]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 2.0, 4.0, 8.0]
    >>> model = TweedieRegressor(power=1.5, alpha=0.01).fit(X, y)
    >>> round(model.score(X, y), 3)
    0.685
    """

    power: float = param(0.0, "power of the mean in the variance function")
    link: Link = param("auto", "link function; auto is the identity up to power 0, the log above")

    title = "Tweedie regression"
    reference = "Jorgensen, Exponential dispersion models, JRSS B 49, 1987"

    @property
    def _loss(self) -> Tweedie:
        return Tweedie(self.power, self.link)

    @property
    def _power(self) -> float:
        return self.power

    def _effective_traits(self) -> Traits:
        return replace(self.traits, positive_target=self.power > 0)
