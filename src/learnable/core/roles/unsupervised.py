"""Base class of roles that learn from rows alone, without a target."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from ..declare import params
from ..runtime.trace import Trace
from ..validate.features import Data
from .estimator import Estimator


class Unsupervised(Estimator):
    """An estimator that learns from rows without a target: it writes `_fit`."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`; `y` is ignored, a weight of 3 counts a row as three copies."""
        return self._learn_rows(X, sample_weight)

    def _learn_rows(self, X: Any, sample_weight: Any) -> Self:
        params.check(self)
        matrix, names = self._enter(X)
        data = Data(matrix, np.empty(0), self._validator.weights(sample_weight, matrix.shape[0]), names)
        with self._fitting(data.X, None, data.weight) as trace:
            self._remember_columns(matrix, names)
            self._fit(data, trace)
        return self

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...
