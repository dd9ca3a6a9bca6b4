"""The normal distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from ..downdated_sums import left, scatter_left
from .distribution import Distribution, Sums


@dataclass(frozen=True, slots=True)
class Normal(Distribution):
    """Normal distribution: p(x) = exp(-(x - centre)^2 / (2 spread^2)) / (spread sqrt(2 pi)).

    `pseudo_counts` times the typical variance is added, which keeps variances above zero.

    >>> Normal.estimate(np.array([1.0, 3.0]))
    Normal(centre=2.0, spread=1.0)
    """

    centre: float
    spread: float

    @classmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        total = float(weight.sum())
        if total == 0:
            return {"weight": 0.0, "mean": 0.0, "scatter": 0.0}
        mean = float(x[0] + weight @ (x - x[0]) / total)
        return {"weight": total, "mean": mean, "scatter": float(weight @ (x - mean) ** 2)}

    @classmethod
    def add(cls, one: Sums, other: Sums) -> Sums:
        weight = one["weight"] + other["weight"]
        if weight == 0:
            return dict(one)
        apart, share = other["mean"] - one["mean"], other["weight"] / weight
        scatter = one["scatter"] + other["scatter"] + one["weight"] * share * apart**2
        return {"weight": weight, "mean": one["mean"] + share * apart, "scatter": scatter}

    @classmethod
    def subtract(cls, whole: Sums, part: Sums) -> Sums:
        weight = float(left(whole["weight"], part["weight"]))
        if weight == 0:
            return {"weight": 0.0, "mean": 0.0, "scatter": 0.0}
        mean = whole["mean"] + (whole["mean"] - part["mean"]) * part["weight"] / weight
        between = weight * part["weight"] / whole["weight"] * (part["mean"] - mean) ** 2
        scatter = scatter_left(whole["scatter"], part["scatter"], between, whole["weight"], whole["mean"])
        return {"weight": weight, "mean": mean, "scatter": float(scatter)}

    @classmethod
    def from_summary(cls, sums: Sums, pseudo_counts: float, typical: Sums) -> Self:
        known = sums if sums["weight"] > 0 else typical
        variance = known["scatter"] / known["weight"] if known["weight"] > 0 else 1.0
        usual = typical["scatter"] / typical["weight"] if typical["weight"] > 0 else 0.0
        least = max(abs(known["mean"]), float(np.sqrt(usual))) * np.finfo(np.float64).eps
        spread = max(float(np.sqrt(variance + pseudo_counts * usual)), float(least))
        return cls(float(known["mean"]), spread if spread > 0 else 1.0)

    def log_density(self, x: Array) -> Array:
        return np.asarray(-0.5 * ((x - self.centre) / self.spread) ** 2 - np.log(self.spread) - 0.5 * np.log(2 * np.pi))

    @property
    def mean(self) -> float:
        return self.centre

    @property
    def variance(self) -> float:
        return self.spread**2

    def sample(self, draws: np.random.Generator, n: int) -> Array:
        return draws.normal(self.centre, self.spread, n)
