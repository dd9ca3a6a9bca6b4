"""Tensors: NumPy arrays that record how they were computed. Every operation stands beside its derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import DataError, ParameterError
from ...core.runtime.random import generator, seed_of
from ...core.validate.features import Array
from .node import Gradients, Node

Shape = int | Sequence[int]
Axis = int | tuple[int, ...] | None


class Tensor(Node):
    """Tensor: an array that records its computation, so that gradients can flow back through it.

    Arithmetic, `@`, indexing and NumPy's elementwise functions give tensors; `backward()` returns all gradients, and
    keeps none: a second call computes the same again. A tensor made of an array shares its memory.

    >>> x = Tensor([1.0, 2.0, 3.0])
    >>> y = (x * x).sum()
    >>> y, y.backward()[x]
    (tensor(14.0), tensor([2.0, 4.0, 6.0]))
    """

    __slots__ = ()
    device = "cpu"

    # What it is.

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(self.value.shape)

    @property
    def dtype(self) -> Any:
        """The type of the entries."""
        return self.value.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self.value.ndim)

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(self.value.size)

    def __len__(self) -> int:
        return len(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        listed = self.value.tolist() if self.size <= 100 else f"array of shape {self.shape}"
        return f"tensor({listed})"

    def numpy(self) -> Array:
        """The array itself, not a copy."""
        return self.value

    def to(self, device: str) -> Tensor:
        """The tensor on a device; there is only "cpu"."""
        if device != "cpu":
            raise ParameterError(f'Tensor: device must be "cpu", the only one there is; got {device!r:.40}')
        return self

    def backward(self, start: Any = None, differentiable: bool = False) -> Gradients[Tensor]:
        """The gradient of this tensor, a single number, by all that it was computed from.

        `start` are the weights of the entries if there are several. Gradients that are `differentiable` have gradients.
        """
        if start is None and self.size != 1:
            raise DataError(
                f"Tensor: backward() starts at a single number, and this tensor has shape {self.shape}; sum it, or "
                "give start, the weight of each entry"
            )
        start = np.ones_like(self.value) if start is None else start
        return Gradients(self, start if isinstance(start, Tensor) else constant(start, self), differentiable)

    # Elementwise: the value, and the part of the gradient that goes to each parent.

    def __add__(self, other: Any) -> Tensor:
        return self._two(
            "add", np.add, other, lambda g, out, a, b: g.sum_to(a.shape), lambda g, out, a, b: g.sum_to(b.shape)
        )

    def __sub__(self, other: Any) -> Tensor:
        return self._two(
            "subtract", np.subtract, other,
            lambda g, out, a, b: g.sum_to(a.shape), lambda g, out, a, b: -g.sum_to(b.shape),
        )  # fmt: skip

    def __mul__(self, other: Any) -> Tensor:
        return self._two(
            "multiply", np.multiply, other,
            lambda g, out, a, b: (g * b).sum_to(a.shape), lambda g, out, a, b: (g * a).sum_to(b.shape),
        )  # fmt: skip

    def __truediv__(self, other: Any) -> Tensor:
        return self._two(
            "divide", np.divide, other,
            lambda g, out, a, b: (g / b).sum_to(a.shape), lambda g, out, a, b: (-g * out / b).sum_to(b.shape),
        )  # fmt: skip

    def __pow__(self, power: Any) -> Tensor:
        if isinstance(power, Tensor):
            return (self.log() * power).exp()
        return self._one(
            "power", np.power(self.value, power), lambda g, out, x: g * (x ** (power - 1) * power), details=power
        )

    def maximum(self, other: Any) -> Tensor:
        """The larger of two entries; where they are equal, the gradient goes to the first."""
        return self._two(
            "maximum", np.maximum, other,
            lambda g, out, a, b: (g * (a.value >= b.value)).sum_to(a.shape),
            lambda g, out, a, b: (g * (a.value < b.value)).sum_to(b.shape),
        )  # fmt: skip

    def minimum(self, other: Any) -> Tensor:
        """The smaller of two entries; where they are equal, the gradient goes to the first."""
        return self._two(
            "minimum", np.minimum, other,
            lambda g, out, a, b: (g * (a.value <= b.value)).sum_to(a.shape),
            lambda g, out, a, b: (g * (a.value > b.value)).sum_to(b.shape),
        )  # fmt: skip

    def where(self, condition: Any, other: Any) -> Tensor:
        """The entries of this tensor where the condition holds, and those of the other elsewhere."""
        mask = np.asarray(condition, dtype=bool)
        return self._two(
            "where", lambda a, b: np.where(mask, a, b), other,
            lambda g, out, a, b: (g * mask).sum_to(a.shape), lambda g, out, a, b: (g * ~mask).sum_to(b.shape),
        )  # fmt: skip

    def __neg__(self) -> Tensor:
        return self._one("negative", -self.value, lambda g, out, x: -g)

    def __abs__(self) -> Tensor:
        return self._one("absolute", np.abs(self.value), lambda g, out, x: g * np.sign(x.value))

    def exp(self) -> Tensor:
        """The exponential."""
        return self._one("exp", np.exp(self.value), lambda g, out, x: g * out)

    def log(self) -> Tensor:
        """The natural logarithm."""
        return self._one("log", np.log(self.value), lambda g, out, x: g / x)

    def sqrt(self) -> Tensor:
        """The square root."""
        return self._one("sqrt", np.sqrt(self.value), lambda g, out, x: g / (out * 2))

    def sin(self) -> Tensor:
        """The sine."""
        return self._one("sin", np.sin(self.value), lambda g, out, x: g * x.cos())

    def cos(self) -> Tensor:
        """The cosine."""
        return self._one("cos", np.cos(self.value), lambda g, out, x: -g * x.sin())

    def tanh(self) -> Tensor:
        """The hyperbolic tangent."""
        return self._one("tanh", np.tanh(self.value), lambda g, out, x: g * (1 - out * out))

    def logistic(self) -> Tensor:
        """1 / (1 + exp(-x))."""
        value = np.exp(-np.logaddexp(0, -self.value)).astype(self.dtype, copy=False)
        return self._one("logistic", value, lambda g, out, x: g * (out * (1 - out)))

    def softplus(self) -> Tensor:
        """log(1 + exp(x))."""
        value = np.logaddexp(np.zeros((), self.dtype), self.value)
        return self._one("softplus", value, lambda g, out, x: g * x.logistic())

    def erf(self) -> Tensor:
        """The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
        from scipy.special import erf

        return self._one("erf", erf(self.value), lambda g, out, x: g * (-x * x).exp() * (2 / np.sqrt(np.pi)))

    def relu(self) -> Tensor:
        """max(x, 0)."""
        return self._one("relu", np.maximum(self.value, 0), lambda g, out, x: g * (x.value > 0))

    def __radd__(self, other: Any) -> Tensor:
        return constant(other, self) + self

    def __rsub__(self, other: Any) -> Tensor:
        return constant(other, self) - self

    def __rmul__(self, other: Any) -> Tensor:
        return constant(other, self) * self

    def __rtruediv__(self, other: Any) -> Tensor:
        return constant(other, self) / self

    def __rmatmul__(self, other: Any) -> Tensor:
        return constant(other, self) @ self

    # Products and sums.

    def __matmul__(self, other: Any) -> Tensor:
        other = constant(other, self)
        if self.ndim == 1 or other.ndim == 1:
            left = self.reshape((1, -1)) if self.ndim == 1 else self
            right = other.reshape((-1, 1)) if other.ndim == 1 else other
            product: Tensor = left @ right
            return product.reshape(np.matmul(self.value, other.value).shape)
        value = np.matmul(self.value, other.value)
        made: Tensor = Tensor.record(
            "matmul", value, (self, other),
            lambda g, out, a, b: (g @ b.swap_last()).sum_to(a.shape),
            lambda g, out, a, b: (a.swap_last() @ g).sum_to(b.shape),
            work=2 * value.size * self.shape[-1],
        )  # fmt: skip
        return made

    def sum(self, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """The sum of the entries, or the sums along some axes."""
        value, kept = self.value.sum(axis=axis, keepdims=keepdims), self.value.sum(axis=axis, keepdims=True).shape
        return self._one("sum", value, lambda g, out, x: g.reshape(kept).broadcast_to(x.shape), self.size, kept)

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Tensor:
        """The mean of the entries, or the means along some axes."""
        total: Tensor = self.sum(axis, keepdims)
        return total * (total.size / max(self.size, 1))

    def max(self, axis: int, keepdims: bool = False) -> Tensor:
        """The largest entries along an axis; the gradient goes to the first of them."""
        axis %= self.ndim
        first = np.expand_dims(self.value.argmax(axis=axis), axis)
        positions = np.arange(self.shape[axis]).reshape([-1 if k == axis else 1 for k in range(self.ndim)])
        return self._one(
            "max", self.value.max(axis=axis, keepdims=keepdims),
            lambda g, out, x: g.reshape(first.shape) * (positions == first), self.size,
        )  # fmt: skip

    def softmax(self, axis: int = -1) -> Tensor:
        """exp(x) / sum exp(x) along an axis."""
        grown: Tensor = (self - self.value.max(axis=axis, keepdims=True)).exp()
        return grown / grown.sum(axis, keepdims=True)

    def log_softmax(self, axis: int = -1) -> Tensor:
        """The logarithm of softmax, also where that is too small for a number."""
        shifted: Tensor = self - self.value.max(axis=axis, keepdims=True)
        return shifted - shifted.exp().sum(axis, keepdims=True).log()

    # Shapes and entries.

    def reshape(self, *shape: Any) -> Tensor:
        """The same entries in another shape."""
        requested = shape[0] if len(shape) == 1 else shape
        return self._one("reshape", self.value.reshape(requested), lambda g, out, x: g.reshape(x.shape), 0)

    def transpose(self, *axes: int) -> Tensor:
        """The axes in another order, by default the reverse one."""
        order = axes or tuple(reversed(range(self.ndim)))
        back = tuple(np.argsort(order).tolist())
        return self._one("transpose", self.value.transpose(order), lambda g, out, x: g.transpose(*back), 0, order)

    @property
    def T(self) -> Tensor:
        """The transpose."""
        return self.transpose()

    def swap_last(self) -> Tensor:
        """The last two axes swapped."""
        order = list(range(self.ndim))
        return self.transpose(*order[:-2], order[-1], order[-2])

    def broadcast_to(self, shape: tuple[int, ...]) -> Tensor:
        """The entries repeated along axes of length one and new axes."""
        value = np.broadcast_to(self.value, shape)
        return self._one("broadcast", value, lambda g, out, x: g.sum_to(x.shape), 0)

    def sum_to(self, shape: tuple[int, ...]) -> Tensor:
        """The inverse way of broadcasting: sums along the axes that broadcasting from `shape` has repeated."""
        if self.shape == shape:
            return self
        new = self.ndim - len(shape)
        repeated = [new + k for k, length in enumerate(shape) if length == 1 and self.shape[new + k] != 1]
        return self.sum((*range(new), *repeated)).reshape(shape)

    def __getitem__(self, index: Any) -> Tensor:
        index = index.value if isinstance(index, Tensor) else index
        return self._one("index", self.value[index], lambda g, out, x: g.scatter(index, x.shape), 0, index)

    def scatter(self, index: Any, shape: tuple[int, ...]) -> Tensor:
        """The inverse way of indexing: entries added at their index into zeros of a shape."""
        value = np.zeros(shape, self.dtype)
        np.add.at(value, index, self.value)
        return self._one("scatter", value, lambda g, out, x: g[index], self.size)

    def pad(self, widths: Sequence[tuple[int, int]]) -> Tensor:
        """Zeros before and after the entries of each axis."""
        inside = tuple(slice(a, a + length) for (a, _), length in zip(widths, self.shape, strict=True))
        return self._one("pad", np.pad(self.value, widths), lambda g, out, x: g[inside], 0)

    def astype(self, dtype: Any) -> Tensor:
        """The entries as numbers of another type."""
        return self._one("astype", self.value.astype(dtype), lambda g, out, x: g.astype(x.dtype), 0)

    def _one(self, operation: str, value: Any, pullback: Any, work: int | None = None, details: Any = None) -> Tensor:
        made: Tensor = Tensor.record(operation, value, (self,), pullback, work=work, details=details)
        return made

    def _two(self, operation: str, function: Any, other: Any, *pullbacks: Any) -> Tensor:
        other = constant(other, self)
        made: Tensor = Tensor.record(operation, function(self.value, other.value), (self, other), *pullbacks)
        return made

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's elementwise functions of tensors."""
        if method != "__call__" or options or ufunc not in FUNCTIONS:
            return NotImplemented
        first = next(one for one in inputs if isinstance(one, Tensor))
        return FUNCTIONS[ufunc](*(constant(one, first) for one in inputs))

    # Making tensors.

    @classmethod
    def zeros(cls, shape: Shape, dtype: Any = np.float32) -> Tensor:
        """Zeros."""
        return cls(np.zeros(shape, dtype))

    @classmethod
    def ones(cls, shape: Shape, dtype: Any = np.float32) -> Tensor:
        """Ones."""
        return cls(np.ones(shape, dtype))

    @classmethod
    def random(cls, shape: Shape, random_state: Any = None, dtype: Any = np.float32) -> Tensor:
        """Numbers drawn uniformly from 0 to 1."""
        return cls(generator(seed_of(random_state)).random(shape).astype(dtype))

    @classmethod
    def normal(cls, shape: Shape, random_state: Any = None, dtype: Any = np.float32) -> Tensor:
        """Numbers drawn from the standard normal distribution."""
        return cls(generator(seed_of(random_state)).standard_normal(shape).astype(dtype))

    def zeros_like(self, dtype: Any = None) -> Tensor:
        """Zeros in the shape of this tensor, of its type unless another one is given."""
        return Tensor(np.zeros_like(self.value, dtype=dtype))

    def ones_like(self, dtype: Any = None) -> Tensor:
        """Ones in the shape of this tensor, of its type unless another one is given."""
        return Tensor(np.ones_like(self.value, dtype=dtype))

    def random_like(self, random_state: Any = None, dtype: Any = None) -> Tensor:
        """Numbers drawn uniformly from 0 to 1 in the shape of this tensor."""
        return Tensor.random(self.shape, random_state, self.dtype if dtype is None else dtype)


def constant(value: Any, like: Tensor) -> Tensor:
    """A tensor as it is; anything else as a constant, a plain number of the type of its neighbour."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float)):
        return Tensor(np.asarray(value, dtype=np.result_type(like.dtype, value)), tracked=False)
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise DataError(f"Tensor: operands must be numbers; got {value!r:.60}")
    return Tensor(array, tracked=False)


FUNCTIONS: dict[Any, Any] = {
    np.add: Tensor.__add__, np.subtract: Tensor.__sub__, np.multiply: Tensor.__mul__, np.divide: Tensor.__truediv__,
    np.power: Tensor.__pow__, np.matmul: Tensor.__matmul__, np.maximum: Tensor.maximum, np.minimum: Tensor.minimum,
    np.negative: Tensor.__neg__, np.absolute: Tensor.__abs__, np.exp: Tensor.exp, np.log: Tensor.log,
    np.sqrt: Tensor.sqrt, np.sin: Tensor.sin, np.cos: Tensor.cos, np.tanh: Tensor.tanh,
}  # fmt: skip
