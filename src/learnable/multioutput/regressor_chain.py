"""Regressors in a chain."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Traits, estimator
from ..core.r2 import r_squared
from ._chain_base import ChainBase


@estimator
class RegressorChain(ChainBase):
    """Regressor chain for several targets: each regressor also sees the preceding targets.

    f_k(x) = g_k(x, f_1(x), ..., f_{k-1}(x)),    g_k fitted to target k with the true targets before it

    With `cv` the fit uses predictions for rows that a model did not see in place of the true targets, as they will be
    when it predicts. [Spyromitros-Xioufis et al., 2016]

    >>> from learnable import LinearRegression
    >>> model = RegressorChain(LinearRegression()).fit([[0.0], [1.0], [2.0]], [[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
    >>> model.predict([[3.0]]).round(6)
    array([[3., 6.]])
    """

    traits = Traits(task="regression")
    title = "regressor chain"
    reference = "Spyromitros-Xioufis et al., Multi-target regression via input space expansion, 2016"

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R² of the predictions, averaged over targets."""
        predicted = self.predict(X)
        truth = self._validator.target(y, len(predicted), np.float64, True)
        return r_squared(truth, predicted, self._validator.weights(sample_weight, len(predicted)))
