"""The class whose middle is nearest."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ProbabilisticClassifier, Trace, Traits, estimator, learned, param
from ..core.errors import warn
from ..core.validate.sparse_input import as_dense
from ..engines.columns.quantiles import column_quantiles
from ..engines.generative.posterior import checked_priors
from ..metrics._row_pairs import Pair
from ..metrics.distances import table_of_distances


@estimator
class NearestCentroid(ProbabilisticClassifier):
    """The nearest centroid classifier: the centroid of a class is the mean of its rows, or the median for manhattan.

    predict argmin_k d(x, m_k);    score_k = -d(x / s, m_k / s)^2 + 2 log prior_k,    s the spread within classes

    With a threshold, centroids are shrunk towards the mean of all rows, column by column, so that columns in which
    classes hardly differ drop out. [Tibshirani, Hastie, Narasimhan and Chu, 2002]

    >>> NearestCentroid().fit([[0.0], [1.0], [7.0], [9.0]], [1, 1, 2, 2]).predict([[3.0], [5.0]])
    array([1, 2])
    """

    metric: Literal["euclidean", "manhattan"] = param("euclidean", "distance metric", kw_only=False)
    shrink_threshold: float | None = param(
        None,
        "threshold of the shrinkage of centroids towards the mean of all rows",
        above=0,
        tune=(None, 0.1, 0.5, 1.0, 2.0),
        simpler="larger",
    )
    priors: Literal["uniform", "empirical"] | Array | list[float] | tuple[float, ...] = param(
        "uniform", "prior probabilities of the classes"
    )

    classes_: Array = learned("the classes, sorted", shape="classes")
    centroids_: Array = learned("centroid of each class", shape="classes features")
    class_prior_: Array = learned("prior probability of each class", shape="classes")
    within_class_std_dev_: Array = learned("pooled standard deviation of each column within classes", shape="features")
    deviations_: Array = learned(
        "deviations of the centroids from the overall mean, in standard deviations",
        shape="classes features",
    )

    traits = Traits(sparse=True, storage="csr")
    title = "nearest centroid classifier"
    reference = "Tibshirani, Hastie, Narasimhan and Chu, 2002"

    def _fit(self, data: Data, trace: Trace) -> None:
        weight = np.ones(data.n) if data.weight is None else np.asarray(data.weight, dtype=np.float64)
        kept = weight > 0
        X = as_dense(data.X)[kept].astype(np.float64)
        codes, weight = data.y[kept], weight[kept]
        sizes = np.bincount(codes, weight, len(self.classes_))
        self._check(X, sizes)
        self.class_prior_ = self._priors(sizes)
        centroids = np.vstack([self._middle(X[codes == k], weight[codes == k]) for k in range(len(sizes))])
        total = weight.sum()
        unit = float(np.abs(X).max()) or 1.0
        squares = weight @ ((X - centroids[codes]) / unit) ** 2
        spread = unit * np.sqrt(squares / max(total - len(sizes), np.finfo(float).tiny))
        self._keep(centroids, spread, weight @ (X / total), np.sqrt(np.maximum(1 / sizes - 1 / total, 0)), data.X.dtype)
        trace.exact("centroids of the classes, computed directly")

    def _check(self, X: Array, sizes: Array) -> None:
        if len(sizes) < 2 or (sizes == 0).any():
            raise DataError(
                f"{type(self).__name__}: two classes or more are needed; {np.count_nonzero(sizes)} class has rows"
            )
        if (X.max(axis=0) == X.min(axis=0)).all():
            raise DataError(
                f"{type(self).__name__}: no column varies within the classes, so that shrink_threshold cannot be "
                "applied"
            )

    def _priors(self, sizes: Array) -> Array:
        if isinstance(self.priors, str):
            return sizes / sizes.sum() if self.priors == "empirical" else np.full(len(sizes), 1 / len(sizes))
        priors = np.asarray(self.priors, dtype=np.float64)
        total = priors.sum()
        if np.isfinite(total) and (priors >= 0).all() and total > 0 and not np.isclose(total, 1.0):
            message = "The priors do not sum to 1. Normalizing such that it sums to one."
            warn(f"{type(self).__name__}: {message}", UserWarning)
            priors = priors / total
        return checked_priors(type(self).__name__, priors, len(sizes))

    def _middle(self, rows: Array, weight: Array) -> Array:
        if self.metric == "manhattan":
            return np.asarray(column_quantiles(rows, np.array([0.5]), weight)[0])
        return np.asarray((weight / weight.sum()) @ rows)

    def _keep(self, centroids: Array, spread: Array, middle: Array, share: Array, dtype: Any) -> None:
        """Shrink the centroids, and remember all."""
        scale = share[:, None] * (spread + np.median(spread))
        apart = centroids - middle
        deviations = np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0)
        if self.shrink_threshold:
            deviations = np.sign(deviations) * np.maximum(np.abs(deviations) - self.shrink_threshold, 0)
            centroids = middle + scale * deviations
        self.centroids_, self.deviations_ = centroids.astype(dtype), deviations.astype(dtype)
        self.within_class_std_dev_ = spread.astype(dtype)

    def decision_function(self, X: Any) -> Array:
        """The score of each class, a column each; of two classes, by how much that of the second is higher."""
        found = self._class_scores(self._read(X))
        return found[:, 1] - found[:, 0] if found.shape[1] == 2 else found

    def _class_scores(self, X: Matrix) -> Array:
        spread = np.where(self.within_class_std_dev_ == 0, 1.0, self.within_class_std_dev_).astype(np.float64)
        rows = np.ascontiguousarray(as_dense(X) / spread)
        found = self._distances(rows, np.ascontiguousarray(self.centroids_ / spread))
        with np.errstate(divide="ignore"):
            return np.asarray(-(found**2) + 2 * np.log(self.class_prior_))

    def _distances(self, rows: Array, centroids: Array) -> Array:
        return table_of_distances(Pair(rows, centroids, False, False), self.metric, {})

    def _classify(self, X: Matrix) -> Array:
        if not np.isclose(self.class_prior_, 1 / len(self.classes_)).all():
            return np.asarray(self._class_scores(X).argmax(axis=1))
        dense = as_dense(X)
        return np.asarray(self._distances(np.asarray(dense, dtype=np.float64), self.centroids_).argmin(axis=1))

    def _probabilities(self, X: Matrix) -> Array:
        found = self._class_scores(X)
        with np.errstate(under="ignore"):
            shares = np.exp(found - found.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))
