"""Outlier detection by the local outlier factor."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, available_if, estimator, learned, param
from ..core.errors import warn
from ..core.roles.outlier_detector import OutlierDetector
from ._neighbors_base import WithNearest

MIN_REACHABILITY = 1e-10  # keeps densities finite where rows are repeated


def _of_new_rows(model: LocalOutlierFactor) -> bool:
    return bool(model.novelty)


def _available(method: str, novelty: bool) -> Any:
    """A condition: whether `novelty` has the value that a method needs."""

    def condition(model: Any) -> bool:
        if model.novelty != novelty:
            raise AttributeError(f"{method} is not available when novelty={not novelty}; set novelty={novelty}")
        return True

    return condition


@estimator
class LocalOutlierFactor(WithNearest, OutlierDetector):
    """The local outlier factor: the density round the neighbours of a row relative to the density round the row itself.

    factor(x) = mean over neighbours o of density(o) / density(x),    density(x) = 1 / mean of max(d(x, o), reach(o))

    reach(o) is the distance of o to its own k-th neighbour. About 1 inside a cluster, larger outside; -factor is the
    score. With `novelty`, new rows are scored, else the training rows by `fit_predict`. [Breunig et al., 2000]

    >>> LocalOutlierFactor(n_neighbors=2).fit_predict([[-1.1], [0.2], [101.1], [0.3]])
    array([ 1,  1, -1,  1])
    """

    n_neighbors: int = param(20, "number of neighbours", at_least=1, kw_only=False, tune=(5, 10, 20, 40))
    contamination: float | Literal["auto"] = param(
        "auto",
        "proportion of outliers among the training rows; auto takes those with a factor above 1.5",
        above=0,
        at_most=0.5,
    )
    novelty: bool = param(False, "whether new rows are scored instead of the training rows")

    negative_outlier_factor_: Array = learned("score of each training row", shape="rows")
    n_neighbors_: int = learned("number of neighbours used", least=1)
    offset_: float = learned("threshold of the scores: rows below it are outliers")
    reach_: Array = learned("distance of each training row to its k-th neighbour", shape="rows")
    density_: Array = learned("local reachability density of each training row", shape="rows")

    traits = Traits(weights=False)
    title = "local outlier factor"
    reference = "Breunig, Kriegel, Ng and Sander, 2000"

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # a place is as thin as its rows say
        """Learn from the rows of `X`; `y` is ignored."""
        return super().fit(X, y)

    def _fit(self, data: Data, trace: Trace) -> None:
        self._keep(data.X)
        if self.n_neighbors > data.n:
            warn(
                f"A row has {data.n - 1} others: n_neighbors={self.n_neighbors} is lowered to that.",
                UserWarning,
            )
        self.n_neighbors_ = max(1, min(self.n_neighbors, data.n - 1))
        distances, rows = self._nearest(None, self.n_neighbors_)
        self.reach_ = distances[:, -1]
        self.density_ = self._density(distances, rows)
        self.negative_outlier_factor_ = -(self.density_[rows] / self.density_[:, None]).mean(axis=1)
        scores = self.negative_outlier_factor_
        self.offset_ = -1.5 if self.contamination == "auto" else float(np.percentile(scores, 100 * self.contamination))
        if scores.min() < -1e7 and not self.novelty:
            warn("Rows with many equals have neighbours no distance away; use more neighbours.", UserWarning)
        trace.exact("densities round the training rows, computed directly")

    def _density(self, distances: Array, rows: Array) -> Array:
        return np.asarray(1 / (np.maximum(distances, self.reach_[rows]).mean(axis=1) + MIN_REACHABILITY))

    def _scores(self, X: Matrix) -> Array:
        distances, rows = self._nearest(X, self.n_neighbors_)
        found = -(self.density_[rows] / self._density(distances, rows)[:, None]).mean(axis=1)
        return np.asarray(found).astype(X.dtype, copy=False)

    @available_if(_available("fit_predict", novelty=False))
    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Fit to the rows of `X` and return 1 for inliers, -1 for outliers."""
        self.fit(X, y)
        return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)

    @available_if(_available("predict", novelty=True))
    def predict(self, X: Any = None) -> Array:
        """1 for inliers, -1 for outliers among new rows (`novelty`)."""
        return super().predict(X)

    @available_if(_available("decision_function", novelty=True))
    def decision_function(self, X: Any) -> Array:
        """Anomaly score shifted by the threshold: negative for outliers, positive for inliers."""
        return super().decision_function(X)

    @available_if(_available("score_samples", novelty=True))
    def score_samples(self, X: Any) -> Array:
        """Opposite of the local outlier factor: about -1 for inliers, lower for outliers."""
        return super().score_samples(X)
