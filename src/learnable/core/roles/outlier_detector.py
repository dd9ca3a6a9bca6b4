"""Base class of outlier detectors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..validate.features import Array, Matrix
from .traits import Traits
from .unsupervised import WeightedUnsupervised


class OutlierDetector(WeightedUnsupervised):
    """Base class of outlier detectors: estimators that learn without a target which rows are normal.

    It learns `offset_`: rows whose score is below it are outliers. It writes `_fit` and `_scores`.
    """

    traits = Traits(task="outlier detection")

    offset_: Any

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Fit to the rows of `X` and return 1 for inliers, -1 for outliers."""
        return self.fit(X, y, sample_weight).predict(X)

    def predict(self, X: Any) -> Array:
        """1 for inliers, -1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def decision_function(self, X: Any) -> Array:
        """Anomaly score shifted by the threshold: negative for outliers, positive for inliers."""
        return self.score_samples(X) - float(np.ravel(self.offset_)[0])

    def score_samples(self, X: Any) -> Array:
        """Anomaly score of each row, the lower the more abnormal."""
        return self._scores(self._read(X))

    @abstractmethod
    def _scores(self, X: Matrix) -> Array: ...
