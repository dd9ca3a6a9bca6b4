"""The protocol of penalties."""

from __future__ import annotations

from typing import Protocol

from ...core import Array


class Penalty(Protocol):
    """Penalty of the weights w, which never include the intercept.

    `smooth` the penalty has a gradient everywhere, and `gradient` is all of it.
    In `distance` and `strongest`, `gradient` is that of the loss part of the objective, of the shape of w.
    """

    @property
    def smooth(self) -> bool: ...

    def value(self, w: Array) -> float:
        """Penalty of the weights."""
        ...

    def gradient(self, w: Array) -> Array:
        """Gradient of the smooth part."""
        ...

    def prox(self, v: Array, step: float | Array) -> Array:
        """The w that minimises |w - v|^2 / 2 + step * value(w)."""
        ...

    def distance(self, w: Array, gradient: Array) -> Array:
        """Distance of -gradient from the subdifferential at w, by weight or group: zero exactly at an optimum."""
        ...

    def strongest(self, gradient: Array) -> float:
        """Smallest alpha at which w = 0 is optimal, given the gradient of the loss at w = 0."""
        ...
