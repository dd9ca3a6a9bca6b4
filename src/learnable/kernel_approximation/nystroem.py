"""Nystroem's method: a kernel seen through some of the training rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    UnweightedTransformer,
    estimator,
    learned,
    param,
)
from ..core.errors import warn
from ..core.runtime.native import kernels
from ..core.runtime.random import stream
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.kernel_machines.kernel_estimator import WORDS, KernelEstimator
from ..engines.kernel_machines.kernel_matrix import ComparesObjects, precision_of
from ..parts.kernels import Kernel

MIN_EIGENVALUE = 1e-12


@estimator
class Nystroem(KernelEstimator, ComparesObjects, UnweightedTransformer):
    """Nyström approximation of a kernel: explicit features from a sample of training rows.

    z(x) = K_mm^(-1/2) (k(x, x_1), ..., k(x, x_m))    for m rows x_1 ... x_m drawn from the training rows

    A linear model of these columns approximates the kernel method at the cost of m columns; with all rows it is exact.
    With a kernel of your own, rows may be texts or sets. [Williams and Seeger, 2001]

    >>> X = [[0.0], [1.0], [2.0]]
    >>> Z = Nystroem(gamma=1.0, n_components=3, random_state=0).fit_transform(X)
    >>> (Z @ Z.T).round(3)
    array([[1.   , 0.368, 0.018],
           [0.368, 1.   , 0.368],
           [0.018, 0.368, 1.   ]])
    """

    kernel: str | Callable[..., Any] | Kernel = param("rbf", WORDS, kw_only=False)
    gamma: float | None = param(
        None, "kernel coefficient gamma; None: 1 / n_features", at_least=0, tune=(0.01, 0.1, 1.0)
    )
    coef0: float | None = param(None, "independent term of polynomial and sigmoid kernels; None: 1")
    degree: float | None = param(None, "degree of a polynomial kernel; None is 3", at_least=1)
    n_components: int = param(
        100, "number of training rows that are drawn", at_least=1, tune=(50, 100, 200, 400), simpler="smaller"
    )
    random_state: RandomState = param(None, "seed of the sample")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    components_: Any = learned("the rows that were drawn", shape="components features", matrix=True)
    component_indices_: Array = learned("indices of the landmarks among the training rows", shape="components")
    normalization_: Array = learned("inverse root of their kernel matrix", shape="components components")

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    title = "Nyström approximation"
    reference = "Williams and Seeger, Using the Nystroem method to speed up kernel machines, NIPS 2001"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._refuse_oblong(data.X)
        if self.n_components > data.n:
            warn(
                f"Nystroem: n_components={self.n_components} is more than there are rows; all rows are taken, and "
                "nothing is saved",
                UserWarning,
            )
        chosen = stream(self.random_state).permutation(data.n)[: min(self.n_components, data.n)]
        self.component_indices_ = chosen
        self.components_ = data.X[chosen]
        basis = self._gram(self._kernel(), self._compared(self.components_))
        left, sizes, right = interruptibly(np.linalg.svd, basis)
        self.normalization_ = (left / np.sqrt(np.maximum(sizes, MIN_EIGENVALUE)) @ right).astype(precision_of(data.X))

    def _transform(self, X: Matrix) -> Array:
        similar = self._kernel()(self._compared(X), self.components_)
        found: Array = kernels.matvec(np.ascontiguousarray(similar), self.normalization_.T)
        return found.astype(precision_of(X), copy=False)

    def _compared(self, X: Matrix) -> Matrix:
        """Rows as the kernel takes them; of given similarities, those with the rows that were drawn."""
        return X[:, self.component_indices_] if self.pairwise else X

    def _kernel(self) -> Kernel:
        given = [value for value in (self.gamma, self.coef0, self.degree) if value is not None]
        if given and (callable(self.kernel) or self.pairwise):
            raise ParameterError(
                "Nystroem: gamma, coef0 and degree belong to named kernels; leave them at None with your own"
            )
        return self._kernel_with(self.components_, self.gamma)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"nystroem{k}" for k in range(len(self.component_indices_))]
