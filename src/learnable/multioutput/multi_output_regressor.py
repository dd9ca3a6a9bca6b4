"""One regressor for each target."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Traits, estimator
from ..core.r2 import r_squared
from ..multiclass._multiclass_base import learns_in_parts
from ._multioutput_base import OfSeveralTargets


@estimator
class MultiOutputRegressor(OfSeveralTargets):
    """Multi-output regression: one copy of a regressor per target.

    f(x) = (f_1(x), ..., f_t(x)),    f_k fitted to target k alone

    For regressors that know one target only; what targets have in common is not used. [Borchani et al., 2015]

    >>> from learnable import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [[0.0, 2.0], [1.0, 3.0], [2.0, 4.0]]
    >>> MultiOutputRegressor(LinearRegression()).fit(X, y).predict([[3.0]]).round(6)
    array([[3., 5.]])
    """

    traits = Traits(task="regression")
    title = "multi-output regression"
    reference = "Borchani, Varando, Bielza and Larranaga, A survey on multi-output regression, 2015"

    @learns_in_parts
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Update with a batch of rows."""
        super().partial_fit(X, y, sample_weight=sample_weight, **arguments)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R² of the predictions, averaged over targets."""
        predicted = self.predict(X)
        truth = self._validator.target(y, len(predicted), np.float64, True)
        return r_squared(truth, predicted, self._validator.weights(sample_weight, len(predicted)))
