"""Kernel principal component analysis."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Invertible,
    Matrix,
    NotFittedError,
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
from ..core.errors import compatible
from ..core.runtime.native import kernels
from ..core.validate.sparse_input import as_dense
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.algebra.singular_vectors import CentredRows, sketched_spectrum, turned
from ..engines.kernel_machines.kernel_estimator import KernelEstimator
from ..engines.kernel_machines.kernel_matrix import ComparesObjects, precision_of
from ..parts.kernels import Kernel
from ._projection_base import score_names

NOTHING, NOTHING_NARROW = 1e-12, 2e-7  # relative eigenvalue that is rounding, in double and single precision
PARTIAL_DECOMPOSITION_FROM = 2000  # rows from which few components are computed without the others
FINE = 1e-10  # residual of these components


@estimator
class KernelPCA(KernelEstimator, ComparesObjects, Invertible):
    """Kernel principal component analysis (kernel PCA): PCA in the feature space of a kernel.

    scores of row x on component j:   sum_i u_ij k'(x_i, x) / sqrt(lambda_j),    K' u_j = lambda_j u_j

    K' is the kernel of the centred images; if the kernel is a function, rows may be texts or other objects. With the
    linear kernel the scores are those of `PCA`. The inverse transform is a kernel ridge regression of the rows on their
    scores. Cost n^3, or n^2 per pass for few components of many rows. [Schölkopf, Smola and Müller, 1998]

    >>> X = [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]
    >>> KernelPCA(n_components=2, kernel="rbf", gamma=0.5).fit(X).eigenvalues_.round(3)
    array([0.865, 0.865])
    """

    n_components: int | None = param(
        None,
        "number of components; None: all with non-zero eigenvalues",
        kw_only=False,
        at_least=1,
        tune=(2, 5, 10, 20),
        simpler="smaller",
    )
    gamma: float | None = param(None, "kernel coefficient; None: 1 / n_features", at_least=0)
    alpha: float = param(1.0, "regularisation strength of the ridge regression of the inverse transform", at_least=0)
    fit_inverse_transform: bool = param(False, "whether to learn the inverse transform")
    eigen_solver: Literal["auto", "dense", "arpack", "randomized"] = param("auto", "solver of the eigenvalue problem")
    tol: float = param(0, "tolerance of the iterative eigensolvers", at_least=0)
    max_iter: int | None = param(None, "accepted for compatibility", at_least=1)
    iterated_power: int | Literal["auto"] = param(
        "auto", "minimum number of power iterations of the randomized solver", at_least=0
    )
    remove_zero_eig: bool = param(False, "whether components with zero eigenvalues are dropped")
    random_state: RandomState = param(None, "seed of the random directions")
    copy_X: bool = param(True, "accepted for compatibility; X is kept, never changed")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    eigenvalues_: Array = learned("eigenvalues of the centred kernel matrix", shape="components")
    eigenvectors_: Array = learned(
        "eigenvectors of the centred kernel matrix, one per column", shape="samples components"
    )
    dual_coef_: Array = learned("dual coefficients of the inverse transform", shape="samples features", optional=True)
    X_transformed_fit_: Array = learned("scores of the training rows", shape="samples components", optional=True)
    X_fit_: Any = learned("training rows, or the precomputed kernel matrix", shape="samples features", matrix=True)
    gamma_: float = learned("kernel coefficient")
    roots_: Array = learned("square root of the weight of each training row", shape="samples")
    means_: Array = learned("weighted mean of the kernel of each training row", shape="samples")

    traits = Traits(sparse=True, storage="csr", parametric=False)
    title = "kernel principal component analysis"
    reference = "Schölkopf, Smola and Müller, Nonlinear component analysis as a kernel eigenvalue problem, 1998"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.fit_inverse_transform and self.pairwise:
            raise ParameterError("KernelPCA: Cannot fit_inverse_transform with a precomputed kernel.")
        if self.fit_inverse_transform and data.X.dtype == object:
            raise ParameterError("KernelPCA: fit_inverse_transform needs rows of numbers; the rows are objects")
        self.X_fit_ = data.X
        self.roots_ = np.ones(data.n) if data.weight is None else np.sqrt(data.weight)
        self.gamma_ = 1 / data.p if self.gamma is None else self.gamma
        K = self._gram(self._kernel(data.X), data.X)
        self.means_ = self._fractions() @ K  # of the columns, which differ from the rows where K is not symmetric
        centred = self._centred(K)
        if data.weight is not None:
            centred *= self.roots_[:, None]
            centred *= self.roots_
        values, vectors, residual = self._decomposed(centred)
        dtype = precision_of(data.X)
        nothing = NOTHING if dtype == np.float64 else NOTHING_NARROW
        values = np.where(values > nothing * values.max(initial=0.0), values, 0.0)
        if self.remove_zero_eig or self.n_components is None:
            values, vectors = values[values > 0], vectors[:, values > 0]
        self.eigenvalues_ = values.astype(dtype)
        self.eigenvectors_ = _fix_signs(vectors, self.roots_).astype(dtype)
        if self.fit_inverse_transform:
            self._fit_inverse(data.X, self.roots_**2)
        trace.record(-float(values.sum()))
        trace.stopped = "exact"
        trace.certify(
            "residual", residual, max(self.tol, 1e-9),
            "each component is an exact eigenvector of a kernel matrix with this relative difference",
        )  # fmt: skip

    def _kernel(self, X: Matrix) -> Kernel:
        return self._kernel_with(X, self.gamma_)

    def _fractions(self) -> Array:
        """The weight of each training row in means."""
        return np.asarray(self.roots_**2 / (self.roots_**2).sum())

    def _centred(self, K: Array) -> Array:
        """The kernel of images about the mean of the training images, for rows of K against training rows."""
        fractions = self._fractions()
        centred = np.asarray(K - self.means_)
        centred -= kernels.matvec(K, fractions)[:, None] - fractions @ self.means_
        return centred

    def _decomposed(self, centred: Array) -> tuple[Array, Array, float]:
        """The largest eigenvalues, their vectors, one a column, and the residual of those."""
        n = len(centred)
        count = n if self.n_components is None else min(self.n_components, n)
        few = self.eigen_solver != "dense" and count < n / 10 and n > PARTIAL_DECOMPOSITION_FROM
        if not few:
            values, vectors = interruptibly(np.linalg.eigh, centred)
            return values[::-1][:count], vectors[:, ::-1][:, :count], 0.0
        passes = self.iterated_power if self.iterated_power != "auto" else 0
        draws = generator(seed_of(self.random_state))
        rows = CentredRows.of(centred, None, centre=False)
        found = sketched_spectrum(rows, count, 10, passes, draws, max(self.tol, FINE))
        return found.values / rows.unit, found.vectors.T, found.residual

    def _fit_inverse(self, X: Matrix, weight: Array) -> None:
        """Kernel ridge regression of the rows on their scores."""
        scores = self._transform(X)
        X = as_dense(X)
        K = self._kernel_of_scores(scores, scores)
        kept = weight > 0
        system = K[np.ix_(kept, kept)] + np.diag(self.alpha / weight[kept])
        self.dual_coef_ = np.zeros(X.shape)
        self.dual_coef_[kept] = _solved(system, X[kept].astype(np.float64))
        self.dual_coef_ = self.dual_coef_.astype(X.dtype)
        self.X_transformed_fit_ = scores

    def _kernel_of_scores(self, one: Array, other: Array) -> Array:
        return np.asarray(self._kernel(self.X_fit_)(one, other), dtype=np.float64)

    def _transform(self, X: Matrix) -> Array:
        values = self.eigenvalues_.astype(np.float64)
        if not len(values):
            return np.zeros((X.shape[0], 0), dtype=precision_of(X))
        factors = np.divide(1.0, np.sqrt(values), where=values > 0, out=np.zeros(len(values)))
        weights = self.eigenvectors_ * factors * self.roots_[:, None]
        similar = self._similar(self._kernel(self.X_fit_), X, self.X_fit_)
        found = [
            kernels.matvec(np.ascontiguousarray(self._centred(part.astype(np.float64))), weights) for part in similar
        ]
        return np.concatenate(found).astype(precision_of(X), copy=False)

    def _inverse(self, X: Matrix) -> Array:
        return np.asarray(self._kernel_of_scores(X, self.X_transformed_fit_) @ self.dual_coef_).astype(X.dtype)

    def inverse_transform(self, X: Any) -> Any:
        """Approximate pre-images of scores; needs `fit_inverse_transform`."""
        if not self.fit_inverse_transform:
            raise compatible(NotFittedError)(
                "KernelPCA: the inverse transform was not fitted; fit with fit_inverse_transform=True"
            )
        if self.__sklearn_is_fitted__() and not len(self.eigenvalues_):
            raise DataError(
                "KernelPCA: there are no components, as the kernel of all training rows is equal: scores cannot be "
                "transformed back"
            )
        return super().inverse_transform(X)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, len(self.eigenvalues_))


def _solved(system: Array, sides: Array) -> Array:
    """The solution of a linear system, or the minimum norm least squares solution of a singular one."""
    try:
        return interruptibly(np.linalg.solve, system, sides)
    except np.linalg.LinAlgError:
        return np.asarray(interruptibly(np.linalg.lstsq, system, sides, rcond=None)[0])


def _fix_signs(vectors: Array, roots: Array) -> Array:
    """Eigenvectors with signs such that the largest entry, per copy of a row, is positive."""
    alone = np.divide(vectors, roots[:, None], where=roots[:, None] > 0, out=np.zeros(vectors.shape))
    largest = np.abs(alone).argmax(axis=0)
    return np.asarray(vectors * turned(alone[largest, np.arange(vectors.shape[1])]))
