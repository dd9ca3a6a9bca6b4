"""Bagging of regressors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned
from ..core.errors import warn
from ..core.scores import r_squared
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from .bagging import Bagging


@estimator
class BaggingRegressor(Bagging, Regressor):
    """Numbers by the mean of learners, each fitted to rows drawn with replacement.

    f(x) = mean over learners of f_b(x)

    The mean varies less than one learner does, and is no further from the truth on average. Samples do not depend on
    the order of the rows, and weights count copies. [Breiman, 1996]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 5.0]
    >>> BaggingRegressor(n_estimators=50, random_state=0).fit(X, y).predict([[0.0], [3.0]]).round(1)
    array([1.2, 4.8])
    """

    oob_prediction_: Array = learned("prediction by the learners that did not see a row", optional=True)

    multi_target = True
    reference = "Breiman, Bagging predictors, Machine Learning 24, 1996"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._grow(data, data.y, trace)
        if self.oob_score:
            self._judge(data)

    def _base(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    @property
    def estimator_(self) -> Any:
        """The base learner."""
        return self._base()

    def _predict(self, X: Matrix) -> Array:
        found = np.mean([model.predict(table) for model, table in self._parts(X)], axis=0)
        return np.asarray(found).astype(X.dtype, copy=False)

    def _judge(self, data: Data) -> None:
        total, judges = np.zeros(data.y.shape), np.zeros((data.n, *[1] * (data.y.ndim - 1)))
        for (model, table), rows in zip(self._parts(data.X), self._strange(data.n), strict=True):
            if len(rows):
                total[rows] += model.predict(table[rows])
                judges[rows] += 1
        if (judges == 0).any():
            warn(
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
                "reliable oob estimates.",
                UserWarning,
            )
        self.oob_prediction_ = total / np.maximum(judges, 1)
        self.oob_score_ = r_squared(data.y, self.oob_prediction_, data.weight)
