"""The Bernoulli distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from .distribution import Distribution, Sums


@dataclass(frozen=True, slots=True)
class Bernoulli(Distribution):
    """Bernoulli distribution: p(1) = probability, p(0) = 1 - probability; `pseudo_counts` are added to both counts.

    >>> Bernoulli.estimate(np.array([1.0, 1.0, 0.0]), pseudo_counts=1.0)
    Bernoulli(probability=0.6)
    """

    probability: float

    support = "0 and 1"

    @classmethod
    def supports(cls, x: Array) -> Array:
        return np.asarray((x == 0) | (x == 1))

    @classmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        return {"weight": float(weight.sum()), "total": float(weight @ x)}

    @classmethod
    def from_summary(cls, sums: Sums, pseudo_counts: float, typical: Sums) -> Self:
        weight = sums["weight"] + 2 * pseudo_counts
        return cls(float((sums["total"] + pseudo_counts) / weight) if weight > 0 else 0.5)

    def log_density(self, x: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.where(self.supports(x), np.log(np.where(x == 1, self.probability, 1 - self.probability)), -np.inf)

    @property
    def mean(self) -> float:
        return self.probability

    @property
    def variance(self) -> float:
        return self.probability * (1 - self.probability)

    def sample(self, draws: np.random.Generator, n: int) -> Array:
        return (draws.random(n) < self.probability).astype(np.float64)
