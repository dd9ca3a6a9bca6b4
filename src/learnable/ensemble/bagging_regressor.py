"""Bagging of regressors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Traits, estimator, learned
from ..core.r2 import r_squared
from ..core.sklearn_api.metadata import requested_metadata
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from ._bagging_base import NOTHING, BaggingBase, Metadata


@estimator
class BaggingRegressor(BaggingBase, Regressor):
    """Bagging regressor: the mean of the predictions of estimators, each fitted to a bootstrap sample.

    f(x) = mean over estimators of f_b(x)

    Averaging reduces the variance of the base estimator and leaves its bias. Samples do not depend on the order of the
    rows, and integer weights count copies. [Breiman, 1996]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 5.0]
    >>> BaggingRegressor(n_estimators=50, random_state=0).fit(X, y).predict([[0.0], [3.0]]).round(1)
    array([1.2, 4.8])
    """

    oob_prediction_: Array = learned("out-of-bag prediction of each training row", optional=True)

    traits = Traits(multi_target=True, double_target=True)
    title = "bagging regressor"
    reference = "Breiman, Bagging predictors, Machine Learning 24, 1996"

    def _base(self) -> Any:
        tree = DecisionTreeRegressor().set_fit_request(sample_weight=True)
        return tree if self.estimator is None else self.estimator

    def _predict(self, X: Matrix) -> Array:
        return self._mean(X)

    def predict(self, X: Any, **arguments: Any) -> Array:
        """Predicted targets for the rows of `X`; `arguments` are metadata, where routing is enabled."""
        if not arguments:
            return super().predict(X)
        return self._mean(self._read(X), "predict", self._checked("predict", arguments))

    def _predict_one(self, model: Any, X: Matrix, method: str = "predict", metadata: Metadata = NOTHING) -> Array:
        return np.asarray(model.predict(X, **requested_metadata(model, "predict", metadata)))

    def _score_out_of_bag(self, data: Data) -> None:
        self.oob_prediction_ = self._out_of_bag_mean(data, data.y.shape[1:])
        self.oob_score_ = r_squared(data.y, self.oob_prediction_, data.weight)
