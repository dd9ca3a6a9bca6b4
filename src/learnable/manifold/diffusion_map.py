"""Diffusion maps."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, RandomState, Trace, estimator, generator, learned, param, seed_of
from ..engines.algebra.eigen import leading_eigenpairs
from ..metrics.distances import pairwise_distances
from ._embedding_base import Embedding


@estimator
class DiffusionMap(Embedding):
    """Diffusion map: coordinates in which Euclidean distance is the diffusion distance of a random walk on the rows.

    y_i = (lambda_1^t phi_1(i), ..., lambda_d^t phi_d(i)),    M phi = lambda phi,    M = D^-1 K_alpha

    K_alpha = K / (q q')^alpha takes the density q = K1 out: alpha 0 is the graph Laplacian, 1/2 Fokker-Planck, 1 the
    geometry of the manifold alone. With all components |y_i - y_j|^2 = sum_k (P^t_ik - P^t_jk)^2 / pi_k. A new row is
    placed by Nystroem's formula, phi(x) = sum_j M(x, x_j) phi(j) / lambda. [Coifman and Lafon, 2006]

    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> DiffusionMap(n_components=1, gamma=0.2).fit(X).embedding_.ravel().round(1).tolist()
    [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]
    """

    n_components: int = param(2, "number of dimensions", at_least=1, kw_only=False, tune=(2, 3, 5))
    t: float = param(1.0, "diffusion time: number of steps of the random walk", at_least=0)
    alpha: float = param(0.0, "power of the density that is divided out", at_least=0, at_most=1, tune=(0.0, 0.5, 1.0))
    affinity: Literal["rbf", "precomputed"] = param("rbf", "kernel of the rows, or a precomputed kernel matrix")
    gamma: float | None = param(
        None, "kernel coefficient: exp(-gamma d^2); None: 1 over the median of d^2 to the 10th neighbour", above=0
    )
    random_state: RandomState = param(0, "seed of the eigensolver")

    eigenvalues_: Array = learned("eigenvalues lambda, that of the constant left out", shape="components")
    eigenvectors_: Array = learned("eigenvectors phi, with sum of pi phi^2 = 1", shape="rows components")
    stationary_: Array = learned("stationary distribution pi of the random walk", shape="rows")
    density_: Array = learned("row sums q of the kernel", shape="rows")
    gamma_: float | None = learned("kernel coefficient")
    X_fit_: Array = learned("training rows, or their kernel matrix", shape="rows features")

    title = "diffusion map"
    reference = "Coifman and Lafon, Diffusion maps, 2006"

    @property
    def pairwise(self) -> bool:
        """Whether X is a kernel matrix."""
        return self.affinity == "precomputed"

    def _fit(self, data: Data, trace: Trace) -> None:
        self.X_fit_, self.gamma_ = data.X, self.gamma
        K = self._kernel_of_training()
        self.density_ = K.sum(axis=1)
        if not (self.density_ > 0).all() or K.min() < 0:
            raise DataError("DiffusionMap: a kernel matrix must not have negative entries or rows of zeros")
        K /= np.outer(self.density_, self.density_) ** self.alpha
        degree = K.sum(axis=1)
        self.stationary_ = degree / degree.sum()
        root = np.sqrt(degree)
        K /= root
        K /= root[:, None]
        count = min(self.n_components + 1, data.n)
        found = leading_eigenpairs(K, count, generator(seed_of(self.random_state), 0), 1e-10)
        self.eigenvalues_ = np.clip(found.values[1:], 0.0, 1.0)
        self.eigenvectors_ = found.vectors[:, 1:] / np.sqrt(self.stationary_)[:, None]
        self.embedding_ = (self.eigenvectors_ * self.eigenvalues_**self.t).astype(data.X.dtype)
        trace.record(-float(self.eigenvalues_.sum()))
        trace.stopped = "exact"
        trace.certify("residual", found.residual, 1e-9, "norm of M phi - lambda phi of each vector, beside |M| = 1")

    def _kernel_of_training(self) -> Array:
        if self.affinity == "precomputed":
            K = np.array(self.X_fit_, dtype=np.float64)
            if K.shape[0] != K.shape[1] or np.abs(K - K.T).max() > 1e-8 * np.abs(K).max():
                raise DataError(
                    f"DiffusionMap: a kernel matrix must be square and symmetric; X has the shape {K.shape}"
                )
            return (K + K.T) / 2
        squares = self._squares(self.X_fit_)
        if self.gamma is None:
            k = min(10, len(squares) - 1)
            reach = float(np.median(np.partition(squares, k, axis=1)[:, k])) or float(squares.mean())
            self.gamma_ = 1.0 / reach if reach > 0 else 1.0
        return np.asarray(np.exp(-float(self.gamma_ or 0.0) * squares))

    def _squares(self, X: Matrix) -> Array:
        return np.asarray(pairwise_distances(X, self.X_fit_), dtype=np.float64) ** 2

    def _place(self, X: Matrix) -> Array:
        new = np.asarray(X, dtype=np.float64)
        K = new if self.pairwise else np.exp(-float(self.gamma_ or 0.0) * self._squares(X))
        total = K.sum(axis=1)
        if (total <= 0).any():
            row = int(np.argmax(total <= 0))
            raise DataError(
                f"DiffusionMap: row {row} of X is too far from all training rows for the kernel; lower gamma"
            )
        M = K / self.density_**self.alpha
        M /= M.sum(axis=1, keepdims=True)
        factor = np.where(self.eigenvalues_ > 1e-12, np.maximum(self.eigenvalues_, 1e-12) ** (self.t - 1), 0.0)
        return np.asarray(M @ self.eigenvectors_ * factor)

    def _training_rows(self) -> Matrix:
        return -self.X_fit_ if self.pairwise else self.X_fit_
