"""Locally linear embedding and its relatives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..core.declare.checked_functions import Rows, checked
from ..core.scaling import unit_of
from ..engines.algebra.shift_invert import smallest_but_constant
from ..neighbors import NearestNeighbors
from . import _local_geometry
from ._embedding_base import Embedding, own_coordinates

Method = Literal["standard", "hessian", "modified", "ltsa"]
Solver = Literal["auto", "arpack", "dense"]
Search = Literal["auto", "brute", "kd_tree", "ball_tree"]


@estimator
class LocallyLinearEmbedding(Embedding):
    """Locally linear embedding (LLE), standard, modified and Hessian, and local tangent space alignment (LTSA).

    minimise over Y with Y'Y = I, Y'1 = 0    trace Y'MY

    standard: M = (I - W)'(I - W), where row i of W rebuilds x_i from its neighbours: |x_i - sum_j w_ij x_j|^2 is least.
    modified: several such vectors for each row, more stable. hessian: M measures the curvature of y on tangent
    coordinates; ltsa: what of y on a set of neighbours is not affine in them; both recover a flat surface without
    distortion. Y are the eigenvectors of M with the smallest eigenvalues. A new row is placed at sum_j w_j y_j by its
    own weights. [Roweis and Saul, 2000; Zhang and Wang, 2006; Donoho and Grimes, 2003; Zhang and Zha, 2004]

    >>> arc = np.linspace(0, 3, 30)
    >>> X = np.column_stack([np.cos(arc), np.sin(arc)])
    >>> Y = LocallyLinearEmbedding(n_neighbors=4, n_components=1).fit_transform(X)
    >>> bool(abs(np.corrcoef(Y.ravel(), arc)[0, 1]) > 0.98)
    True
    """

    n_neighbors: int = param(5, "number of neighbours of each row, or all others if there are fewer", at_least=1)
    n_components: int = param(2, "number of dimensions", at_least=1, tune=(2, 3, 5))
    reg: float = param(1e-3, "regularisation of the weights, beside the trace of the local Gram matrix", at_least=0)
    eigen_solver: Solver = param("auto", "accepted as in scikit-learn")
    tol: float = param(1e-6, "accepted as in scikit-learn: the certificate states the residual", at_least=0)
    max_iter: int = param(100, "accepted as in scikit-learn", at_least=1)
    method: Method = param("standard", "matrix M", tune=("standard", "modified", "ltsa"))
    hessian_tol: float = param(1e-4, "accepted as in scikit-learn", at_least=0)
    modified_tol: float = param(1e-12, "length from which directions of modified are reflected", at_least=0)
    neighbors_algorithm: Search = param("auto", "search algorithm: all exact")
    random_state: RandomState = param(None, "seed of the eigensolver")
    n_jobs: int | None = param(None, "accepted as in scikit-learn; learnable.threads says how many threads work")

    reconstruction_error_: float = learned("trace Y'MY")
    eigenvalues_: Array = learned("smallest eigenvalues of M, that of the constant left out", shape="components")
    nbrs_: Any = learned("fitted search for neighbours")

    traits = Traits(stochastic=True)
    title = "locally linear embedding"
    reference = "Roweis and Saul, Nonlinear dimensionality reduction by locally linear embedding, 2000"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._check_sizes(data.n, data.p)
        k = max(min(self.n_neighbors, data.n - 1), 1)
        self.nbrs_ = NearestNeighbors(n_neighbors=k, algorithm=self.neighbors_algorithm).fit(data.X)
        M = self._matrix(data.X)
        count = min(self.n_components, data.n - 1)
        found = smallest_but_constant(M, count, generator(seed_of(self.random_state), 0))
        embedding = np.zeros((data.n, self.n_components))
        embedding[:, :count] = found.vectors
        self.eigenvalues_, self.embedding_ = found.values, embedding.astype(data.X.dtype)
        self.reconstruction_error_ = float(found.values.sum())
        trace.record(self.reconstruction_error_)
        trace.stopped = "exact"
        trace.certify("residual", found.residual, 1e-8, "|M v - l v| of each eigenvector beside the mean diagonal of M")

    def _check_sizes(self, rows: int, columns: int) -> None:
        d, k = self.n_components, min(self.n_neighbors, rows - 1)
        if d > columns:
            raise ParameterError(
                f"LocallyLinearEmbedding: n_components={d} is above the number of columns, {columns}: output dimension "
                "must be less than or equal to input dimension"
            )
        least = {"standard": 1, "modified": d, "ltsa": d + 1, "hessian": d * (d + 3) // 2 + 1}[self.method]
        if k < least and rows > 1:
            raise ParameterError(
                f"LocallyLinearEmbedding: method={self.method!r} with n_components={d} needs n_neighbors >= {least}; "
                f"there are {k} (n_samples = {rows})"
            )

    def _matrix(self, X: Array) -> Any:
        from scipy.sparse import csr_array

        if len(X) == 1:
            return csr_array((1, 1))
        near = self.nbrs_._nearest(None, self.nbrs_.n_neighbors)[1]
        rows = np.asarray(X, dtype=np.float64) * unit_of(X)
        if self.method == "hessian":
            return _local_geometry.hessian(rows, near, self.n_components)
        if self.method == "ltsa":
            return _local_geometry.tangent_alignment(rows, near, self.n_components)
        with _explained_singularity():
            if self.method == "modified":
                return _local_geometry.modified(rows, near, self.n_components, self.reg, self.modified_tol)
            return _local_geometry.standard(rows, near, self.reg)

    def _place(self, X: Matrix) -> Array:
        distances, near = self.nbrs_._nearest(X, self.nbrs_.n_neighbors)
        unit = unit_of(self.nbrs_.rows_)
        rows, fitted = (np.asarray(part, dtype=np.float64) * unit for part in (X, self.nbrs_.rows_))
        with _explained_singularity():
            weights = _local_geometry.barycenter_weights(rows, near, fitted, self.reg)
        fixed = self.embedding_.astype(np.float64)
        placed = np.einsum("ij,ijc->ic", weights, fixed[near])
        return own_coordinates(placed, distances[:, 0], near[:, 0], fixed)

    def _training_rows(self) -> Matrix:
        return self.nbrs_.rows_


@contextmanager
def _explained_singularity() -> Iterator[None]:
    """A singular Gram matrix as an error that names the remedy."""
    try:
        yield
    except np.linalg.LinAlgError:
        raise DataError(
            "LocallyLinearEmbedding: the Gram matrix of a set of neighbours is singular; raise reg, 1e-3 for instance"
        ) from None


@checked()
def locally_linear_embedding(
    X: Rows,
    *,
    n_neighbors: int,
    n_components: int,
    reg: float = 1e-3,
    eigen_solver: Solver = "auto",
    tol: float = 1e-6,
    max_iter: int = 100,
    method: Method = "standard",
    hessian_tol: float = 1e-4,
    modified_tol: float = 1e-12,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> tuple[Array, float]:
    """Locally linear embedding of the rows of `X`: coordinates, and the reconstruction error trace Y'MY.

    minimise over Y with Y'Y = I, Y'1 = 0    trace Y'MY

    As {obj}`.LocallyLinearEmbedding`. [Roweis and Saul, 2000]

    >>> line = np.linspace(0, 1, 10)[:, None] * [1.0, 2.0]
    >>> Y, error = locally_linear_embedding(line, n_neighbors=3, n_components=1)
    >>> Y.shape, error < 1e-3
    ((10, 1), True)
    """
    model = LocallyLinearEmbedding(
        n_neighbors=n_neighbors,
        n_components=n_components,
        reg=reg,
        method=method,
        modified_tol=modified_tol,
        random_state=random_state,
    ).fit(X)
    return model.embedding_, model.reconstruction_error_
