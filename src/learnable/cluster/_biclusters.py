"""Base class of biclustering by singular vectors, and the normalisations of the table."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    declaring,
    learned,
    param,
    seed_of,
)
from ..core.roles.unsupervised import Unsupervised
from ..core.runtime.context import give_way
from ..core.scaling import unit_of
from ..decomposition import randomized_svd
from ..decomposition.svd_functions import SVD
from ..engines import matrix_products
from .kmeans import KMeans
from .mini_batch_kmeans import MiniBatchKMeans

OVERSAMPLES = 10  # random directions besides the requested vectors
RESIDUAL = 1e-8  # of the singular vectors, relative to the largest singular value
SCALINGS, STEADY = 1000, 1e-5  # most rounds of scaling rows and columns in turn, and the change that ends them


@declaring
class Biclusterer(Unsupervised):
    """Base class of estimators that find biclusters: sets of rows with sets of columns. It writes `_find`.

    `rows_` and `columns_` say for each bicluster which rows and columns it has.
    """

    svd_method: Literal["randomized", "arpack"] = param(
        "randomized", "accepted for compatibility; singular vectors are found to the same precision"
    )
    n_svd_vecs: int | None = param(
        None, "number of additional directions of the singular value decomposition; None: 10", at_least=0
    )
    mini_batch: bool = param(False, "whether labels come from mini-batch k-means, faster and less accurate")
    init: Any = param(
        "k-means++", "initialisation of k-means: k-means++, random or initial centroids",
        accepts=lambda value: value in ("k-means++", "random") if isinstance(value, str) else hasattr(value, "shape"),
        says="k-means++, random or an array of centroids",
    )  # fmt: skip
    n_init: int = param(10, "number of initialisations of k-means, of which the best result is kept", at_least=1)
    random_state: RandomState = param(None, "seed of the singular vectors and of k-means")

    rows_: Array = learned("which rows each bicluster has", shape="biclusters rows")
    columns_: Array = learned("which columns each bicluster has", shape="biclusters features")
    row_labels_: Array = learned("cluster of each row", shape="rows", least=0)
    column_labels_: Array = learned("cluster of each column", shape="features", least=0)

    traits = Traits(sparse=True, storage="csr", task="biclustering", stochastic=True, parametric=False)

    @property
    def biclusters_(self) -> tuple[Array, Array]:
        """`rows_` and `columns_`."""
        self._require_fit()
        return self.rows_, self.columns_

    def get_indices(self, i: int) -> tuple[Array, Array]:
        """The indices of the rows and of the columns of bicluster `i`."""
        self._require_fit()
        count = len(self.rows_)
        if isinstance(i, bool) or not isinstance(i, (int, np.integer)) or not -count <= i < count:
            raise ParameterError(f"{type(self).__name__}: i must be the index of one of {count} biclusters; got {i!r}")
        return np.flatnonzero(self.rows_[i]), np.flatnonzero(self.columns_[i])

    def get_shape(self, i: int) -> tuple[int, int]:
        """The number of rows and of columns of bicluster `i`."""
        rows, columns = self.get_indices(i)
        return len(rows), len(columns)

    def get_submatrix(self, i: int, data: Any) -> Any:
        """The rows and columns of bicluster `i` in a table of the shape of the fit."""
        matrix = self._read(data)
        rows, columns = self.get_indices(i)
        if matrix.shape[0] != self.rows_.shape[1]:
            raise DataError(
                f"{type(self).__name__}: data has {matrix.shape[0]} rows; the fit had {self.rows_.shape[1]}"
            )
        return matrix[rows][:, columns]

    def _fit(self, data: Data, trace: Trace) -> None:
        X = data.X * unit_of(data.X)
        found = self._find(X, trace)
        trace.record(float(found))
        trace.stopped = "converged"
        trace.certify("residual", found, RESIDUAL, "norm of A v - s u and A'u - s v of the singular vectors")

    @abstractmethod
    def _find(self, X: Matrix, trace: Trace) -> float:
        """Find the biclusters, and return the residual of the singular vectors."""

    def _singular_vectors(self, A: Matrix, count: int) -> tuple[SVD, float]:
        """The first singular vectors, and their largest residual relative to the largest singular value."""
        extra = OVERSAMPLES if self.n_svd_vecs is None else self.n_svd_vecs
        found = randomized_svd(A, min(count, *A.shape), n_oversamples=extra, random_state=seed_of(self.random_state))
        off = np.hstack([(A @ found.Vt.T - found.U * found.s).T, (A.T @ found.U - found.Vt.T * found.s).T])
        largest = float(found.s.max(initial=0.0))
        return found, float(np.linalg.norm(off, axis=1).max() / largest) if largest > 0 else 0.0

    def _k_means(self, points: Array, count: int) -> Any:
        """k-means of the points, fitted."""
        method = MiniBatchKMeans if self.mini_batch else KMeans
        model = method(count, init=self.init, n_init=self.n_init, random_state=seed_of(self.random_state))
        return model.fit(points)


def nonnegative(X: Matrix, least: float = 0.0) -> Matrix:
    """The table plus a constant, so that no entry is below `least`."""
    smallest = float(X.min())
    if smallest >= least:
        return X
    if matrix_products.is_sparse(X):
        raise DataError(
            f"X has negative entries, the smallest of which is {smallest:.6g}: adding a constant would make the sparse "
            "matrix dense; pass a dense table"
        )
    return X + (least - smallest)


def scaled(X: Matrix) -> tuple[Matrix, Array, Array]:
    """R^-1/2 X C^-1/2 with the sums R of rows and C of columns, and both factors; zero where a sum is zero."""
    X = nonnegative(X)
    factors = [np.asarray(X.sum(axis=axis), dtype=np.float64).ravel() for axis in (1, 0)]
    rows, columns = (np.where(sums > 0, 1 / np.sqrt(np.where(sums > 0, sums, 1.0)), 0.0) for sums in factors)
    if matrix_products.is_sparse(X):
        from scipy.sparse import diags_array

        return (diags_array(rows) @ X @ diags_array(columns)).tocsr(), rows, columns
    return rows[:, None] * X * columns, rows, columns


def bistochastic(X: Matrix) -> Matrix:
    """The table with rows and columns scaled until all rows have one sum and all columns another."""
    A = nonnegative(X)
    for _ in range(SCALINGS):
        give_way()
        before, (A, _, _) = A, scaled(A)
        change = A - before
        if np.linalg.norm(change.data if matrix_products.is_sparse(change) else change) < STEADY:
            break
    return A


def log_interactions(X: Matrix) -> Array:
    """The logarithm of the table less the means of its rows and columns: what is left are interactions."""
    if matrix_products.is_sparse(X):
        raise DataError("method='log' takes the logarithm of every entry, and most are zero in a sparse matrix; use "
                        "method='bistochastic' or 'scale', or pass a dense table")  # fmt: skip
    logs = np.log(nonnegative(X, least=1.0))
    return np.asarray(logs - logs.mean(axis=1)[:, None] - logs.mean(axis=0) + logs.mean())
