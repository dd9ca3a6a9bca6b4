"""Gaussian kernel density estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from ..downdated_sums import left, refuse_strangers
from .distribution import Distribution, Sums

CHUNK = 1 << 20  # differences computed together
MIN_LOG_DENSITY = -1e300  # logarithm below which densities are zero


@dataclass(frozen=True, slots=True)
class KernelSum(Distribution):
    """Kernel density estimate: p(x) = sum_i w_i N(x; point_i, width^2) / sum_i w_i.

    The width follows Scott's rule, 1.06 sd n^(-1/5); `pseudo_counts` times the typical sd is its minimum.
    [Parzen, 1962; Scott, 1992]

    >>> float(KernelSum.estimate(np.array([0.0, 1.0])).log_density(np.array([0.5]))[0]) < 0
    True
    """

    points: Array
    weight: Array
    width: float

    @classmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        counted = weight > 0
        points, place = np.unique(x[counted], return_inverse=True)
        sizes = np.bincount(place, weights=weight[counted], minlength=len(points)).astype(np.float64)
        return {"weight": float(weight.sum()), "points": points, "sizes": sizes}

    @classmethod
    def add(cls, one: Sums, other: Sums) -> Sums:
        return cls.summary(*(np.concatenate([one[name], other[name]]) for name in ("points", "sizes")))

    @classmethod
    def subtract(cls, whole: Sums, part: Sums) -> Sums:
        refuse_strangers(~np.isin(part["points"], whole["points"]))
        missing = np.zeros(len(whole["points"]))
        missing[np.searchsorted(whole["points"], part["points"])] = part["sizes"]
        return cls.summary(whole["points"], left(whole["sizes"], missing))

    @classmethod
    def from_summary(cls, sums: Sums, pseudo_counts: float, typical: Sums) -> Self:
        known = sums if sums["weight"] > 0 else typical
        usual = _deviation(typical)
        points, total = known["points"], max(known["weight"], 1.0)
        width = max(1.06 * _deviation(known) * total**-0.2, pseudo_counts * usual)
        rounding = float(np.abs(points).max(initial=0.0)) * np.finfo(np.float64).eps
        return cls(points, known["sizes"] / max(known["weight"], 1e-300), max(width, 1e-3 * usual, rounding) or 1.0)

    def log_density(self, x: Array) -> Array:
        values = np.asarray(x, dtype=np.float64)
        found = np.empty(len(values))
        step = max(CHUNK // max(len(self.points), 1), 1)
        for first in range(0, len(values), step):
            part = values[first : first + step, None]
            with np.errstate(over="ignore", divide="ignore"):  # squares that overflow are densities of zero
                logs = -0.5 * ((part - self.points) / self.width) ** 2 + np.log(self.weight)
                highest = np.maximum(logs.max(axis=1), MIN_LOG_DENSITY)
                found[first : first + step] = highest + np.log(np.exp(logs - highest[:, None]).sum(axis=1))
        return np.asarray(found - np.log(self.width) - 0.5 * np.log(2 * np.pi))

    @property
    def mean(self) -> float:
        return float(self.weight @ self.points)

    @property
    def variance(self) -> float:
        return float(self.weight @ (self.points - self.mean) ** 2) + self.width**2

    def sample(self, draws: np.random.Generator, n: int) -> Array:
        chosen = draws.choice(len(self.points), n, p=self.weight / self.weight.sum())
        return np.asarray(self.points[chosen] + self.width * draws.standard_normal(n))


def _deviation(sums: Sums) -> float:
    """The standard deviation of weighted points."""
    if sums["weight"] == 0:
        return 0.0
    share = sums["sizes"] / sums["weight"]
    return float(np.sqrt(share @ (sums["points"] - share @ sums["points"]) ** 2))
