"""Stacking of regressors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator
from ._voting.stacking_base import StackingBase
from ._voting.voting_base import VotingRegressorBase


@estimator
class StackingRegressor(StackingBase, VotingRegressorBase):
    """Stacking regressor: a final regressor fitted to the out-of-fold predictions of others.

    f(x) = g(f_1(x), ..., f_m(x)),    g fitted to cross-validated predictions

    Cross-validation keeps the final regressor from trusting models that overfit their training rows. [Wolpert, 1992]

    >>> from learnable import DecisionTreeRegressor, LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    >>> stack = StackingRegressor([("line", LinearRegression()), ("tree", DecisionTreeRegressor())], cv=3)
    >>> stack.fit(X, y).predict([[6.0]]).round(1)
    array([6.])
    """

    title = "stacking regressor"
    reference = "Wolpert, Stacked generalization, Neural Networks 5, 1992"

    def _final(self) -> Any:
        if self.final_estimator is not None:
            return self.final_estimator
        import learnable

        maker: Any = learnable.__getattr__("RidgeCV")
        return maker()

    def predict(self, X: Any, **arguments: Any) -> Any:
        """Predicted targets for the rows of `X`; `arguments`, as `return_std`, go to the final regressor."""
        self._require_fit()
        more = self._final_arguments(arguments)
        return self.final_estimator_.predict(self._features(X), **more) if more else self._predict(X)

    def _predict(self, X: Any) -> Array:
        return np.asarray(self.final_estimator_.predict(self._features(X)))
