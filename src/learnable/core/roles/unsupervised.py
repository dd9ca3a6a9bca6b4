"""Base classes of roles that learn from rows alone, without a target; among them clusterers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from ..declare import params
from ..declare.params import declaring, learned
from ..runtime.trace import Trace
from ..validate.features import Array, Data, Matrix
from .estimator import Estimator
from .traits import Traits


class Unsupervised(Estimator):
    """An estimator that learns from rows without a target and without weights: it writes `_fit`."""

    traits = Traits(weights=False)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the rows of `X`; `y` is ignored."""
        return self._learn_rows(X, None)

    def _learn_rows(self, X: Any, sample_weight: Any) -> Self:
        params.check(self)
        data = self._block_data(X, None, sample_weight)
        with self._fitting(data.X, None, data.weight) as trace:
            self._remember_columns(data.X, data.names)
            self._fit(data, trace)
        return self

    def _block_data(self, X: Any, y: Any, sample_weight: Any) -> Data:
        """The validated rows of a table, or of one block of a row source."""
        matrix, names = self._enter(X)
        return Data(matrix, np.empty(0), self._validator.weights(sample_weight, matrix.shape[0]), names)

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...


class WeightedUnsupervised(Unsupervised):
    """An estimator that learns from rows without a target, for which a weight of 3 counts a row as three copies."""

    traits = Traits(weights=True)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X`; `y` is ignored, a weight of 3 counts a row as three copies."""
        return self._learn_rows(X, sample_weight)


@declaring
class Clusterer(Unsupervised):
    """Base class of estimators that find clusters of rows, without a target.

    It writes `_fit`, which sets `labels_`, and `_assign`, the groups of new rows; training rows must get from `_assign`
    the groups that they have in `labels_`.
    """

    traits = Traits(task="clustering")

    labels_: Array = learned("cluster of each training row, from 0; -1 if in none", shape="rows", least=-1)

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Find clusters among the rows of `X`, and return the cluster of each."""
        return self.fit(X, y).labels_

    def predict(self, X: Any) -> Array:
        """The cluster of each row of `X`."""
        return self._assign(self._read(X))

    @abstractmethod
    def _assign(self, X: Matrix) -> Array: ...


class WeightedClusterer(Clusterer):
    """A clusterer for which a weight of 3 counts a row as three copies."""

    traits = Traits(weights=True)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find clusters among the rows of `X`; `y` is ignored, a weight of 3 counts a row as three copies."""
        return self._learn_rows(X, sample_weight)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Find clusters among the rows of `X`, weighted as in `fit`, and return the cluster of each."""
        return self.fit(X, y, sample_weight).labels_
