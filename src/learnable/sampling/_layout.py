"""Parameters by name as one vector without bounds, on which chains move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError, ParameterError

VECTOR = "x"  # the name of the parameters where the density takes a vector


class ParameterBlock(NamedTuple):
    """A parameter: its name, shape and bounds, and where it stands in the vector."""

    name: str
    shape: tuple[int, ...]
    low: float
    high: float
    place: slice


class Layout:
    """How parameters stand in the vector, and the transformation of those with bounds.

    With one bound x = low + e^v or high - e^v; with two x = low + (high - low) / (1 + e^-v). The density of v is that
    of x times the derivative of x by v.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], bounds: Any, named: bool) -> None:
        self.named = named
        limits = _bounds_by_name(bounds, list(shapes))
        self.blocks: list[ParameterBlock] = []
        end = 0
        for name, shape in shapes.items():
            begin, end = end, end + int(np.prod(shape))
            self.blocks.append(ParameterBlock(name, shape, *limits.get(name, (-np.inf, np.inf)), slice(begin, end)))
        self.size = end
        if end == 0:
            raise DataError("sample: initial holds no parameters")
        self.bounded = [block for block in self.blocks if block.low > -np.inf or block.high < np.inf]

    def constrained(self, v: Array) -> Array:
        """The parameters of vectors (..., size) without bounds."""
        if not self.bounded:
            return v
        x = np.array(v, dtype=np.float64)
        for block in self.bounded:
            x[..., block.place] = _into_bounds(v[..., block.place], block.low, block.high)
        return x

    def unconstrained(self, x: Array) -> Array:
        """The inverse of `constrained`; parameters outside their bounds are refused."""
        v = np.array(x, dtype=np.float64)
        for block in self.bounded:
            values = v[..., block.place]
            inside = (values > block.low) & (values < block.high)
            if not inside.all():
                worst = float(values[~inside][0])
                raise DataError(
                    f"sample: initial {block.name} must lie between its bounds {block.low:g} and {block.high:g}; "
                    f"got {worst:g}"
                )
            v[..., block.place] = _out_of_bounds(values, block.low, block.high)
        return v

    def jacobian(self, v: Array) -> tuple[float, Array, Array]:
        """The log derivatives of the transformation summed, their gradient, and the derivatives themselves."""
        total, gradient, derivative = 0.0, np.zeros(self.size), np.ones(self.size)
        for block in self.bounded:
            part = v[block.place]
            if np.isinf(block.low) or np.isinf(block.high):
                total += float(part.sum())
                gradient[block.place] = 1.0
                derivative[block.place] = np.exp(part) * (1 if np.isfinite(block.low) else -1)
                continue
            upper = np.exp(-np.logaddexp(0, -part))
            total += float((np.log(block.high - block.low) - np.logaddexp(0, -part) - np.logaddexp(0, part)).sum())
            gradient[block.place] = 1 - 2 * upper
            derivative[block.place] = (block.high - block.low) * upper * np.exp(-np.logaddexp(0, part))
        return total, gradient, derivative

    def arguments(self, x: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and the keyword arguments of the density; `x` is an array or a tensor."""
        if not self.named:
            return (x,), {}
        return (), {block.name: _shaped(x, block) for block in self.blocks}

    def on_tensors(self, function: Any, v: Any) -> Any:
        """`function` of the parameters that belong to a tensor without bounds, plus the log derivatives."""
        if not self.bounded:
            positional, named = self.arguments(v)
            return function(*positional, **named)
        parts, total = [], 0.0
        for block in self.blocks:
            part = v[block.place]
            if block in self.bounded:
                part, log_derivative = _bounded_tensor(part, block.low, block.high)
                total = log_derivative + total
            parts.append(part)
        if not self.named:
            return function(parts[0]) + total
        shaped = {
            block.name: (part if len(block.shape) == 1 else part.reshape(block.shape))
            for block, part in zip(self.blocks, parts, strict=True)
        }
        return function(**shaped) + total

    def flat_gradient(self, gradient: Any) -> Array:
        """The gradient of a user as a vector; a dict by name where parameters have names."""
        if self.named and isinstance(gradient, Mapping):
            missing = [block.name for block in self.blocks if block.name not in gradient]
            if missing:
                raise DataError(f"sample: the gradient has no entry {missing[0]!r}")
            gradient = np.concatenate([np.ravel(gradient[block.name]) for block in self.blocks])
        try:
            found = np.asarray(gradient, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            raise DataError(f"sample: the gradient must be numbers; got {gradient!r:.60}") from None
        if found.size != self.size:
            raise DataError(f"sample: the gradient must have {self.size} numbers, one per parameter; got {found.size}")
        return found

    def by_name(self, draws: Array) -> dict[str, Array]:
        """Draws (chain, draw, size) without bounds as the parameters by name."""
        x = self.constrained(draws)
        return {block.name: x[:, :, block.place].reshape(*x.shape[:2], *block.shape) for block in self.blocks}


def _shaped(x: Any, block: ParameterBlock) -> Any:
    if not block.shape:
        return x[block.place.start]
    part = x[block.place]
    return part if len(block.shape) == 1 else part.reshape(block.shape)


def _bounded_tensor(v: Any, low: float, high: float) -> tuple[Any, Any]:
    """A tensor within its bounds, and the sum of the log derivatives."""
    if np.isinf(high):
        return v.exp() + low, v.sum()
    if np.isinf(low):
        return high - v.exp(), v.sum()
    log_derivative = np.log(high - low) * v.size - (v.softplus() + (-v).softplus()).sum()
    return v.logistic() * (high - low) + low, log_derivative


def _into_bounds(v: Any, low: float, high: float) -> Any:
    with np.errstate(over="ignore"):
        if np.isinf(high):
            return low + np.exp(v)
        if np.isinf(low):
            return high - np.exp(v)
        return low + (high - low) * np.exp(-np.logaddexp(0, -v))


def _out_of_bounds(x: Array, low: float, high: float) -> Array:
    if np.isinf(high):
        return np.asarray(np.log(x - low))
    if np.isinf(low):
        return np.asarray(np.log(high - x))
    return np.asarray(np.log(x - low) - np.log(high - x))


def _bounds_by_name(bounds: Any, names: list[str]) -> dict[str, tuple[float, float]]:
    """The bounds of each parameter that has some."""
    if bounds is None:
        return {}
    given = bounds if isinstance(bounds, Mapping) else {VECTOR: bounds}
    found = {}
    for name, pair in given.items():
        if name not in names:
            raise ParameterError(f"sample: bounds of {name!r:.60}, which is not in initial; it has {', '.join(names)}")
        try:
            low, high = (
                (-np.inf if pair[0] is None else float(pair[0])),
                (np.inf if pair[1] is None else float(pair[1])),
            )
        except (TypeError, ValueError, IndexError, KeyError):
            raise ParameterError(f"sample: bounds of {name} must be a pair (low, high); got {pair!r:.60}") from None
        if len(pair) != 2 or not low < high:
            raise ParameterError(f"sample: bounds of {name} must be a pair low < high; got {pair!r:.60}")
        found[name] = (low, high)
    return found


def layout_and_starts(initial: Any, bounds: Any, chains: int) -> tuple[Layout, Array, bool]:
    """The layout of `initial`, the starts (chains or 1, size) without bounds, and whether each chain has its own."""
    named = isinstance(initial, Mapping)
    given = {str(name): value for name, value in initial.items()} if named else {VECTOR: initial}
    arrays = {name: _numbers(name, value) for name, value in given.items()}
    if not named and arrays[VECTOR].ndim == 0:
        raise DataError("sample: initial must be a vector of parameters or a dict of them by name; got a number")
    each = not named and arrays[VECTOR].ndim == 2
    if each and len(arrays[VECTOR]) != chains:
        raise DataError(f"sample: initial has {len(arrays[VECTOR])} rows for {chains} chains; give one for each")
    layout = Layout({name: value.shape[1:] if each else value.shape for name, value in arrays.items()}, bounds, named)
    rows = chains if each else 1
    flat = np.concatenate([value.reshape(rows, -1) for value in arrays.values()], axis=1)
    return layout, layout.unconstrained(flat), each


def _numbers(name: str, value: Any) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"sample: initial {name} must be numbers; got {value!r:.60}") from None
    if not np.isfinite(array).all():
        raise DataError(f"sample: initial {name} must be finite; got {value!r:.60}")
    return array
