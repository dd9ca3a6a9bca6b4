"""Rows of Gaussian processes, which may be any objects that the kernel compares; checks of kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix, ParameterError
from ..core.errors import DataError
from ..core.roles.estimator import Estimator, clone
from .kernels import CompoundKernel, Kernel
from .kernels._scikit_learn_kernels import is_kernel, own_kernel

KERNEL_WORDS = "a kernel of learnable.gaussian_process.kernels, or one that comes with scikit-learn"


def is_kernel_or_none(value: Any) -> bool:
    """Whether it may be the parameter `kernel`."""
    return value is None or is_kernel(value)


class ObjectInput(Estimator):
    """Mixed into estimators with a kernel: X may be a list of texts or other objects if the kernel compares these."""

    kernel: Any

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix; objects become a column of dtype object."""
        if self._vectors or _is_matrix_of_numbers(X):
            return super()._enter(X)
        if isinstance(X, (str, bytes)) or not hasattr(X, "__len__") or len(X) == 0:
            raise DataError(f"{type(self).__name__}: X must be a list of at least one object; got {X!r:.40}")
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
            X = X[:, 0]
        column = np.empty((len(X), 1), dtype=object)
        for row, item in enumerate(X):
            column[row, 0] = item
        return column, None

    @property
    def _vectors(self) -> bool:
        """Whether rows must be vectors of numbers."""
        return self.kernel is None or bool(self.kernel.requires_vector_input)

    @staticmethod
    def _objects(X: Array) -> Any:
        """Rows as the kernel takes them: in double precision, or a list where they are objects."""
        return X[:, 0].tolist() if X.dtype == object else np.ascontiguousarray(X, dtype=np.float64)


def _is_matrix_of_numbers(X: Any) -> bool:
    shape = getattr(X, "shape", None)
    if shape is not None:
        return len(shape) == 2 and getattr(getattr(X, "dtype", None), "kind", "O") in "fiub"
    try:
        found = np.asarray(X)
    except ValueError:
        return False
    return found.ndim == 2 and found.dtype.kind in "fiub"


def free_kernel(kernel: Any, default: Kernel) -> Kernel:
    """A copy of the kernel, whose hyperparameters a fit may change."""
    found: Kernel = clone(default if kernel is None else own_kernel(kernel))
    return found


def refuse_kernel(owner: Any, option: str = "") -> None:
    """Refuse a kernel that is several, whose hyperparameters are not positive, or that does not serve an `option`."""
    name, kernel = type(owner).__name__, owner.kernel
    if kernel is None or not is_kernel(kernel):
        return  # the declaration says what it must be
    kernel = own_kernel(kernel)
    if isinstance(kernel, CompoundKernel):
        raise ParameterError(f"{name}: kernel cannot be a CompoundKernel")
    if flaw := kernel.flaw():
        raise ParameterError(f"{name}: kernel {kernel.__class__.__name__}: {flaw}")
    if option and not kernel.by_pairs:
        raise ParameterError(
            f"{name}: {option} needs a kernel made of those of learnable.gaussian_process.kernels, of which the noise "
            "is known"
        )
