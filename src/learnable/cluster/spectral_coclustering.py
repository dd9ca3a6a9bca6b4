"""Spectral co-clustering: rows and columns in the same clusters."""

from __future__ import annotations

import numpy as np

from ..core import Matrix, Trace, estimator, param
from ._biclusters import Biclusterer, scaled


@estimator
class SpectralCoclustering(Biclusterer):
    """Spectral co-clustering: biclusters on the diagonal of a table, each row and column in exactly one.

    minimise the normalised cut of the bipartite graph of rows and columns, whose edges are the entries of X

    Its relaxation: k-means of the rows of [R^-1/2 U; C^-1/2 V] with the singular vectors 2, 3, ... of R^-1/2 X C^-1/2,
    where R and C are the sums of rows and columns. Entries must not be negative; a constant is added if some are.
    [Dhillon, 2001]

    >>> X = [[1, 1, 0, 0], [2, 1, 0, 0], [0, 0, 1, 3], [0, 0, 1, 2]]
    >>> model = SpectralCoclustering(n_clusters=2, random_state=0).fit(X)
    >>> bool((model.row_labels_ == model.column_labels_).all()), model.get_shape(0)
    (True, (2, 2))
    """

    n_clusters: int = param(3, "number of biclusters", at_least=1, kw_only=False, tune=(2, 3, 5, 8))

    title = "spectral co-clustering"
    reference = "Dhillon, Co-clustering documents and words using bipartite spectral graph partitioning, 2001"

    def _find(self, X: Matrix, trace: Trace) -> float:
        A, rows, columns = scaled(X)
        count = 1 + int(np.ceil(np.log2(self.n_clusters)))
        found, residual = self._singular_vectors(A, count)
        points = np.vstack([rows[:, None] * found.U[:, 1:], columns[:, None] * found.Vt[1:].T])
        if points.shape[1] == 0:
            points = np.zeros((len(points), 1))
        labels = self._k_means(points, self.n_clusters).labels_
        self.row_labels_, self.column_labels_ = labels[: X.shape[0]], labels[X.shape[0] :]
        clusters = np.arange(self.n_clusters)[:, None]
        self.rows_, self.columns_ = self.row_labels_ == clusters, self.column_labels_ == clusters
        return residual
