"""Base class of univariate distributions."""

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
    def estimate(cls, x: Array, weight: Array | None = None, pseudo_counts: float = 0.0) -> Self:
        """The distribution estimated from weighted values and `pseudo_counts`."""
        values = np.asarray(x, dtype=np.float64)
        sums = cls.summary(values, np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64))
        return cls.from_summary(sums, pseudo_counts, sums)

    @classmethod
    def supports(cls, x: Array) -> Array:
        """Whether each value can occur."""
        return np.isfinite(x)

    @classmethod
    @abstractmethod
    def summary(cls, x: Array, weight: Array) -> Sums:
        """The sufficient statistics of weighted values."""

    @classmethod
    def add(cls, one: Sums, other: Sums) -> Sums:
        """The sums of both sets of values."""
        return {name: one[name] + other[name] for name in one}

    @classmethod
    def subtract(cls, whole: Sums, part: Sums) -> Sums:
        """The sums without the values of `part`."""
        return {name: left(whole[name], part[name]) for name in whole}

    @classmethod
    @abstractmethod
    def from_summary(cls, sums: Sums, pseudo_counts: float, typical: Sums) -> Self:
        """The distribution of these sums with `pseudo_counts` observations like those whose sums are `typical`."""

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


def mean_of(sums: Sums, pseudo_counts: float, typical: Sums) -> float:
    """The mean of values whose sums are `weight` and `total`, with pseudo-counts at the typical mean."""
    usual = typical["total"] / typical["weight"] if typical["weight"] > 0 else 0.0
    weight = sums["weight"] + pseudo_counts
    return float((sums["total"] + pseudo_counts * usual) / weight) if weight > 0 else float(usual)
