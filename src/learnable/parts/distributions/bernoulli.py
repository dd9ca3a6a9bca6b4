"""One toss of a coin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from .distribution import Distribution, Sums


@dataclass(frozen=True, slots=True)
class Bernoulli(Distribution):
    """p(1) = chance, p(0) = 1 - chance; `made_up` observations of each value smooth the estimate.

    >>> Bernoulli.estimate(np.array([1.0, 1.0, 0.0]), made_up=1.0)
    Bernoulli(chance=0.6)
    """

    chance: float

    support = "0 and 1"

    @classmethod
    def supports(cls, x: Array) -> Array:
        return np.asarray((x == 0) | (x == 1))

    @classmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        return {"weight": float(weight.sum()), "total": float(weight @ x)}

    @classmethod
    def from_summary(cls, sums: Sums, made_up: float, typical: Sums) -> Self:
        weight = sums["weight"] + 2 * made_up
        return cls(float((sums["total"] + made_up) / weight) if weight > 0 else 0.5)

    def log_density(self, x: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.where(self.supports(x), np.log(np.where(x == 1, self.chance, 1 - self.chance)), -np.inf)

    @property
    def mean(self) -> float:
        return self.chance

    @property
    def variance(self) -> float:
        return self.chance * (1 - self.chance)

    def sample(self, draws: np.random.Generator, n: int) -> Array:
        return (draws.random(n) < self.chance).astype(np.float64)
