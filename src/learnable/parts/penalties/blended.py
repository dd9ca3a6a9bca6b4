"""Base class of the penalties with an l1 and a squared l2 term."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from ...core import Array


@dataclass(frozen=True)
class Blended(ABC):
    """Regularisation strength `alpha`, of which the fraction `l1_ratio` goes to the l1 term, the rest to the l2 term.

    `unit` is the scale of the weights: the penalty of w is that of unit * w with `unit` one.
    """

    alpha: float = 1.0
    l1_ratio: float = 0.5
    unit: float = field(default=1.0, repr=False)

    @property
    def l1(self) -> float:
        """The factor of the l1 term."""
        return self.alpha * self.l1_ratio * self.unit

    @property
    def l2(self) -> float:
        """The factor of the squared term, which is halved."""
        return self.alpha * (1 - self.l1_ratio) * self.unit * self.unit

    def scaled(self, unit: float) -> Self:
        """The penalty for weights measured in another unit, of which `unit` times the weights are the given ones."""
        return replace(self, unit=self.unit * unit)

    def alpha_max(self, largest: float) -> float:
        """The smallest alpha with all weights zero, for a gradient at zero of this largest size; inf without l1."""
        if self.l1_ratio == 0:
            return np.inf if largest else 0.0
        return largest / self.l1_ratio / self.unit

    def value(self, w: Array) -> float:
        """Penalty of the weights."""
        return sum(self.terms(w))

    @abstractmethod
    def terms(self, w: Array) -> tuple[float, float]:
        """The l1 term and the squared term of the penalty."""
