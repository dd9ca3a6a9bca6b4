"""Lasso by least angle regression."""

from __future__ import annotations

from ..core import Data, Trace, estimator, param
from ._lars.lars_fit import jittered, keep_paths
from ._lars.lars_params import LarsPathBase


@estimator
class LassoLars(LarsPathBase):
    """Lasso by least angle regression: the regularisation path is followed exactly from knot to knot.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha |w|_1,    s_i = weight_i / sum(weight)

    Solutions move on straight lines as alpha falls; where a coefficient comes to zero its column leaves, where a
    product with the residual reaches alpha its column enters. [Efron, Hastie, Johnstone and Tibshirani, 2004]

    >>> X, y = [[-1.0, 1.0], [0.0, 0.0], [1.0, 1.0]], [-1.0, 0.0, -1.0]
    >>> LassoLars(alpha=0.01).fit(X, y).coef_.round(3)
    array([ 0.   , -0.955])
    """

    alpha: float = param(
        1.0, "regularisation strength", kw_only=False, at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    max_iter: int = param(500, "maximum number of iterations", at_least=0)
    positive: bool = param(False, "whether coefficients are constrained to be non-negative")

    title = "lasso by least angle regression"
    lasso = True

    def _fit(self, data: Data, trace: Trace) -> None:
        data = jittered(data, self.jitter, self.random_state)
        problem = self._problem(data, self.max_iter)
        paths = problem.follow(self._rules(keep_path=self.fit_path), self.alpha, self.max_iter, trace)
        keep_paths(self, problem, paths, data, trace, self.fit_path)
