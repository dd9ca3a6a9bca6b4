"""A loss that the user gives by its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError


@dataclass(frozen=True)
class GivenLoss:
    """Gradient and curvature of each row by a function of targets and scores, and the loss itself if it says so third.

    Where the loss is not known, half the squared Newton step in the metric of the curvature stands in its place, which
    is zero at the optimum but need not fall on the way there.
    """

    derivatives: Callable[[Array, Array], tuple[Any, ...]]
    known: bool = False

    smooth = True
    quadratic = False
    link = "identity"

    @classmethod
    def of(cls, derivatives: Callable[[Array, Array], tuple[Any, ...]], y: Array) -> GivenLoss:
        """The loss of these targets; whether it is known is found by asking for that of scores of zero."""
        return cls(derivatives, len(cls(derivatives)._said(y, np.zeros(len(y)))) == 3)

    @property
    def measure(self) -> str:
        """What `value` is."""
        return "training loss" if self.known else "half squared Newton step (the function gives no loss)"

    def value(self, y: Array, z: Array) -> Array:
        """What the function says third, or half the squared gradient over the curvature."""
        said = self._said(y, z)
        return said[2] if self.known else said[0] ** 2 / np.where(said[1] > 0, 2 * said[1], np.inf)

    def gradient(self, y: Array, z: Array) -> Array:
        """What the function says first."""
        return self._said(y, z)[0]

    def curvature(self, y: Array, z: Array) -> Array:
        """What the function says second."""
        return self._said(y, z)[1]

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        """Found by Newton's method from zero, each step no longer than one beyond its place."""
        at, share = 0.0, np.ones(len(y)) if weight is None else weight
        for _ in range(100):
            gradient, curvature = self._said(y, np.full(len(y), at))[:2]
            slope, bend = float(share @ gradient), float(share @ curvature)
            step = -slope / bend if bend > 0 else 0.0
            at += float(np.clip(step, -1 - 10 * abs(at), 1 + 10 * abs(at)))
            if abs(step) <= 1e-10 * (1 + abs(at)):
                break
        return at

    def predict(self, z: Array) -> Array:
        """The score itself."""
        return z

    def check(self, y: Array) -> None:
        """Every real target is allowed."""

    def _said(self, y: Array, z: Array) -> list[Array]:
        found = self.derivatives(y, z)
        if not isinstance(found, tuple) or len(found) not in (2, 3) or any(np.shape(part) != y.shape for part in found):
            raise DataError(
                "loss must return a gradient and a curvature for each row, arrays as long as y, and may return the "
                "losses third"
            )
        said = [np.asarray(part, dtype=np.float64) for part in found]
        if not all(np.isfinite(part).all() for part in said):
            raise DataError("loss must return finite gradients and curvatures (and losses); some are NaN or infinite")
        if (said[1] < 0).any():
            raise DataError(
                f"loss must return curvatures that are not negative; got {said[1].min():.3g}. Return an upper bound of "
                "the second derivative where it is below zero"
            )
        return said
