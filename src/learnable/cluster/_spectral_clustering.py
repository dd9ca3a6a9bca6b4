"""Spectral clustering: clusters of a similarity graph."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Clusterer,
    Data,
    DataError,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    learned,
    param,
    seed_of,
)
from ..core.declare.checked_functions import Rows, checked, limits
from ..engines.algebra.laplacian import Kind
from ..engines.graph.spectral import TOLERANCE, smallest_eigenpairs
from ..metrics.kernel_functions import pairwise_kernels
from ..neighbors import NearestNeighbors
from ._assign_new import label_of_nearest, labels_of_known
from ._checks import AFFINITY, GIVEN, is_affinity
from ._spectral_steps import Assignment, assign_labels, near_graph
from .graph_cuts import check_graph


@estimator
class SpectralClustering(Clusterer):
    """Spectral clustering: k-means on the leading eigenvectors of the Laplacian of a similarity graph.

    minimise over Y with Y'DY = 1    trace Y'LY,    L = D - W;  clusters by k-means of the rows of Y

    The relaxation of the normalised cut, in which cluster indicators may be any real numbers: the solution is the
    eigenvectors of D^-1 L with the smallest eigenvalues, whose rows are nearly equal within a cluster of any shape. As
    many `eigenvalues_` are near zero as there are clusters. A new row gets the label of the nearest training row, or of
    the one with the largest precomputed weight; ties go to the first, and equal rows may be in different clusters.
    [Shi and Malik, 2000; Ng, Jordan and Weiss, 2002]

    >>> X = [[0.0], [0.3], [0.6], [5.0], [5.3], [5.6]]
    >>> len(set(SpectralClustering(2, random_state=0).fit_predict(X)[:3]))
    1
    """

    n_clusters: int = param(8, "number of clusters", at_least=1, kw_only=False, tune=(2, 3, 5, 8))
    eigen_solver: Literal["arpack", "lobpcg", "amg"] | None = param(None, "accepted for compatibility")
    n_components: int | None = param(None, "number of eigenvectors; None: n_clusters", at_least=1)
    random_state: RandomState = param(None, "seed of the eigensolver and of k-means")
    n_init: int = param(10, "number of initialisations of k-means, of which the best result is kept", at_least=1)
    gamma: float = param(1.0, "kernel coefficient: exp(-gamma d^2) for rbf", at_least=0)
    affinity: Any = param("rbf", "affinity: weights of the edges", accepts=is_affinity, says=AFFINITY)
    n_neighbors: int = param(10, "number of neighbours of each row in the graph, itself included", at_least=1)
    eigen_tol: float | Literal["auto"] = param("auto", "tolerance of the residual of the eigenvectors", at_least=0)
    assign_labels: Assignment = param("kmeans", "method that assigns labels in the embedding")
    degree: float = param(3, "degree of the polynomial kernel", at_least=0)
    coef0: float = param(1, "independent term of polynomial and sigmoid kernels")
    kernel_params: dict[str, Any] | None = param(None, "options of a kernel that is a function")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    verbose: bool = param(False, "accepted for compatibility; use learnable.progress()")
    laplacian: Kind = param(
        "random walk", "Laplacian whose eigenvectors are used: L = D - W (plain), D^-1/2 L D^-1/2 or D^-1 L"
    )
    radius: float = param(1.0, "distance up to which rows are linked, for affinity='radius_neighbors'", above=0)

    affinity_matrix_: Matrix = learned("affinity matrix of the training rows", shape="rows rows", matrix=True)
    eigenvalues_: Array = learned("smallest eigenvalues of the Laplacian", shape="components")
    embedding_: Array = learned("spectral embedding of the training rows", shape="rows components")
    rows_: Matrix = learned("training rows, which predict compares new rows with", shape="rows features", matrix=True)

    traits = Traits(sparse=True, storage="csr", stochastic=True, parametric=False)
    title = "spectral clustering"
    reference = "Shi and Malik, Normalized cuts and image segmentation, 2000"

    @property
    def pairwise(self) -> bool:
        """Whether X is a matrix of weights or distances between rows."""
        return isinstance(self.affinity, str) and self.affinity in GIVEN

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.n_clusters > data.n:
            raise ParameterError(
                f"SpectralClustering: n_clusters={self.n_clusters} is above the number of rows, n_samples = {data.n}"
            )
        if self.pairwise and data.n != data.p:
            raise DataError(
                f"SpectralClustering: a square affinity matrix of the rows is needed; X has the shape {data.X.shape}"
            )
        seed = seed_of(self.random_state)
        W = self._graph(data.X)
        count = min(self.n_components or self.n_clusters, data.n)
        allowed = TOLERANCE if self.eigen_tol == "auto" or self.eigen_tol < TOLERANCE else float(self.eigen_tol)
        found = smallest_eigenpairs(W, count, seed, allowed, self.laplacian)
        self.affinity_matrix_, self.eigenvalues_, self.embedding_ = W, found.values, self._rows_of(found.vectors)
        self.labels_ = assign_labels(self.embedding_, self.n_clusters, self.assign_labels, self.n_init, seed)
        self.rows_ = data.X
        trace.record(float(found.values.sum()))
        trace.stopped = "converged"
        trace.certify("residual", found.residual, max(allowed, 1e-10), "norm of L v - l D v of the eigenvectors")

    def _rows_of(self, vectors: Array) -> Array:
        """The rows of the embedding; those of the symmetric Laplacian have length one. [Ng, Jordan and Weiss, 2002]"""
        if self.laplacian != "symmetric":
            return vectors
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-300)[:, None])

    def _graph(self, X: Matrix) -> Matrix:
        if isinstance(self.affinity, str) and self.affinity == "radius_neighbors":
            return NearestNeighbors(radius=self.radius).fit(X).radius_neighbors_graph()
        if not isinstance(self.affinity, str) or self.affinity not in ("nearest_neighbors", *GIVEN):
            return self._kernel(X)
        if self.affinity == "precomputed":
            return check_graph("SpectralClustering", X)
        if self.affinity == "nearest_neighbors":
            near = NearestNeighbors(n_neighbors=min(self.n_neighbors, X.shape[0])).fit(X)
            return near_graph(near.kneighbors_graph(X))
        near = NearestNeighbors(n_neighbors=min(self.n_neighbors, X.shape[0]), metric="precomputed").fit(X)
        return near_graph(near.kneighbors_graph(X))

    def _kernel(self, X: Matrix) -> Array:
        options = dict(self.kernel_params or {})
        if not callable(self.affinity):
            options |= {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        return np.asarray(pairwise_kernels(X, metric=self.affinity, filter_params=True, **options), dtype=np.float64)

    def _assign(self, X: Matrix) -> Array:
        if not self.pairwise:
            return label_of_nearest(X, self.rows_, self.labels_, "euclidean", "SpectralClustering")
        given = X.toarray() if hasattr(X, "toarray") else X
        weight = given if self.affinity == "precomputed" else -np.where(given > 0, given, np.inf)
        return labels_of_known(X, self.rows_, self.labels_, self.labels_[np.argmax(weight, axis=1)])


@checked(n_clusters=limits(at_least=1), n_init=limits(at_least=1))
def spectral_clustering(
    affinity: Rows,
    *,
    n_clusters: int = 8,
    n_components: int | None = None,
    eigen_solver: Literal["arpack", "lobpcg", "amg"] | None = None,
    random_state: RandomState = None,
    n_init: int = 10,
    eigen_tol: float | Literal["auto"] = "auto",
    assign_labels: Assignment = "kmeans",
    verbose: bool = False,
) -> Array:
    """Spectral clustering of a graph given by its affinity matrix: the cluster of each row.

    minimise over Y with Y'DY = 1    trace Y'LY,    L = D - W;  clusters by the rows of Y

    >>> spectral_clustering([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], n_clusters=2, random_state=0)
    array([0, 0, 1, 1])
    """
    model = SpectralClustering(
        n_clusters,
        affinity="precomputed",
        n_components=n_components,
        eigen_solver=eigen_solver,
        random_state=random_state,
        n_init=n_init,
        eigen_tol=eigen_tol,
        assign_labels=assign_labels,
        verbose=verbose,
    )
    return model.fit(affinity).labels_
