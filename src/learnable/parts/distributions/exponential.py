"""The exponential distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from .distribution import Distribution, Sums, mean_of


@dataclass(frozen=True, slots=True)
class Exponential(Distribution):
    """Exponential distribution: p(x) = exp(-x / scale) / scale for x >= 0, with `pseudo_counts` at the typical mean.

    >>> Exponential.estimate(np.array([1.0, 2.0, 3.0]))
    Exponential(scale=2.0)
    """

    scale: float

    support = "numbers from 0 on"

    @classmethod
    def supports(cls, x: Array) -> Array:
        return np.asarray((x >= 0) & np.isfinite(x))

    @classmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        return {"weight": float(weight.sum()), "total": float(weight @ x)}

    @classmethod
    def from_summary(cls, sums: Sums, pseudo_counts: float, typical: Sums) -> Self:
        scale = mean_of(sums, pseudo_counts, typical)
        return cls(scale if scale > 0 else float(np.finfo(np.float64).tiny))

    def log_density(self, x: Array) -> Array:
        known = self.supports(x)
        return np.where(known, -np.where(known, x, 0.0) / self.scale - np.log(self.scale), -np.inf)

    @property
    def mean(self) -> float:
        return self.scale

    @property
    def variance(self) -> float:
        return self.scale**2

    def sample(self, draws: np.random.Generator, n: int) -> Array:
        return draws.exponential(self.scale, n)
