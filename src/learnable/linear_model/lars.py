"""Least angle regression."""

from __future__ import annotations

from ..core import Data, Trace, estimator, param
from ._lars.lars_fit import jittered, keep_paths
from ._lars.lars_params import LarsPathBase


@estimator
class Lars(LarsPathBase):
    """Least angle regression: columns enter one by one at equal angles with the residual.

    follow from w = 0    |x_j . r| = c for active columns j,  |x_j . r| <= c for the others,    r = y - Xw - b,

    as c falls from its largest value to zero. The path is straight between the points where a column enters, and these
    are found exactly; a whole path costs about as much as one least-squares fit. Columns that tie enter together, and
    columns that depend on active ones stay out. [Efron, Hastie, Johnstone and Tibshirani, 2004]

    >>> X, y = [[-1.0, 1.0], [0.0, 0.0], [1.0, 1.0]], [-1.1111, 0.0, -1.1111]
    >>> model = Lars(n_nonzero_coefs=1).fit(X, y)
    >>> model.coef_
    array([ 0.    , -1.1111])
    """

    n_nonzero_coefs: int = param(
        500, "maximum number of columns that enter", at_least=1, tune=(1, 2, 5, 10, 20), simpler="smaller"
    )

    title = "least angle regression"

    def _fit(self, data: Data, trace: Trace) -> None:
        data = jittered(data, self.jitter, self.random_state)
        problem = self._problem(data, self.n_nonzero_coefs)
        rules = self._rules(most_active=self.n_nonzero_coefs, keep_path=self.fit_path)
        paths = problem.follow(rules, 0.0, self.n_nonzero_coefs, trace)
        keep_paths(self, problem, paths, data, trace, self.fit_path)
        trace.stopped = (
            "converged" if trace.stopped == "limit" else trace.stopped
        )  # the maximum number of columns is reached
