"""The role of those who find groups of rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from . import params
from .data import Array, Data, Matrix
from .estimator import Estimator
from .params import declaring, learned
from .trace import Trace


@declaring
class Clusterer(Estimator):
    """An estimator that finds groups of rows without a target.

    It writes `_fit`, which sets `labels_`, and `_assign`, the groups of new rows; training rows must get from `_assign`
    the groups that they have in `labels_`.
    """

    task = "clustering"
    weights = False

    labels_: Array = learned("group of each training row, from 0; -1 if it is in none", shape="rows")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find groups among the rows of `X`; `y` is not looked at."""
        return self._learn(X, None)

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Find groups among the rows of `X`, and return the group of each."""
        return self.fit(X, y).labels_

    def predict(self, X: Any) -> Array:
        """The group of each row of `X`."""
        return self._assign(self._read(X))

    def _learn(self, X: Any, sample_weight: Any) -> Self:
        params.check(self)
        matrix, names = self._enter(X)
        data = Data(matrix, np.empty(0), self._door.weights(sample_weight, matrix.shape[0]), names)
        with self._fitting(data.X, None, data.weight) as trace:
            self._remember_columns(matrix, names)
            self._fit(data, trace)
        return self

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...

    @abstractmethod
    def _assign(self, X: Matrix) -> Array: ...


class WeightedClusterer(Clusterer):
    """A clusterer for which a weight of 3 counts a row as three copies."""

    weights = True

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find groups among the rows of `X`; `y` is not looked at, a weight of 3 counts a row as three copies."""
        return self._learn(X, sample_weight)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Find groups among the rows of `X`, weighted as in `fit`, and return the group of each."""
        return self.fit(X, y, sample_weight).labels_
