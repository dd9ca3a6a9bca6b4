"""Voting of regressors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, WithContainers, estimator, param
from ._voting.voting_base import VotingRegressorBase, is_list
from .voting_classifier import active_weights, check_weights


@estimator
class VotingRegressor(VotingRegressorBase, WithContainers):
    """Voting regressor: the weighted mean of the predictions of several regressors.

    f(x) = sum_j w_j f_j(x) / sum_j w_j

    Uncorrelated errors of the regressors average out. [Perrone and Cooper, 1993]

    >>> from learnable import DecisionTreeRegressor, LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> VotingRegressor([("line", LinearRegression()), ("tree", DecisionTreeRegressor())]).fit(X, y).predict([[4.0]])
    array([3.5])
    """

    weights: Any = param(
        None, "weight of each regressor; None for equal weights", accepts=is_list, says="a list of numbers or None"
    )
    verbose: bool = param(False, "whether to print how long each fit took")

    title = "voting regressor"
    reference = "Perrone and Cooper, When networks disagree, 1993"

    def _check_estimators(self) -> None:
        super()._check_estimators()
        check_weights(self)

    def _predict(self, X: Any) -> Array:
        predictions = self._predictions(X)
        return np.average(predictions, axis=1, weights=active_weights(self)).astype(predictions.dtype, copy=False)

    def transform(self, X: Any) -> Any:
        """Predictions of the regressors, a column for each."""
        from ..core.sklearn_api.output_containers import wrapped

        self._require_fit()
        return wrapped(self._predictions(X), X, self)

    def _predictions(self, X: Any) -> Array:
        return np.stack([np.asarray(model.predict(X)).ravel() for model in self.estimators_], axis=1)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any) -> Any:
        """Fit, and return the predictions of each regressor for the same rows."""
        return self.fit(X, y, sample_weight, **arguments).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`."""
        self._require_fit()
        return np.array([f"votingregressor_{model}" for model, _ in self._active()], dtype=object)
