"""Laplacian eigenmaps."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    RandomState,
    Trace,
    Traits,
    estimator,
    learned,
    param,
    seed_of,
)
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.validate.features import FeatureValidator
from ..engines.graph.spectral import TOLERANCE, smallest_eigenpairs
from ..metrics.kernel_functions import rbf_kernel
from ..neighbors import NearestNeighbors
from ._embedding_base import Embedding, own_coordinates

MIN_EIGENVALUE = 1e-3  # eigenvalues of the random walk below this say nothing of new rows
AFFINITIES = ("nearest_neighbors", "rbf", "precomputed", "precomputed_nearest_neighbors")
EigenSolver = Literal["arpack", "lobpcg", "amg"] | None


def is_affinity(value: Any) -> bool:
    """Whether it names an affinity, or is a function of the rows."""
    return callable(value) or (isinstance(value, str) and value in AFFINITIES)


@estimator
class SpectralEmbedding(Embedding):
    """Laplacian eigenmaps (spectral embedding): neighbours of a similarity graph stay near each other.

    minimise over Y with Y'DY = I, Y'D1 = 0    sum_ij w_ij |y_i - y_j|^2 / 2 = trace Y'LY,    L = D - W

    The solution is the generalised eigenvectors L u = l D u with the smallest eigenvalues but the first, which is
    constant. A new row is placed by Nystroem's formula, y = sum_j w(x, x_j) y_j / ((1 - l) sum_j w(x, x_j)).
    [Belkin and Niyogi, 2003]

    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> side = np.sign(SpectralEmbedding(1, affinity="rbf", gamma=0.1).fit(X).embedding_).ravel()
    >>> (side * side[0]).tolist()
    [1.0, 1.0, 1.0, -1.0, -1.0, -1.0]
    """

    n_components: int = param(2, "number of dimensions", at_least=1, kw_only=False, tune=(2, 3, 5))
    affinity: Any = param(
        "nearest_neighbors", "affinity: weights of the edges", accepts=is_affinity,
        says="nearest_neighbors, rbf, precomputed, precomputed_nearest_neighbors, or a function of the rows",
    )  # fmt: skip
    gamma: float | None = param(None, "kernel coefficient of rbf; None: 1 / n_features", at_least=0)
    random_state: RandomState = param(None, "seed of the eigensolver")
    eigen_solver: EigenSolver = param(None, "accepted for compatibility")
    eigen_tol: float | Literal["auto"] = param("auto", "tolerance of the residual of the eigenvectors", at_least=0)
    n_neighbors: int | None = param(None, "number of neighbours, the row included; None: n / 10", at_least=1)
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")

    affinity_matrix_: Any = learned("weights of the training rows", shape="rows rows", matrix=True)
    eigenvalues_: Array = learned("eigenvalues of L u = l D u, that of the constant left out", shape="components")
    n_neighbors_: int | None = learned("number of neighbours")
    gamma_: float | None = learned("kernel coefficient")
    X_fit_: Any = learned("training rows, or the given graph", shape="rows features", matrix=True)

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    title = "Laplacian eigenmaps"
    reference = "Belkin and Niyogi, Laplacian eigenmaps for dimensionality reduction and data representation, 2003"

    @property
    def pairwise(self) -> bool:
        """Whether X holds weights or distances between rows."""
        return isinstance(self.affinity, str) and self.affinity.startswith("precomputed")

    def _fit(self, data: Data, trace: Trace) -> None:
        self.X_fit_ = data.X
        if self.pairwise and data.n != data.p:
            raise DataError(f"SpectralEmbedding: a square matrix of the rows is needed; X has the shape {data.X.shape}")
        self.n_neighbors_, self.gamma_ = self.n_neighbors or max(data.n // 10, 1), self.gamma
        if self.gamma is None:
            self.gamma_ = 1.0 / data.p
        self.n_neighbors_ = min(self.n_neighbors_, data.n)
        W = self.affinity_matrix_ = self._weights(data.X)
        allowed = TOLERANCE if self.eigen_tol == "auto" or self.eigen_tol < TOLERANCE else float(self.eigen_tol)
        count = min(self.n_components + 1, data.n)
        found = smallest_eigenpairs(W, count, seed_of(self.random_state), allowed)
        self.eigenvalues_ = found.values[1:]
        self.embedding_ = found.vectors[:, 1:].astype(data.X.dtype)
        trace.record(float(found.values.sum()))
        trace.stopped = "exact"
        trace.certify("residual", found.residual, max(allowed, 1e-10), "norm of D^-1/2 (L u - l D u) of each vector")

    def _search(self) -> NearestNeighbors:
        metric = "precomputed" if self.pairwise else "minkowski"
        return NearestNeighbors(n_neighbors=self.n_neighbors_ or 1, metric=metric).fit(self.X_fit_)

    def _weights(self, X: Matrix) -> Matrix:
        if callable(self.affinity):
            return np.asarray(self.affinity(X), dtype=np.float64)
        if self.affinity == "precomputed":
            return X
        if self.affinity == "rbf":
            return np.asarray(rbf_kernel(X, gamma=self.gamma_), dtype=np.float64)
        near = self._search().kneighbors_graph(X)
        return (near + near.T) * 0.5

    def _place(self, X: Matrix) -> Array:
        weight = self._weights_of_new(X)
        total = np.asarray(weight.sum(axis=1)).ravel()
        if (total <= 0).any():
            row = int(np.argmax(total <= 0))
            raise DataError(f"SpectralEmbedding: row {row} of X has no edge to a training row; choose a wider affinity")
        placed: Array = np.asarray(weight @ self.embedding_.astype(np.float64)) / total[:, None]
        placed /= np.maximum(1.0 - self.eigenvalues_, MIN_EIGENVALUE)
        if self.pairwise:
            return placed
        distance, row = NearestNeighbors(n_neighbors=1).fit(self.X_fit_).kneighbors(X)
        return own_coordinates(placed, distance[:, 0], row[:, 0], self.embedding_)

    def _weights_of_new(self, X: Matrix) -> Matrix:
        """Weights of the edges of new rows to the training rows."""
        if callable(self.affinity):
            raise DataError(
                "SpectralEmbedding: an affinity that is a function of the training rows has no weights for new rows; "
                "use a named affinity or precomputed weights"
            )
        if self.affinity == "precomputed":
            return X
        if self.affinity == "rbf":
            return np.asarray(rbf_kernel(X, self.X_fit_, gamma=self.gamma_), dtype=np.float64)
        return self._search().kneighbors_graph(X)

    def _training_rows(self) -> Matrix:
        return self.X_fit_

    def _compared_rows(self) -> tuple[Matrix, Array, str]:
        if self.affinity == "precomputed":
            W = self.affinity_matrix_
            return -np.asarray(W.toarray() if hasattr(W, "toarray") else W), self.embedding_, "precomputed"
        return super()._compared_rows()


@checked(n_components=limits(at_least=1))
def spectral_embedding(
    adjacency: Rows,
    *,
    n_components: int = 8,
    eigen_solver: EigenSolver = None,
    random_state: RandomState = None,
    eigen_tol: float | Literal["auto"] = "auto",
    norm_laplacian: bool = True,
    drop_first: bool = True,
) -> Array:
    """Coordinates of the nodes of a graph: eigenvectors of its Laplacian with the smallest eigenvalues.

    L u = l D u with u'Du = 1, or L u = l u with u'u = 1 if not `norm_laplacian`;  L = D - W

    `drop_first` leaves out the constant vector of a connected graph. [Belkin and Niyogi, 2003]

    >>> path = [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    >>> np.abs(spectral_embedding(path, n_components=1)).round(3).tolist()
    [[0.707], [0.0], [0.707]]
    """
    W, _ = FeatureValidator("spectral_embedding", sparse=True, storage="csr").matrix(adjacency)
    if W.shape[0] != W.shape[1]:
        raise DataError(f"spectral_embedding: adjacency must be square; its shape is {W.shape}")
    tolerance = TOLERANCE if eigen_tol == "auto" or eigen_tol < TOLERANCE else float(eigen_tol)
    count = min(n_components + drop_first, W.shape[0])
    kind: Literal["random walk", "plain"] = "random walk" if norm_laplacian else "plain"
    vectors = smallest_eigenpairs(W, count, seed_of(random_state), tolerance, kind).vectors
    return np.asarray(vectors[:, int(drop_first) :])
