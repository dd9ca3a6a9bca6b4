"""What the penalties share that blend a kinked part with a squared one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Blend:
    """A strength, and how much of it goes to the part that makes zeros; the rest goes to the squared part."""

    strength: float = 1.0
    l1_ratio: float = 0.5

    @property
    def _absolute(self) -> float:
        return self.strength * self.l1_ratio

    @property
    def _squared(self) -> float:
        return self.strength * (1 - self.l1_ratio)

    def _strongest(self, largest: float) -> float:
        """The strength from which zero is best if the kinks must hold against `largest`; infinite without kinks."""
        if self.l1_ratio == 0:
            return np.inf if largest else 0.0
        return largest / self.l1_ratio
