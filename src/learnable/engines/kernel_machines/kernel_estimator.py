"""What estimators that compare rows by a kernel share: the parameters that name it, and checks of its matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...core import Array, Estimator, Matrix, ParameterError, Traits, declaring, param
from ...core.runtime.native import kernels
from ...parts.kernels import Kernel, resolve_kernel

ENTRIES_AT_ONCE = 2**22  # of the kernel of new rows with the training rows
WORDS = 'name of a kernel, "precomputed", a function of two rows, or a kernel of learnable.kernels'


@declaring
class KernelEstimator(Estimator):
    """Mixed into estimators that know rows only by their kernel."""

    kernel: str | Callable[..., Any] | Kernel = param("linear", WORDS)
    degree: float | None = param(3, "degree of a polynomial kernel; None is 3", at_least=0)
    coef0: float | None = param(1, "independent term of polynomial and sigmoid kernels; None: 1")
    kernel_params: dict[str, Any] | None = param(None, "further arguments of a kernel that is a function")

    traits = Traits(compares_by="kernel")

    def _requested(self) -> str | Callable[..., Any] | Kernel:
        """The kernel as the user gave it; a function is bound to `kernel_params`."""
        options = self.kernel_params or {}
        return partial(self.kernel, **options) if callable(self.kernel) and options else self.kernel

    def _kernel_with(self, X: Matrix, gamma: float | None) -> Kernel:
        """The requested kernel, with defaults that depend on `X` filled in."""
        degree, coef0 = (3 if self.degree is None else self.degree), (1 if self.coef0 is None else self.coef0)
        return resolve_kernel(self._requested(), X, gamma, degree, coef0, takes="rows")

    def _similar(self, kernel: Kernel, X: Matrix, seen: Matrix | None) -> Iterator[Array]:
        """The kernel matrix of `X` with the training rows `seen`, in blocks of rows, so that memory stays bounded."""
        height = max(1, ENTRIES_AT_ONCE // (X.shape[1] if seen is None else seen.shape[0]))
        for top in range(0, X.shape[0], height):
            yield np.ascontiguousarray(kernel(X if X.shape[0] <= height else X[top : top + height], seen))

    def _sums(self, kernel: Kernel, X: Matrix, seen: Matrix, coef: Array) -> Array:
        """sum_j k(x_i, s_j) c_j for the rows of `X` and those `seen`."""
        return np.concatenate([kernels.matvec(part, coef) for part in self._similar(kernel, X, seen)])

    def _gram(self, kernel: Kernel, X: Matrix) -> Array:
        """The kernel matrix of the training rows, in double precision."""
        self._refuse_oblong(X)
        found = np.ascontiguousarray(kernel(X), dtype=np.float64)
        self._refuse_infinite(found)
        return found

    def _refuse_oblong(self, X: Matrix) -> None:
        """Refuse a precomputed kernel matrix of the training rows that is not square."""
        if self.pairwise and X.shape[0] != X.shape[1]:
            raise ParameterError(
                f'{type(self).__name__}: kernel="precomputed" needs a square matrix: it should be a square kernel '
                f"matrix of the training rows; got X of shape {X.shape}"
            )

    def _refuse_infinite(self, values: Array) -> None:
        """Refuse kernel values that are not finite."""
        if kernels.first_non_finite(values) >= 0:
            raise ParameterError(
                f"{type(self).__name__}: the kernel of the rows is not finite; scale the columns or lower gamma"
            )
