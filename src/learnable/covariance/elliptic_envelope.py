"""Elliptic envelope for outlier detection."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, estimator, learned, param
from ..core.roles.outlier_detector import OutlierDetector
from ..engines.columns.quantiles import quantiles
from .min_cov_det import RobustCovariance


@estimator
class EllipticEnvelope(RobustCovariance, OutlierDetector):
    """Elliptic envelope: outlier detection by robust Mahalanobis distances.

    score(x) = -(x - m)' C^-1 (x - m),    outliers: the fraction `contamination` with the lowest scores

    m and C are those of `MinCovDet`, so that outliers do not hide themselves by stretching the covariance. Rows should
    be normal, or at least elliptical, and many more than columns. [Rousseeuw and van Driessen, 1999]

    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.4], [90.0, 90.0]]
    >>> EllipticEnvelope(random_state=0, contamination=0.2).fit(X).predict([[0.5, 0.5], [9.0, 9.0]])
    array([ 1, -1])
    """

    contamination: float = param(0.1, "fraction of the training rows that are outliers", above=0, at_most=0.5)
    offset_: float = learned("threshold of the score below which a row is an outlier")

    traits = Traits(task="outlier detection")
    title = "elliptic envelope"
    reference = "Rousseeuw and van Driessen, A fast algorithm for the minimum covariance determinant estimator, 1999"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._fit_robust(data, trace)
        self.offset_ = float(quantiles(-self.dist_, np.array([self.contamination]), data.weight)[0])

    def _scores(self, X: Matrix) -> Array:
        return np.asarray(-self._distances(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The accuracy of the labels 1 (inlier) and -1; without labels the mean log likelihood."""
        if y is None:
            return super().score(X)
        agree = self.predict(X) == np.asarray(y)
        return float(np.average(agree, weights=sample_weight))
