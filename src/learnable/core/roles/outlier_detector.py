"""Base class of outlier detectors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..validate.features import Array, Matrix
from .traits import Traits
from .unsupervised import Unsupervised


class OutlierDetector(Unsupervised):
    """An estimator that learns what rows usually are, without a target, and finds those which are not so.

    It learns `offset_`: rows whose score is below it are outliers. It writes `_fit` and `_scores`.
    """

    traits = Traits(task="outlier detection")

    offset_: Any

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Learn from the rows of `X` and say which of them are ordinary (1) and which are outliers (-1)."""
        return self.fit(X, y, sample_weight).predict(X)

    def predict(self, X: Any) -> Array:
        """1 for ordinary rows, -1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def decision_function(self, X: Any) -> Array:
        """How ordinary each row is, above 0, or how odd, below it."""
        return self.score_samples(X) - float(np.ravel(self.offset_)[0])

    def score_samples(self, X: Any) -> Array:
        """How ordinary each row is, on the scale of the method."""
        return self._scores(self._read(X))

    @abstractmethod
    def _scores(self, X: Matrix) -> Array: ...
