"""The Poisson distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from .distribution import Distribution, Sums, mean_of


@dataclass(frozen=True, slots=True)
class Poisson(Distribution):
    """Poisson distribution: p(x) = rate^x exp(-rate) / x!, with `pseudo_counts` at the typical rate.

    >>> Poisson.estimate(np.array([1.0, 2.0, 3.0]))
    Poisson(rate=2.0)
    """

    rate: float

    support = "whole numbers from 0 on"

    @classmethod
    def supports(cls, x: Array) -> Array:
        return np.asarray((x >= 0) & (x == np.floor(x)) & np.isfinite(x))

    @classmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        return {"weight": float(weight.sum()), "total": float(weight @ x)}

    @classmethod
    def from_summary(cls, sums: Sums, pseudo_counts: float, typical: Sums) -> Self:
        return cls(mean_of(sums, pseudo_counts, typical))

    def log_density(self, x: Array) -> Array:
        from scipy.special import gammaln, xlogy

        known = self.supports(x)
        count = np.where(known, x, 0.0)
        return np.where(known, xlogy(count, self.rate) - self.rate - gammaln(count + 1), -np.inf)

    @property
    def mean(self) -> float:
        return self.rate

    @property
    def variance(self) -> float:
        return self.rate

    def sample(self, draws: np.random.Generator, n: int) -> Array:
        return draws.poisson(self.rate, n).astype(np.float64)
