"""Spectral biclustering: a checkerboard of clusters of rows and clusters of columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, param
from ._biclusters import Biclusterer, bistochastic, log_interactions, scaled


def _is_count(value: Any) -> bool:
    """Whether it is a number of clusters, or one of rows and one of columns."""
    counts = value if isinstance(value, (tuple, list)) else (value, value)
    whole = all(isinstance(count, (int, np.integer)) and not isinstance(count, bool) for count in counts)
    return len(counts) == 2 and whole and min(counts) >= 1


@estimator
class SpectralBiclustering(Biclusterer):
    """Spectral biclustering: clusters of rows and clusters of columns that make the table a checkerboard.

    x_ij = a_i b_j m_kl + noise    with a level m_kl for every pair of a cluster k of rows and a cluster l of columns

    The `n_best` of the first singular vectors that are nearest to piecewise constant are kept; rows are projected on
    those of columns and clustered by k-means, columns on those of rows. The normalised table is bistochastic, scaled
    once, or the interactions of its logarithm. [Kluger, Basri, Chang and Gerstein, 2003]

    >>> X = [[1.0, 5.0, 1.0], [1.1, 5.2, 0.9], [8.0, 2.0, 8.1], [8.2, 2.1, 7.9]]
    >>> model = SpectralBiclustering(n_clusters=2, n_components=2, n_best=1, random_state=0).fit(X)
    >>> len(set(model.row_labels_[:2])), bool(model.column_labels_[0] == model.column_labels_[2]), len(model.rows_)
    (1, True, 4)
    """

    n_clusters: Any = param(
        3, "number of clusters of rows and of columns; a pair if they differ", accepts=_is_count,
        says="an integer of at least 1, or a pair of them", kw_only=False, tune=(2, 3, 5),
    )  # fmt: skip
    method: Literal["bistochastic", "scale", "log"] = param(
        "bistochastic", "normalisation: all rows and all columns get equal sums, one scaling, or log interactions"
    )
    n_components: int = param(6, "number of singular vectors that are tried", at_least=1)
    n_best: int = param(3, "number of singular vectors that are used", at_least=1)

    title = "spectral biclustering"
    reference = "Kluger, Basri, Chang and Gerstein, Spectral biclustering of microarray data, 2003"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.n_best > self.n_components:
            raise ParameterError(
                f"SpectralBiclustering: n_best={self.n_best} must be at most n_components={self.n_components}"
            )
        super()._fit(data, trace)

    def _find(self, X: Matrix, trace: Trace) -> float:
        pair = self.n_clusters if isinstance(self.n_clusters, (tuple, list)) else (self.n_clusters, self.n_clusters)
        normalise = {"bistochastic": bistochastic, "scale": lambda table: scaled(table)[0], "log": log_interactions}
        found, residual = self._singular_vectors(normalise[self.method](X), self._count())
        constant = 0 if self.method == "log" else 1  # the first vectors of a scaled table say nothing about clusters
        left, right = found.U.T[constant:], found.Vt[constant:]
        self.row_labels_ = self._labels(X, self._best(right, pair[1]), pair[0])
        self.column_labels_ = self._labels(X.T, self._best(left, pair[0]), pair[1])
        rows, columns = (part.ravel() for part in np.indices(pair))
        self.rows_ = self.row_labels_ == rows[:, None]
        self.columns_ = self.column_labels_ == columns[:, None]
        return residual

    def _count(self) -> int:
        """Singular vectors to compute: one more where the first is constant."""
        return self.n_components + (self.method != "log")

    def _best(self, vectors: Array, count: int) -> Array:
        """The vectors that are nearest to piecewise constant, with a value for each of `count` clusters."""
        off = []
        for vector in vectors:
            model = self._k_means(vector[:, None], min(count, len(vector)))
            off.append(np.linalg.norm(vector - model.cluster_centers_[model.labels_, 0]))
        return vectors[np.argsort(off, kind="stable")[: self.n_best]]

    def _labels(self, X: Matrix, vectors: Array, count: int) -> Array:
        if not len(vectors):
            return np.zeros(X.shape[0], dtype=np.int32)
        return np.asarray(self._k_means(np.asarray(X @ vectors.T), count).labels_)
