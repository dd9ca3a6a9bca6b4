"""The log density of a user on the vector without bounds, with its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.errors import warn
from ._layout import Layout

STEP = float(np.cbrt(np.finfo(np.float64).eps))  # of central differences
CLOSE = 1e-4  # of the gradients by the tape and by differences at the start
Evaluate = Callable[[Array], tuple[float, Array]]


class TargetDensity:
    """A log density and its gradient, which samplers call with vectors without bounds."""

    def __init__(self, function: Callable[..., Any], layout: Layout, gradient: Any, start: Array) -> None:
        self.function, self.layout = function, layout
        self.compiled: Any = None
        self.gradient = gradient
        self._start = start
        self._evaluate: Evaluate | None = None

    def value(self, v: Array) -> float:
        """The log density; minus infinity outside the support."""
        with np.errstate(all="ignore"):
            found = self._called(self.function, v)
        value = _number(_pair(found)[0] if self.gradient is True else found)
        return value + self.layout.jacobian(v)[0] if self.layout.bounded else value

    @property
    def density(self) -> Any:
        """The compiled density if there is one, else the function that returns the log density and its gradient."""
        evaluate = self.with_gradient
        return evaluate if self.compiled is None else self.compiled

    @property
    def reference(self) -> Callable[[Array], float] | None:
        """The function itself where a compiled density takes its place."""
        return None if self.compiled is None else self.value

    @property
    def with_gradient(self) -> Evaluate:
        """The function that returns the log density and its gradient."""
        if self._evaluate is None:
            self._evaluate = self._differentiated()
        return self._evaluate

    def _called(self, function: Callable[..., Any], v: Array) -> Any:
        """A function of the user at a vector without bounds; it may write into its arguments, which are copies."""
        positional, named = self.layout.arguments(np.array(self.layout.constrained(v)))
        return function(*positional, **named)

    def _differentiated(self) -> Evaluate:
        if self.gradient is True:
            return self._transformed(lambda v: _pair(self._called(self.function, v)))
        if callable(self.gradient):
            gradient = self.gradient
            return self._transformed(lambda v: (self._called(self.function, v), self._called(gradient, v)))
        taped = self._taped()
        if taped is not None:
            return taped
        if self.gradient == "tape":
            raise DataError(
                "sample: the log density cannot be differentiated by the tape; write it with operations of tensors "
                "that return one number, such as -0.5 * (x * x).sum()"
            )
        warn(
            "sample: the gradient is found by differences, which takes two evaluations per parameter and is less "
            "accurate; give gradient, or write the log density with operations of learnable.tape",
            UserWarning,
        )
        return self._by_differences

    def _transformed(self, both: Callable[[Array], tuple[Any, Any]]) -> Evaluate:
        """The value and gradient of a user, by the vector without bounds."""
        layout = self.layout

        def evaluate(v: Array) -> tuple[float, Array]:
            value, gradient = both(v)
            flat = layout.flat_gradient(gradient)
            if not layout.bounded:
                return _number(value), flat
            log_jacobian, by_vector, derivative = layout.jacobian(v)
            return _number(value) + log_jacobian, flat * derivative + by_vector

        value, gradient = evaluate(self._start)
        if np.isfinite(value) and not np.isfinite(gradient).all():
            raise DataError(f"sample: the gradient at the initial point must be finite; got {gradient.tolist()!r:.60}")
        return evaluate

    def _taped(self) -> Evaluate | None:
        """Value and gradient by the tape, if the density is made of its operations."""
        from ..tape import Tensor, value_and_gradient
        from ._program import compiled_density

        layout, function = self.layout, self.function

        def on_tensors(x: Any) -> Any:
            positional, named = layout.arguments(x)
            return function(*positional, **named)

        with np.errstate(all="ignore"):
            try:
                found = on_tensors(Tensor(layout.constrained(self._start)))
                if not isinstance(found, Tensor) or found.size != 1:
                    return None
                evaluate = self._of_vectors(value_and_gradient(on_tensors))
                close = np.allclose(evaluate(self._start)[1], self._by_differences(self._start)[1], CLOSE, CLOSE)
            except Exception:  # whatever an operation that does not know tensors raises
                return None
            if close:
                self.compiled = compiled_density(lambda v: layout.on_tensors(function, v), self._start)
        return evaluate if close else None

    def _of_vectors(self, both: Callable[[Array], tuple[Any, Any]]) -> Evaluate:
        layout = self.layout

        def evaluate(v: Array) -> tuple[float, Array]:
            value, gradient = both(layout.constrained(v))
            if not layout.bounded:
                return float(value), gradient
            log_jacobian, by_vector, derivative = layout.jacobian(v)
            return float(value) + log_jacobian, gradient * derivative + by_vector

        return evaluate

    def _by_differences(self, v: Array) -> tuple[float, Array]:
        value, gradient = self.value(v), np.zeros(len(v))
        for j, width in enumerate(STEP * np.maximum(np.abs(v), 1.0)):
            above, below = v.copy(), v.copy()
            above[j] += width
            below[j] -= width
            gradient[j] = (self.value(above) - self.value(below)) / (above[j] - below[j])
        return value, gradient


def _pair(found: Any) -> tuple[Any, Any]:
    """What a density with `gradient=True` returns."""
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise DataError(f"sample: with gradient=True the log density must return (value, gradient); got {found!r:.60}")
    return found[0], found[1]


def _number(value: Any) -> float:
    """One number; NaN counts as outside the support."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        shape = getattr(value, "shape", None)
        got = f"an array of shape {shape}" if shape else f"{value!r:.60}"
        raise DataError(f"sample: the log density must return one number; it returned {got}") from None
    if found == np.inf:
        raise DataError("sample: the log density is infinite; densities must be finite")
    return found if found == found else -np.inf
