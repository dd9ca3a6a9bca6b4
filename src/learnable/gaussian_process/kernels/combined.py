"""Sums, products and powers of kernels, and several kernels side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...core import Array
from ...core.declare import registry
from ._pairs import RowPairs, stacked
from .covariance_function import Kernel
from .hyperparameter import Hyperparameter


class _Combined(Kernel):
    """A kernel made of others."""

    _parts: tuple[str, ...]

    @property
    def _inner(self) -> list[Kernel]:
        return [getattr(self, name) for name in self._parts]

    @property
    def by_pairs(self) -> bool:  # type: ignore[override]  # it depends on the parts
        """Whether the values of all parts can be computed for any pairs of rows."""
        return all(part.by_pairs for part in self._inner)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        found = super().get_params(deep=False)
        for name in self._parts if deep else ():
            found.update({f"{name}__{inner}": value for inner, value in getattr(self, name).get_params().items()})
        return found

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        return [
            Hyperparameter(f"{name}__{one.name}", one.value_type, one.bounds, one.n_elements)
            for name in self._parts
            for one in getattr(self, name).hyperparameters
        ]

    def flaw(self) -> str:
        """What is wrong with the hyperparameters, and with the other parameters of the parts; empty if nothing is."""
        return super().flaw() or next((flaw for part in self._inner if (flaw := part.flaw())), "")

    @property
    def theta(self) -> Array:
        """The logarithms of the hyperparameters that are not fixed."""
        return np.concatenate([part.theta for part in self._inner])

    @theta.setter
    def theta(self, theta: Array) -> None:
        self._check_length(theta)
        first = 0
        for part in self._inner:
            n_dims = part.n_dims
            part.theta = theta[first : first + n_dims]
            first += n_dims

    @property
    def bounds(self) -> Array:
        found = [part.bounds for part in self._inner if part.bounds.size]
        return np.vstack(found) if found else np.array([])

    def is_stationary(self) -> bool:
        return all(part.is_stationary() for part in self._inner)

    @property
    def requires_vector_input(self) -> bool:
        return any(part.requires_vector_input for part in self._inner)

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        pairs = RowPairs(*(rows if rows is None else self._rows(rows) for rows in (X, Y)))
        if not eval_gradient:
            return np.array(self._values(pairs))
        if Y is not None:
            raise ValueError("Gradient can only be evaluated when Y is None.")
        return np.array(pairs.values_of(self)), stacked(list(self._gradients(pairs)), pairs.shape)

    def _rows(self, X: Any) -> Any:
        return np.atleast_2d(np.asarray(X, dtype=np.float64)) if self.requires_vector_input else X


class KernelOperator(_Combined):
    """Base class of operators that combine two kernels."""

    k1: Kernel
    k2: Kernel
    _parts = ("k1", "k2")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, KernelOperator):
            return False
        straight, crossed = (self.k1, self.k2) == (other.k1, other.k2), (self.k1, self.k2) == (other.k2, other.k1)
        return straight or crossed

    __hash__ = None  # type: ignore[assignment]  # hyperparameters can be set


@registry.named("gaussian_process.kernels.Sum")
@dataclass(eq=False, repr=False)
class Sum(KernelOperator):
    """Sum of two kernels, k1(x, z) + k2(x, z): the covariance of a sum of independent functions.

    >>> from learnable.gaussian_process.kernels import RBF, WhiteKernel
    >>> RBF(2.0) + WhiteKernel(0.5)
    RBF(length_scale=2) + WhiteKernel(noise_level=0.5)
    """

    k1: Kernel
    k2: Kernel

    def diag(self, X: Any) -> Array:
        """k(x, x) for every row x of X."""
        return self.k1.diag(X) + self.k2.diag(X)

    def _values(self, pairs: RowPairs) -> Array:
        total = np.array(pairs.values_of(self.k1))
        self.k2._add_to(pairs, total)
        return total

    def _add_to(self, pairs: RowPairs, total: Array) -> None:
        for part in self._inner:
            part._add_to(pairs, total)

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        yield from self.k1._gradients(pairs)
        yield from self.k2._gradients(pairs)

    def _contract(self, pairs: RowPairs, weights: Array) -> Array:
        return np.concatenate([part._contract(pairs, weights) for part in self._inner])

    def __repr__(self) -> str:
        return f"{self.k1} + {self.k2}"


@registry.named("gaussian_process.kernels.Product")
@dataclass(eq=False, repr=False)
class Product(KernelOperator):
    """Product of two kernels, k1(x, z) k2(x, z).

    >>> from learnable.gaussian_process.kernels import RBF
    >>> 4.0 * RBF(2.0)
    2**2 * RBF(length_scale=2)
    """

    k1: Kernel
    k2: Kernel

    def diag(self, X: Any) -> Array:
        """k(x, x) for every row x of X."""
        return self.k1.diag(X) * self.k2.diag(X)

    def _values(self, pairs: RowPairs) -> Array:
        return pairs.values_of(self.k1) * pairs.values_of(self.k2)

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        for part, other in ((self.k1, self.k2), (self.k2, self.k1)):
            for one in part._gradients(pairs):
                yield one * pairs.values_of(other)

    def _contract(self, pairs: RowPairs, weights: Array) -> Array:
        both = ((self.k1, self.k2), (self.k2, self.k1))
        return np.concatenate(
            [
                part._contract(pairs, weights * pairs.values_of(other)) if part.n_dims else np.array([])
                for part, other in both
            ]
        )

    def __repr__(self) -> str:
        return f"{self.k1} * {self.k2}"


@registry.named("gaussian_process.kernels.Exponentiation")
@dataclass(eq=False, repr=False)
class Exponentiation(_Combined):
    """Power of a kernel, k(x, z)^p.

    >>> from learnable.gaussian_process.kernels import RBF
    >>> RBF(2.0) ** 3
    RBF(length_scale=2) ** 3
    """

    kernel: Kernel
    exponent: float
    _parts = ("kernel",)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exponentiation) and (self.kernel, self.exponent) == (other.kernel, other.exponent)

    __hash__ = None  # type: ignore[assignment]  # hyperparameters can be set

    def diag(self, X: Any) -> Array:
        """k(x, x) for every row x of X."""
        return np.asarray(self.kernel.diag(X) ** self.exponent)

    def _values(self, pairs: RowPairs) -> Array:
        return np.asarray(pairs.values_of(self.kernel) ** self.exponent)

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        for one in self.kernel._gradients(pairs):
            yield one * self._factor(pairs)

    def _contract(self, pairs: RowPairs, weights: Array) -> Array:
        return self.kernel._contract(pairs, weights * self._factor(pairs))

    def flaw(self) -> str:
        """What is wrong with the hyperparameters or the exponent; empty if nothing is."""
        allowed = isinstance(self.exponent, Real) and 0 <= self.exponent < np.inf
        return super().flaw() or ("" if allowed else f"exponent must be at least 0; got {self.exponent!r:.40}")

    def _factor(self, pairs: RowPairs) -> Array:
        return np.asarray(self.exponent * pairs.values_of(self.kernel) ** (self.exponent - 1))

    def __repr__(self) -> str:
        return f"{self.kernel} ** {self.exponent}"


@registry.named("gaussian_process.kernels.CompoundKernel")
@dataclass(eq=False, repr=False)
class CompoundKernel(Kernel):
    """Several kernels side by side, as those of the classes of a multi-class classifier.

    >>> from learnable.gaussian_process.kernels import RBF
    >>> CompoundKernel([RBF(1.0), RBF(2.0)])([[0.0], [1.0]]).shape
    (2, 2, 2)
    """

    kernels: list[Kernel]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The kernels."""
        return {"kernels": self.kernels}

    @property
    def theta(self) -> Array:
        """The logarithms of the hyperparameters that are not fixed, of one kernel after the other."""
        return np.hstack([kernel.theta for kernel in self.kernels])

    @theta.setter
    def theta(self, theta: Array) -> None:
        self._check_length(theta)
        first = 0
        for kernel in self.kernels:
            n_dims = kernel.n_dims
            kernel.theta = theta[first : first + n_dims]
            first += n_dims

    @property
    def bounds(self) -> Array:
        return np.vstack([kernel.bounds for kernel in self.kernels])

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        if not eval_gradient:
            return np.dstack([kernel(X, Y) for kernel in self.kernels])
        found = [kernel(X, Y, eval_gradient=True) for kernel in self.kernels]
        return np.dstack([values for values, _ in found]), np.stack([gradient for _, gradient in found], axis=3)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompoundKernel) and self.kernels == other.kernels

    __hash__ = None

    def is_stationary(self) -> bool:
        """Whether all kernels are."""
        return all(kernel.is_stationary() for kernel in self.kernels)

    @property
    def requires_vector_input(self) -> bool:
        """Whether any kernel does."""
        return any(kernel.requires_vector_input for kernel in self.kernels)

    def diag(self, X: Any) -> Array:
        """k(x, x) for every row x of X, a column for each kernel."""
        return np.vstack([kernel.diag(X) for kernel in self.kernels]).T

    def flaw(self) -> str:
        """What is wrong with the hyperparameters of the kernels; empty if nothing is."""
        return next((flaw for kernel in self.kernels if (flaw := kernel.flaw())), "")
