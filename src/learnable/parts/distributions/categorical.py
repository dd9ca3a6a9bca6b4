"""The categorical distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ...core.validate.features import Array
from ..downdated_sums import left
from .distribution import Distribution, Sums


@dataclass(frozen=True, slots=True)
class Categorical(Distribution):
    """Categorical distribution: p(s) = probabilities[s] for s = 0, 1, ...; `pseudo_counts` are added to all counts.

    A level beyond them has the probability `unseen`, that of a count of zero.

    >>> Categorical.estimate(np.array([0.0, 2.0, 2.0]), pseudo_counts=1.0).probabilities.round(3)
    array([0.333, 0.167, 0.5  ])
    """

    probabilities: Array
    unseen: float = 0.0

    support = "whole numbers from 0 to 999999"

    @classmethod
    def supports(cls, x: Array) -> Array:
        return np.asarray((x >= 0) & (x == np.floor(x)) & (x < 1_000_000))

    @classmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        counted = weight > 0
        counts = np.bincount(x[counted].astype(np.int64), weights=weight[counted], minlength=1)
        return {"weight": float(weight.sum()), "counts": counts.astype(np.float64)}

    @classmethod
    def add(cls, one: Sums, other: Sums) -> Sums:
        first, second = _same_length(one["counts"], other["counts"])
        return {"weight": one["weight"] + other["weight"], "counts": first + second}

    @classmethod
    def subtract(cls, whole: Sums, part: Sums) -> Sums:
        counts = left(*_same_length(whole["counts"], part["counts"]))
        levels = int(np.flatnonzero(counts).max(initial=0)) + 1
        return {"weight": float(counts.sum()), "counts": counts[:levels]}

    @classmethod
    def from_summary(cls, sums: Sums, pseudo_counts: float, typical: Sums) -> Self:
        counts, usual = _same_length(sums["counts"], typical["counts"])
        smoothed = counts + pseudo_counts
        total = float(smoothed.sum())
        if total == 0:
            smoothed, total = usual, float(usual.sum())
        return cls(
            smoothed / total if total > 0 else np.full(len(counts), 1 / len(counts)), pseudo_counts / max(total, 1.0)
        )

    def log_density(self, x: Array) -> Array:
        known = self.supports(x)
        level = np.minimum(np.where(known, x, 0), len(self.probabilities)).astype(np.int64)
        with np.errstate(divide="ignore"):
            return np.where(known, np.log(np.append(self.probabilities, self.unseen))[level], -np.inf)

    @property
    def mean(self) -> float:
        return float(self.probabilities @ np.arange(len(self.probabilities)))

    @property
    def variance(self) -> float:
        return float(self.probabilities @ (np.arange(len(self.probabilities)) - self.mean) ** 2)

    def sample(self, draws: np.random.Generator, n: int) -> Array:
        return draws.choice(len(self.probabilities), n, p=self.probabilities).astype(np.float64)


def _same_length(first: Array, second: Array) -> tuple[Array, Array]:
    length = max(len(first), len(second))
    return np.pad(first, (0, length - len(first))), np.pad(second, (0, length - len(second)))
