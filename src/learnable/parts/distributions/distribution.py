"""What a distribution of one variable is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from ...core.validate.features import Array
from ..downdated_sums import left

Sums = dict[str, Any]
"""Sums over weighted values by name; `weight` is how many values there were."""


class Distribution(ABC):
    """A distribution of one variable; families are classes, distributions their objects."""

    support: ClassVar[str] = "real numbers"

    @classmethod
    def estimate(cls, x: Array, weight: Array | None = None, made_up: float = 0.0) -> Self:
        """The distribution that fits weighted values best, beside `made_up` observations."""
        values = np.asarray(x, dtype=np.float64)
        sums = cls.summary(values, np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64))
        return cls.from_summary(sums, made_up, sums)

    @classmethod
    def supports(cls, x: Array) -> Array:
        """Whether each value can occur."""
        return np.isfinite(x)

    @classmethod
    @abstractmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        """Sums over weighted values that are all the family needs."""

    @classmethod
    def joined(cls, one: Sums, other: Sums) -> Sums:
        """The sums of both sets of values."""
        return {name: one[name] + other[name] for name in one}

    @classmethod
    def parted(cls, whole: Sums, part: Sums) -> Sums:
        """The sums of the values that are left when those of `part` go."""
        return {name: left(whole[name], part[name]) for name in whole}

    @classmethod
    @abstractmethod
    def from_summary(cls, sums: Sums, made_up: float, typical: Sums) -> Self:
        """The distribution of these sums beside `made_up` observations, like those whose sums are `typical`."""

    @abstractmethod
    def log_density(self, x: Array) -> Array:
        """The logarithm of the density or probability of each value; -inf outside the support."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """The expectation."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """The expected square of the distance to the mean."""

    @abstractmethod
    def sample(self, draws: np.random.Generator, n: int) -> Array:
        """`n` independent values."""


def mean_of(sums: Sums, made_up: float, typical: Sums) -> float:
    """The mean of values whose sums are `weight` and `total`, beside made-up ones at the typical mean."""
    usual = typical["total"] / typical["weight"] if typical["weight"] > 0 else 0.0
    weight = sums["weight"] + made_up
    return float((sums["total"] + made_up * usual) / weight) if weight > 0 else float(usual)
