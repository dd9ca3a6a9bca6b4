"""The protocol of losses."""

from __future__ import annotations

from typing import Protocol

from ...core import Array


class Loss(Protocol):
    """Loss of a score z for a target y, elementwise over arrays of equal shape; it never sees X.

    `smooth`: the gradient is continuous. `convex`: in z, for every y that `check` lets through.
    `majorises`: at any z0 the parabola with the value, gradient and `curvature` of the loss there lies above the loss
    (but for a `floor`), so that minimising it never raises the loss.
    `quadratic`: half the squared residual, whose curvature is one and of which a Newton step finds the minimum.
    `curvature_bound`: the largest curvature, None if there is none.
    `link`: how a score becomes a prediction, "identity" or "log".
    """

    @property
    def smooth(self) -> bool: ...

    @property
    def convex(self) -> bool: ...

    @property
    def majorises(self) -> bool: ...

    @property
    def quadratic(self) -> bool: ...

    @property
    def curvature_bound(self) -> float | None: ...

    @property
    def link(self) -> str: ...

    def value(self, y: Array, z: Array) -> Array:
        """Loss of each row."""
        ...

    def gradient(self, y: Array, z: Array) -> Array:
        """Derivative by z; at a kink, one element of the subdifferential."""
        ...

    def curvature(self, y: Array, z: Array) -> Array:
        """Second derivative by z, or a non-negative substitute that the class documents."""
        ...

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        """The constant score that minimises the weighted sum of losses; the middle one if not unique."""
        ...

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        """The constant that, added to z, minimises the weighted sum of losses."""
        ...

    def predict(self, z: Array) -> Array:
        """Prediction for a score (inverse link)."""
        ...

    def check(self, y: Array) -> None:
        """Raise DataError if a target is outside the range of the loss."""
        ...
