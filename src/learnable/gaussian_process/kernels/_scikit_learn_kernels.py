"""Kernels of scikit-learn as kernels of this library."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .covariance_function import Kernel

THEIRS = "sklearn.gaussian_process.kernels"


def is_kernel(value: Any) -> bool:
    """Whether it is a kernel of this library, or one of scikit-learn's that is made of kernels of the same names."""
    return isinstance(value, Kernel) or (_is_theirs(value) and all(map(is_kernel, _inner(value))))


def own_kernel(kernel: Any) -> Kernel:
    """A kernel of this library as it is; one of scikit-learn's as that of the same name and parameters.

    >>> from sklearn.gaussian_process.kernels import RBF, WhiteKernel
    >>> own_kernel(2.0 * RBF(3.0) + WhiteKernel())
    1.41**2 * RBF(length_scale=3) + WhiteKernel(noise_level=1)
    """
    if isinstance(kernel, Kernel):
        return kernel
    given = {name: _own_value(value) for name, value in kernel.get_params(deep=False).items()}
    found: Kernel = getattr(import_module(__package__), type(kernel).__name__)(**given)
    return found


def _own_value(value: Any) -> Any:
    """A parameter of a kernel, which may be a kernel or a list of them."""
    if isinstance(value, list) and value and all(map(is_kernel, value)):
        return [own_kernel(one) for one in value]
    return own_kernel(value) if is_kernel(value) else value


def _is_theirs(value: Any) -> bool:
    kind = type(value)
    return kind.__module__ == THEIRS and kind.__name__ in import_module(__package__).__all__


def _inner(kernel: Any) -> list[Any]:
    """The kernels that a kernel of scikit-learn is made of."""
    found = kernel.get_params(deep=False)
    parts = [found[name] for name in ("k1", "k2", "kernel") if name in found]
    return [*parts, *found.get("kernels", [])]
