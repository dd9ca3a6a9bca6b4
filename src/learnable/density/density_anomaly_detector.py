"""Density-based anomaly detection."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, cloned, estimator, learned, param
from ..core.roles.estimator import validator
from ..core.roles.outlier_detector import OutlierDetector
from ..core.roles.traits import traits_of
from ..core.validate.dataframes import is_frame, labels_of, names_among
from ..core.validate.features import FeatureValidator
from ..engines.columns.quantiles import quantiles
from .gaussian_density import GaussianDensity


@estimator
class DensityAnomalyDetector(OutlierDetector):
    """Density-based anomaly detection: rows whose estimated density is below a threshold are outliers.

    outliers = {x : p(x) < t}

    `density` is any estimator with fit(X) and score_samples(X): a Gaussian (None), a kernel density, a histogram, a
    mixture, a pipeline that ends with one; missing values and categories are handled as it does. t is given, or the
    quantile `contamination` of the training densities. [Bishop, 1994]

    >>> model = DensityAnomalyDetector(threshold=0.01).fit([[0.0], [1.0], [2.0]])
    >>> model.predict([[1.5], [9.0]])
    array([ 1, -1])
    """

    density: Any = param(
        None,
        "density estimator with fit(X) and score_samples(X); None: a Gaussian",
        kw_only=False,
        accepts=lambda value: value is None or (hasattr(value, "fit") and hasattr(value, "score_samples")),
        says="an estimator with fit and score_samples, or None",
    )
    contamination: float = param(0.05, "fraction of the training rows that are outliers", at_least=0, below=1)
    threshold: float | None = param(None, "density below which rows are outliers; None: by contamination", above=0)

    density_: Any = learned("the fitted density")
    offset_: float = learned("threshold on the log density")

    title = "density-based anomaly detection"
    reference = "Bishop, 1994"

    @property
    def _inside(self) -> Any:
        return GaussianDensity() if self.density is None else self.density

    @property
    def _validator(self) -> FeatureValidator:
        return validator(type(self).__name__, missing=traits_of(self._inside).missing)

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix; as it is if the density, or a component of it, accepts columns of any kind."""
        if traits_of(self._inside).takes not in ("table", "parts"):
            return super()._enter(X)
        if not is_frame(X):
            return self._validator.objects(X), None
        return X, names_among(labels_of(X, type(self).__name__), type(self).__name__)

    def _fit(self, data: Data, trace: Trace) -> None:
        density = cloned(self._inside)
        density = density.fit(data.X) if data.weight is None else density.fit(data.X, sample_weight=data.weight)
        self.density_ = density
        if self.threshold is not None:
            self.offset_ = float(np.log(self.threshold))
        else:
            scores = np.asarray(density.score_samples(data.X), dtype=np.float64)
            self.offset_ = float(quantiles(scores, np.array([self.contamination]), data.weight)[0])
        trace.adopt(density, "the density was fitted, and the threshold is a quantile of its training scores")

    def _scores(self, X: Matrix) -> Array:
        return np.asarray(self.density_.score_samples(X))
