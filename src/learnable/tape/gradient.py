"""Gradients of functions: by one argument, with the value, and of gradients along a direction."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import DataError
from ..core.validate.features import Array
from ..core.validate.sparse_input import as_dense, checks_sparse
from ..engines.tape.tensor import Tensor


def map_arrays(function: Callable[[Any], Any], value: Any) -> Any:
    """`function` of every array in a value: of it itself, or of the entries of a list, a tuple or a dict."""
    if isinstance(value, dict):
        return {key: map_arrays(function, entry) for key, entry in value.items()}
    nested = isinstance(value, (list, tuple)) and any(isinstance(entry, (Tensor, np.ndarray, dict)) for entry in value)
    if nested:
        entries = [map_arrays(function, entry) for entry in value]
        return tuple(entries) if isinstance(value, tuple) else entries
    return function(value)


def variable(value: Any) -> Tensor:
    """A new tensor to differentiate with respect to: a child node of a tensor, or other numbers in double precision."""
    if isinstance(value, Tensor):
        made: Tensor = Tensor.record("variable", value.value, (value,), lambda g, out, x: g, work=0)
        return made
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise DataError(f"grad: arguments to differentiate with respect to must be numbers; got {value!r:.60}")
    return Tensor(array if array.dtype.kind == "f" else array.astype(np.float64))


def scalar(function: Callable[..., Any], value: Any) -> Tensor:
    """The value of a function as a tensor, which must be a single number."""
    found = value if isinstance(value, Tensor) else Tensor(np.asarray(value, dtype=np.float64), tracked=False)
    if found.size != 1:
        name = getattr(function, "__name__", "the function")
        raise DataError(f"grad: {name} must return a single number; got an array of shape {found.shape}")
    return found


def value_and_gradient(function: Callable[..., Any], argument: int = 0) -> Callable[..., tuple[Any, Any]]:
    """A function that returns the value of `function` and its gradient with respect to one of its arguments.

    The argument is a number, an array, or a list or dict of arrays, and the gradient has the same structure. Where an
    argument is a tensor, value and gradient are tensors, which can be differentiated again.

    >>> value_and_gradient(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    """

    @functools.wraps(function)
    def evaluated(*arguments: Any) -> tuple[Any, Any]:
        if not 0 <= argument < len(arguments):
            raise DataError(f"grad: argument is {argument}, and the function got {len(arguments)} arguments")
        again = any(_holds_tensor(one) for one in arguments)
        inputs = map_arrays(variable, arguments[argument])
        output = scalar(function, function(*arguments[:argument], inputs, *arguments[argument + 1 :]))
        gradients = output.backward(np.ones_like(output.value), differentiable=again)
        if again:
            return output, map_arrays(lambda one: gradients[one], inputs)
        return float(output.value), map_arrays(lambda one: gradients[one].value, inputs)

    return evaluated


def grad(function: Callable[..., Any], argument: int = 0) -> Callable[..., Any]:
    """A function that returns the gradient of `function` by one of its arguments. The gradient has gradients too.

    >>> derivative = grad(lambda x: x**3)
    >>> float(derivative(2.0)), float(grad(derivative)(2.0)), float(grad(grad(derivative))(2.0))
    (12.0, 12.0, 6.0)
    """
    both = value_and_gradient(function, argument)

    @functools.wraps(function)
    def gradient(*arguments: Any) -> Any:
        return both(*arguments)[1]

    return gradient


@checks_sparse
def hessian_vector_product(function: Callable[[Any], Any], x: Any, vector: Any) -> Array:
    """The product of the Hessian of `function` at `x` with a vector, without the Hessian itself.

    It is the gradient of the inner product of the gradient with the vector, and costs as much as a few values.

    >>> hessian_vector_product(lambda x: (x**3).sum(), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    point, direction = (as_dense(one, "hessian_vector_product").astype(np.float64) for one in (x, vector))
    gradient = grad(function)
    if point.shape != direction.shape:
        raise DataError(
            f"hessian_vector_product: vector must have the shape of x, {point.shape}; it has {direction.shape}"
        )
    found: Array = grad(lambda at: (gradient(at) * direction).sum())(point)
    return found


def _holds_tensor(value: Any) -> bool:
    found: list[bool] = []
    map_arrays(lambda one: found.append(isinstance(one, Tensor)), value)
    return any(found)
