"""Base class of kernels of Gaussian processes."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ...core import Array
from ...core.errors import ConvergenceWarning, ParameterError, warn
from ...core.roles.estimator import cloned
from ._pairs import DiagonalRowPairs, RowPairs, stacked
from .hyperparameter import Hyperparameter

if TYPE_CHECKING:
    from .combined import Exponentiation, Product, Sum

HYPERPARAMETER = "hyperparameter_"


class Kernel(ABC):
    """Base class of kernels k(x, z) of Gaussian processes; kernels can be added, multiplied and raised to a power.

    A kernel of your own writes `__call__`, `diag` and `is_stationary`, and a property `hyperparameter_NAME` for each
    hyperparameter; its parameters are the arguments of its constructor.
    """

    by_pairs = False  # whether values can be computed for any pairs of rows, not only for whole matrices

    @abstractmethod
    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """k(x, y) for every row x of X and y of Y (None: X); with `eval_gradient` also the gradient by theta."""

    @abstractmethod
    def diag(self, X: Any) -> Array:
        """k(x, x) for every row x of X."""

    @abstractmethod
    def is_stationary(self) -> bool:
        """Whether k(x, z) depends on x - z alone."""

    @property
    def requires_vector_input(self) -> bool:
        """Whether rows must be vectors of numbers; else they may be any objects."""
        return True

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep`, also those of kernels among them, as `outer__inner`."""
        return {name: getattr(self, name) for name in _arguments(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; `outer__inner` reaches into a kernel among them."""
        known = self.get_params(deep=True)
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in known:
                raise ParameterError(
                    f"Invalid parameter {name} for kernel {type(self).__name__}. Check the list of available "
                    "parameters with `kernel.get_params().keys()`."
                )
            if inner:
                known[name].set_params(**{inner: value})
            else:
                setattr(self, key, value)
        return self

    def clone_with_theta(self, theta: Array) -> Self:
        """A copy with other hyperparameters."""
        fresh: Self = cloned(self)
        fresh.theta = theta
        return fresh

    @property
    def n_dims(self) -> int:
        """The number of hyperparameters that are not fixed."""
        return int(self.theta.shape[0])

    @property
    def hyperparameters(self) -> list[Hyperparameter]:
        """The hyperparameters, in the order of their names."""
        return [getattr(self, name) for name in dir(type(self)) if name.startswith(HYPERPARAMETER)]

    @property
    def theta(self) -> Array:
        """The logarithms of the hyperparameters that are not fixed."""
        params = self.get_params()
        free = [params[one.name] for one in self.hyperparameters if not one.fixed]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(np.hstack(free).astype(np.float64)) if free else np.array([])

    @theta.setter
    def theta(self, theta: Array) -> None:
        params = self.get_params()
        self._check_length(theta)
        first = 0
        for one in self.hyperparameters:
            if one.fixed:
                continue
            values = np.exp(theta[first : first + one.n_elements])
            params[one.name] = values if one.n_elements > 1 else values[0]
            first += one.n_elements
        self.set_params(**params)

    def _check_length(self, theta: Array) -> None:
        if len(theta) != self.n_dims:
            raise ParameterError(
                f"theta has not the correct number of entries. Should be {self.n_dims}; given are {len(theta)}"
            )

    @property
    def bounds(self) -> Array:
        """The logarithms of the bounds of the hyperparameters that are not fixed, a row each."""
        free = [one.bounds for one in self.hyperparameters if not one.fixed]
        with np.errstate(divide="ignore"):
            return np.log(np.vstack(free)) if free else np.array([])

    def __add__(self, other: Any) -> Sum:
        from .combined import Sum

        return Sum(self, _as_kernel(other))

    def __radd__(self, other: Any) -> Sum:
        from .combined import Sum

        return Sum(_as_kernel(other), self)

    def __mul__(self, other: Any) -> Product:
        from .combined import Product

        return Product(self, _as_kernel(other))

    def __rmul__(self, other: Any) -> Product:
        from .combined import Product

        return Product(_as_kernel(other), self)

    def __pow__(self, exponent: float) -> Exponentiation:
        from .combined import Exponentiation

        return Exponentiation(self, exponent)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Kernel):
            return False
        here, there = self.get_params(), other.get_params()
        return here.keys() == there.keys() and all(_equal(here[name], there[name]) for name in here)

    __hash__ = None  # type: ignore[assignment]  # hyperparameters can be set

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{value:.3g}' for value in self.theta)})"

    def flaw(self) -> str:
        """What is wrong with the hyperparameters; empty if nothing is."""
        for one in self.hyperparameters:
            holder: Any = self
            *outer, last = one.name.split("__")
            for name in outer:
                holder = getattr(holder, name)
            value = np.asarray(getattr(holder, last))
            if value.dtype.kind not in "fiu" or value.ndim > 1 or not ((value > 0) & (value < np.inf)).all():
                return f"{one.name} must be finite and above 0; got {getattr(holder, last)!r:.60}"
        return ""

    def _check_bounds_params(self) -> None:
        """Warn of hyperparameters that end at a bound."""
        near = np.isclose(self.bounds, np.atleast_2d(self.theta).T)
        free = ((one, k) for one in self.hyperparameters if not one.fixed for k in range(one.n_elements))
        for index, (one, k) in enumerate(free):
            for side, word, advice in ((0, "lower", "Decreasing"), (1, "upper", "Increasing")):
                if near[index, side]:
                    warn(
                        f"The optimal value found for dimension {k} of parameter {one.name} is close to the specified "
                        f"{word} bound {one.bounds[k][side]}. {advice} the bound and calling fit again may find a "
                        "better value.",
                        ConvergenceWarning,
                    )
                    break

    def _values(self, pairs: RowPairs) -> Array:
        """The values for pairs of rows."""
        if isinstance(pairs, DiagonalRowPairs):
            return np.asarray(self.diag(pairs.X) if pairs.same is not None else np.diagonal(self(pairs.X, pairs.X)))
        return np.array(self(pairs.X) if pairs.given is None else self(pairs.X, pairs.given), dtype=np.float64)

    def _add_to(self, pairs: RowPairs, total: Array) -> None:
        """Add the values to `total`."""
        total += pairs.values_of(self)

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        """The derivatives of the values by each entry of theta, one after the other."""
        yield from np.moveaxis(np.asarray(self(pairs.X, eval_gradient=True)[1]), -1, 0)

    def _contract(self, pairs: RowPairs, weights: Array) -> Array:
        """sum_ij w_ij dk_ij / dtheta for each entry of theta: the gradient of a function with these derivatives."""
        return np.array([np.vdot(weights, one) for one in self._gradients(pairs)])


class PairKernel(Kernel):
    """Base class of kernels that are computed for any pairs of rows."""

    by_pairs = True

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        if Y is not None and eval_gradient:
            raise ParameterError("Gradient can only be evaluated when Y is None.")
        pairs = RowPairs(self._rows(X), None if Y is None else self._rows(Y))
        with np.errstate(over="ignore", under="ignore"):
            values = np.array(pairs.values_of(self))
            return (values, stacked(list(self._gradients(pairs)), pairs.shape)) if eval_gradient else values

    def diag(self, X: Any) -> Array:
        """k(x, x) for every row x of X."""
        return np.array(self._values(DiagonalRowPairs(self._rows(X))))

    def _rows(self, X: Any) -> Any:
        if not self.requires_vector_input:
            return X
        X = np.atleast_2d(X)
        return X if X.dtype == np.float64 else X.astype(np.float64)

    @abstractmethod
    def _values(self, pairs: RowPairs) -> Array: ...

    @abstractmethod
    def _gradients(self, pairs: RowPairs) -> Iterator[Array]: ...


class NormalizedKernelMixin:
    """Mixin for kernels whose diagonal is one."""

    def diag(self, X: Any) -> Array:
        """1 for every row of X."""
        return np.ones(len(X))


class StationaryKernelMixin:
    """Mixin for stationary kernels, k(x, z) = k(x - z)."""

    def is_stationary(self) -> bool:
        """Whether k(x, z) depends on x - z alone: True."""
        return True


class GenericKernelMixin:
    """Mixin for kernels of any objects, such as texts, trees or graphs."""

    @property
    def requires_vector_input(self) -> bool:
        """Whether rows must be vectors of numbers: False."""
        return False


def _as_kernel(value: Any) -> Kernel:
    from ._scikit_learn_kernels import is_kernel, own_kernel
    from .constant import ConstantKernel

    return own_kernel(value) if is_kernel(value) else ConstantKernel(value)


def _equal(one: Any, other: Any) -> bool:
    return bool(np.all(np.asarray(one == other)))


@cache
def _arguments(cls: type) -> list[str]:
    """The names of the arguments of a constructor."""
    found = list(inspect.signature(cls).parameters.values())
    if any(one.kind is one.VAR_POSITIONAL for one in found):
        raise RuntimeError(
            "kernels should always specify their parameters in the signature of their __init__ (no varargs). "
            f"{cls} doesn't follow this convention."
        )
    return [one.name for one in found if one.kind is not one.VAR_KEYWORD]
