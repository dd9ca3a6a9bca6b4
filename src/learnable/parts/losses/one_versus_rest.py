"""A loss of the margin for several classes, one versus rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...core import Array
from .target_range import demand


@dataclass(frozen=True)
class OneVersusRest:
    """One versus rest: the sum over classes of a loss of the margin, +z for the own class of a row and -z for others.

    >>> from learnable.parts.losses import Hinge
    >>> OneVersusRest(Hinge()).value(np.array([1.0]), np.array([[-2.0, 0.5, 0.0]])).tolist()
    [1.5]
    """

    loss: Any

    link: ClassVar[str] = "sign"

    @property
    def curvature_bound(self) -> float | None:
        """That of the loss, as the classes have scores of their own."""
        bound: float | None = self.loss.curvature_bound
        return bound

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(self.loss.value(_signs(y, z), z).sum(axis=1))

    def gradient(self, y: Array, z: Array) -> Array:
        return np.asarray(self.loss.gradient(_signs(y, z), z))

    def predict(self, z: Array) -> Array:
        """The prediction of the loss for each class."""
        return np.asarray(self.loss.predict(z))

    def check(self, y: Array) -> None:
        """Raise DataError if a target is not the index of a class."""
        demand((y >= 0) & (y == np.floor(y)), y, "one versus rest", "whole numbers y from 0")


def _signs(y: Array, z: Array) -> Array:
    """1 in the column of the class of each row, -1 elsewhere."""
    return np.where(np.arange(z.shape[1]) == y.astype(np.intp)[:, None], 1.0, -1.0)
