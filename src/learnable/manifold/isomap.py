"""Isomap: multidimensional scaling of geodesic distances."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    Trace,
    Traits,
    estimator,
    generator,
    learned,
    param,
)
from ..decomposition import KernelPCA
from ..neighbors import NearestNeighbors
from ..neighbors._metrics import SAYS, is_metric
from ._embedding_base import Embedding
from ._neighbour_graph import Disconnected, neighbour_graph


@estimator
class Isomap(Embedding):
    """Isomap: classical multidimensional scaling of the shortest paths in the neighbour graph.

    Y = the leading coordinates of -1/2 H (G o G) H,    g_ij = length of the shortest path from row i to row j

    Paths along neighbours approximate distances along the manifold, which Isomap flattens if it is the image of a
    convex region. With `n_landmarks` only the paths from some rows, spread out, are needed: n n_landmarks in place of
    n^2. A new row is linked to its neighbours among the training rows; then it is embedded by the formula of kernel
    PCA, which is Nystroem's. [Tenenbaum, de Silva and Langford, 2000; de Silva and Tenenbaum, 2003]

    >>> corner = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.1]]
    >>> np.abs(np.diff(Isomap(n_neighbors=1, n_components=1).fit(corner).embedding_.ravel())).round(1).tolist()
    [3.0, 3.0, 3.0]
    """

    n_neighbors: int | None = param(
        5, "number of neighbours of each row, or all others if there are fewer; None with radius", at_least=1
    )
    radius: float | None = param(
        None, "distance up to which rows are neighbours, in place of n_neighbors", above=0, infinite=True
    )
    n_components: int = param(2, "number of dimensions", at_least=1, tune=(2, 3, 5))
    eigen_solver: Literal["auto", "arpack", "dense"] = param("auto", "solver of the eigenvalue problem")
    tol: float = param(0, "tolerance of the iterative eigensolver", at_least=0)
    max_iter: int | None = param(None, "accepted for compatibility", at_least=1)
    path_method: Literal["auto", "FW", "D"] = param("auto", "accepted for compatibility; Dijkstra's algorithm is used")
    neighbors_algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = param("auto", "search algorithm: all exact")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    metric: Any = param("minkowski", "distance metric, or precomputed", accepts=is_metric, says=SAYS)
    p: float = param(2, "power of the Minkowski metric", at_least=1)
    metric_params: dict[str, Any] | None = param(None, "options of the metric")
    n_landmarks: int | None = param(None, "number of rows from which paths are computed; None: all", at_least=2)
    disconnected: Disconnected = param("join", "what to do if the graph has several components: join them, or an error")

    nbrs_: Any = learned("fitted search for neighbours")
    kernel_pca_: Any = learned("fitted kernel PCA of the geodesic distances")
    dist_matrix_: Array = learned("geodesic distances from the landmarks, or from all rows", shape="landmarks rows")
    landmarks_: Array = learned("rows from which paths are computed", shape="landmarks", index="rows")

    traits = Traits(compares_by="metric", sparse=True, storage="csr")
    title = "Isomap"
    reference = "Tenenbaum, de Silva and Langford, A global geometric framework for dimensionality reduction, 2000"

    def _fit(self, data: Data, trace: Trace) -> None:
        if (self.n_neighbors is None) == (self.radius is None):
            raise ParameterError(
                f"Isomap: both n_neighbors={self.n_neighbors} and radius={self.radius} are provided, or none: give one "
                "of them and None for the other"
            )
        self.nbrs_ = NearestNeighbors(
            n_neighbors=max(min(self.n_neighbors or 1, data.n - 1), 1),
            radius=self.radius or 1.0,
            algorithm=self.neighbors_algorithm,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
        ).fit(data.X)
        graph = neighbour_graph(self.nbrs_, self.radius is not None, self.disconnected, "Isomap")
        self.landmarks_ = np.arange(data.n)
        if self.n_landmarks is not None and self.n_landmarks < data.n:
            self.landmarks_ = np.sort(generator(0).permutation(data.n)[: self.n_landmarks])
        self.dist_matrix_ = graph.shortest_paths(self.landmarks_)
        self._embed(data, trace)

    def _embed(self, data: Data, trace: Trace) -> None:
        solver = "auto" if self.eigen_solver == "arpack" else self.eigen_solver
        self.kernel_pca_ = KernelPCA(
            n_components=self.n_components, kernel="precomputed", eigen_solver=solver, tol=self.tol, random_state=0
        )
        kernel = self.dist_matrix_**2
        kernel *= -0.5
        if len(self.landmarks_) == data.n:
            self.kernel_pca_.fit(kernel)
            roots = np.sqrt(self.kernel_pca_.eigenvalues_)
            self.embedding_ = (self.kernel_pca_.eigenvectors_ * roots).astype(data.X.dtype)
        else:
            self.kernel_pca_.fit(kernel[:, self.landmarks_])
            self.embedding_ = self.kernel_pca_.transform(kernel.T).astype(data.X.dtype)
        trace.adopt(self.kernel_pca_, "the leading eigenvectors of the geodesic distances")

    def _place(self, X: Matrix) -> Array:
        return np.asarray(self.kernel_pca_.transform(-0.5 * self._geodesics(X) ** 2))

    def _geodesics(self, X: Matrix) -> Array:
        """Lengths of the shortest paths of new rows to the landmarks, by way of their neighbours."""
        if self.radius is None:
            geodesic = np.full((X.shape[0], len(self.landmarks_)), np.inf)
            distances, rows = self.nbrs_._nearest(X, self.nbrs_.n_neighbors)
            for distance, row in zip(distances.T, rows.T, strict=True):
                np.minimum(geodesic, self.dist_matrix_[:, row].T + distance[:, None], out=geodesic)
            return geodesic
        distances, rows, start = self.nbrs_._within(X, self.radius)
        alone = np.flatnonzero(np.diff(start) == 0)
        if alone.size:
            raise DataError(
                f"Isomap: row {alone[0]} of X has no training row within radius={self.radius:g}; fit with a larger one"
            )
        paths = self.dist_matrix_[:, rows] + distances
        return np.asarray(np.minimum.reduceat(paths, start[:-1], axis=1).T)

    def reconstruction_error(self) -> float:
        """|K(G) - K(Y)|_F / n for the centred inner products K behind geodesic distances and the map."""
        self._require_fit()
        kernel = -0.5 * self.dist_matrix_[:, self.landmarks_] ** 2
        centred = kernel - kernel.mean(axis=0) - kernel.mean(axis=1)[:, None] + kernel.mean()
        rest = np.sum(centred**2) - np.sum(self.kernel_pca_.eigenvalues_**2)
        return float(np.sqrt(max(rest, 0.0)) / len(kernel))

    def residual_variance(self) -> float:
        """1 - R^2 of the geodesic distances and the distances in the map."""
        self._require_fit()
        here = np.sqrt(((self.embedding_[self.landmarks_, None] - self.embedding_[None]) ** 2).sum(axis=2))
        related = np.corrcoef(self.dist_matrix_.ravel(), here.ravel())[0, 1]
        return float(1 - related**2)

    def _training_rows(self) -> Matrix:
        return self.nbrs_.rows_
