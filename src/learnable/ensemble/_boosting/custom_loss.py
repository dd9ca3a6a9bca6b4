"""Custom losses given by their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError


@dataclass(frozen=True)
class CustomLoss:
    """A loss given by a function of targets and scores that returns gradient, Hessian diagonal and optionally the loss.

    If the loss is not known, half the squared gradient over the Hessian is reported in its place, which is zero at the
    optimum but need not decrease monotonically.
    """

    derivatives: Callable[[Array, Array], tuple[Any, ...]]
    known: bool = False

    smooth = True
    quadratic = False
    link = "identity"

    @classmethod
    def of(cls, derivatives: Callable[[Array, Array], tuple[Any, ...]], y: Array) -> CustomLoss:
        """The loss for these targets; calling it at scores of zero shows whether it returns loss values."""
        return cls(derivatives, len(cls(derivatives)._evaluate(y, np.zeros(len(y)))) == 3)

    @property
    def measure(self) -> str:
        """The name of `value`."""
        return "training loss" if self.known else "half squared Newton step (the function gives no loss)"

    def value(self, y: Array, z: Array) -> Array:
        """Loss of each row: the third result of the function, or half the squared gradient over the Hessian."""
        result = self._evaluate(y, z)
        return result[2] if self.known else result[0] ** 2 / np.where(result[1] > 0, 2 * result[1], np.inf)

    def gradient(self, y: Array, z: Array) -> Array:
        """Gradient of each row: the first result of the function."""
        return self._evaluate(y, z)[0]

    def curvature(self, y: Array, z: Array) -> Array:
        """Hessian diagonal: the second result of the function."""
        return self._evaluate(y, z)[1]

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        """The constant score of minimum loss, by Newton's method from zero with bounded steps."""
        at, weights = 0.0, np.ones(len(y)) if weight is None else weight
        for _ in range(100):
            gradient, curvature = self._evaluate(y, np.full(len(y), at))[:2]
            total, hessian = float(weights @ gradient), float(weights @ curvature)
            step = -total / hessian if hessian > 0 else 0.0
            at += float(np.clip(step, -1 - 10 * abs(at), 1 + 10 * abs(at)))
            if abs(step) <= 1e-10 * (1 + abs(at)):
                break
        return at

    def predict(self, z: Array) -> Array:
        """The prediction, which is the score."""
        return z

    def check(self, y: Array) -> None:
        """Every real target is valid."""

    def _evaluate(self, y: Array, z: Array) -> list[Array]:
        found = self.derivatives(y, z)
        if (
            not isinstance(found, tuple)
            or len(found) not in (2, 3)
            or any(np.shape(array) != y.shape for array in found)
        ):
            raise DataError(
                "loss must return a gradient and a Hessian value for each row, arrays as long as y, and optionally the "
                "losses as a third array"
            )
        result = [np.asarray(array, dtype=np.float64) for array in found]
        if not all(np.isfinite(array).all() for array in result):
            raise DataError("loss must return finite gradients and Hessians (and losses); some are NaN or infinite")
        if (result[1] < 0).any():
            raise DataError(
                f"loss must return nonnegative Hessians; got {result[1].min():.3g}. Return an upper bound of the "
                "second derivative where it is negative"
            )
        return result
