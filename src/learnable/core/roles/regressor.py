"""Base class of regressors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from ..declare import params
from ..errors import DataError
from ..r2 import r_squared
from ..runtime.trace import Trace
from ..validate.features import Array, Data, Matrix
from ..validate.range_errors import check_predictions
from .estimator import Estimator
from .traits import Traits


class NumberPredictor(Estimator):
    """An estimator that predicts numbers; its `fit` may take more than rows, targets and weights, in any order."""

    traits = Traits(task="regression")

    def _fit_checked(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Check parameters and data, and learn from them."""
        params.check(self)
        data, names = self._training_data(X, y, sample_weight)
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(data.X, names)
            self._fit(data, trace)
        return self

    def _fit_entered(self, matrix: Matrix, names: list[str] | None, y: Any, sample_weight: Any, **options: Any) -> Self:
        """Fit to rows that have been validated; `options` are passed on to `_fit`."""
        data = self._entered_data(matrix, names, y, sample_weight)
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(data.X, names)
            self._fit(data, trace, **options)
        return self

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Data, list[str] | None]:
        matrix, names = self._enter_to_learn(X, sample_weight)
        return self._entered_data(matrix, names, y, sample_weight), names

    def _entered_data(self, matrix: Matrix, names: list[str] | None, y: Any, sample_weight: Any) -> Data:
        """Rows that have been validated, with validated targets and weights."""
        validator = self._validator
        if "n_features_in_" in self.__dict__ and getattr(self, "warm_start", False):
            self._check_columns(matrix, names)
        rows = matrix.shape[0]
        precision = matrix.dtype if matrix.dtype.kind == "f" and not self.traits.double_target else np.float64
        target = validator.target(y, rows, precision, self.traits.multi_target)
        if self.traits.flat_target and target.ndim == 2 and target.shape[1] == 1:
            target = target[:, 0]
        return Data(matrix, target, validator.weights(sample_weight, rows), names)

    def _block_data(self, X: Any, y: Any, sample_weight: Any) -> Data:
        """The validated rows of one block of a row source."""
        return self._training_data(X, y, sample_weight)[0]

    def predict(self, X: Any) -> Array:
        """Predicted targets for the rows of `X`."""
        rows = self._read(X)
        return np.asarray(check_predictions(self, self._predict(rows), rows))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R² of the predictions for `X`, averaged over targets."""
        prediction = self.predict(X)
        truth = self._validator.target(y, len(prediction), np.float64, True)
        if truth.size != prediction.size:
            raise DataError(f"{type(self).__name__}: y has shape {truth.shape}, the predictions {prediction.shape}")
        weight = self._validator.weights(sample_weight, len(prediction))
        return r_squared(truth, prediction, weight)

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...

    @abstractmethod
    def _predict(self, X: Matrix) -> Array: ...


class Regressor(NumberPredictor):
    """An estimator that learns to predict numbers from rows, targets and weights."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows `X` and their targets `y`; a weight of 3 counts a row as three copies."""
        return self._fit_checked(X, y, sample_weight)
