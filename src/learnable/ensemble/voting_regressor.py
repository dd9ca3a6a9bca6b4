"""The mean of different regressors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, WithContainers, estimator, param
from ._voting.voting_base import NumberPanel, is_list
from .voting_classifier import check_weights, kept_weights


@estimator
class VotingRegressor(NumberPanel, WithContainers):
    """The mean of what several regressors predict.

    f(x) = sum_j w_j f_j(x) / sum_j w_j

    Errors that the regressors do not share average out. [Perrone and Cooper, 1993]

    >>> from learnable import DecisionTreeRegressor, LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> VotingRegressor([("line", LinearRegression()), ("tree", DecisionTreeRegressor())]).fit(X, y).predict([[4.0]])
    array([3.5])
    """

    weights: Any = param(  # type: ignore[misc]  # scikit-learn's name
        None, "how much each regressor counts; None for all alike", accepts=is_list, says="a list of numbers or None"
    )
    verbose: bool = param(False, "accepted; `learnable.progress()` shows how a fit goes")

    reference = "Perrone and Cooper, When networks disagree, 1993"

    def _check_panel(self) -> None:
        super()._check_panel()
        check_weights(self)

    def _predict(self, X: Any) -> Array:
        answers = self._answers(X)
        return np.average(answers, axis=1, weights=kept_weights(self)).astype(answers.dtype, copy=False)

    def transform(self, X: Any) -> Any:
        """What each regressor predicts, a column each."""
        from ..core.sklearn_api.output_containers import wrapped

        self._require_fit()
        return wrapped(self._answers(X), X, self)

    def _answers(self, X: Any) -> Array:
        return np.stack([np.asarray(part.predict(X)).ravel() for part in self.estimators_], axis=1)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and say what each regressor predicts for the same rows."""
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns of `transform`."""
        self._require_fit()
        return np.array([f"votingregressor_{part}" for part, _ in self._live()], dtype=object)
