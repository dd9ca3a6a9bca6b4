"""Base classes of clustering estimators."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

from ..declare.params import declaring, learned
from ..validate.features import Array, Matrix
from .traits import Traits
from .unsupervised import Unsupervised


@declaring
class Clusterer(Unsupervised):
    """Base class of estimators that find clusters of rows, without a target.

    It writes `_fit`, which sets `labels_`, and `_assign`, the groups of new rows; training rows must get from `_assign`
    the groups that they have in `labels_`.
    """

    traits = Traits(task="clustering", weights=False)

    labels_: Array = learned("group of each training row, from 0; -1 if it is in none", shape="rows", least=-1)

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # weights would say nothing
        """Find clusters among the rows of `X`; `y` is ignored."""
        return self._learn_rows(X, None)

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Find groups among the rows of `X`, and return the group of each."""
        return self.fit(X, y).labels_

    def predict(self, X: Any) -> Array:
        """The group of each row of `X`."""
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
        """Find groups among the rows of `X`, weighted as in `fit`, and return the group of each."""
        return self.fit(X, y, sample_weight).labels_
