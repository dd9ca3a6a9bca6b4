"""A loss that the user gives by its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import DataError


@dataclass(frozen=True)
class GivenLoss:
    """Gradient and curvature by a function of targets and scores; the loss itself is not known.

    In its place stands half the squared Newton step in the metric of the curvature, which is zero at the optimum.
    """

    derivatives: Callable[[Array, Array], tuple[Any, Any]]

    smooth = True
    link = "identity"

    def value(self, y: Array, z: Array) -> Array:
        """Half the squared gradient over the curvature."""
        gradient, curvature = self._derivatives(y, z)
        return gradient**2 / np.where(curvature > 0, 2 * curvature, np.inf)

    def gradient(self, y: Array, z: Array) -> Array:
        """What the function says first."""
        return self._derivatives(y, z)[0]

    def curvature(self, y: Array, z: Array) -> Array:
        """What the function says second."""
        return self._derivatives(y, z)[1]

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        """Found by Newton's method from zero, each step no longer than one beyond its place."""
        at, share = 0.0, np.ones(len(y)) if weight is None else weight
        for _ in range(100):
            gradient, curvature = self._derivatives(y, np.full(len(y), at))
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

    def _derivatives(self, y: Array, z: Array) -> tuple[Array, Array]:
        found = self.derivatives(y, z)
        if not isinstance(found, tuple) or len(found) != 2 or any(np.shape(part) != y.shape for part in found):
            raise DataError("loss must return a gradient and a curvature for each row, a pair of arrays as long as y")
        gradient, curvature = (np.asarray(part, dtype=np.float64) for part in found)
        if not (np.isfinite(gradient).all() and np.isfinite(curvature).all()):
            raise DataError("loss must return finite gradients and curvatures; some are NaN or infinite")
        return gradient, curvature
