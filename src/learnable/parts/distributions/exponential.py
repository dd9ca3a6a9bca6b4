"""Waiting times without memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from .distribution import Distribution, Sums, mean_of


@dataclass(frozen=True, slots=True)
class Exponential(Distribution):
    """p(x) = exp(-x / wait) / wait for x >= 0; `made_up` observations at the typical mean smooth the estimate.

    >>> Exponential.estimate(np.array([1.0, 2.0, 3.0]))
    Exponential(wait=2.0)
    """

    wait: float

    support = "numbers from 0 on"

    @classmethod
    def supports(cls, x: Array) -> Array:
        return np.asarray((x >= 0) & np.isfinite(x))

    @classmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        return {"weight": float(weight.sum()), "total": float(weight @ x)}

    @classmethod
    def from_summary(cls, sums: Sums, made_up: float, typical: Sums) -> Self:
        wait = mean_of(sums, made_up, typical)
        return cls(wait if wait > 0 else float(np.finfo(np.float64).tiny))

    def log_density(self, x: Array) -> Array:
        known = self.supports(x)
        return np.where(known, -np.where(known, x, 0.0) / self.wait - np.log(self.wait), -np.inf)

    @property
    def mean(self) -> float:
        return self.wait

    @property
    def variance(self) -> float:
        return self.wait**2

    def sample(self, draws: np.random.Generator, n: int) -> Array:
        return draws.exponential(self.wait, n)
