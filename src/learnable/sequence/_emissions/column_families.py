"""Families of distributions of a single column, whose parameters have a row for each state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from ...core import Array
from .counts import log_factorial, xlogy

RESOLUTION = 1e-11  # smallest standard deviation of a normal distribution, in units of the largest entry


class ColumnFamily(ABC):
    """A family of distributions of one column: parameters of maximum likelihood for weighted entries, densities, draws.

    `x` are the observed entries, `weights` their weights, a column per state; parameters are (states, number).
    """

    names: tuple[str, ...] = ()
    support: ClassVar[str] = "numbers"

    def __init__(self, x: Array | None = None) -> None:  # noqa: B027  # few families need to
        """Prepare for the observed entries of a column, if they are known."""

    @property
    def count(self) -> int:
        """The number of stored parameters."""
        return len(self.names)

    def outside(self, x: Array) -> Array:
        """Which entries the family cannot have."""
        return np.zeros(len(x), dtype=bool)

    @abstractmethod
    def estimate(self, x: Array, weights: Array) -> Array:
        """Parameters of maximum likelihood."""

    @abstractmethod
    def log_density(self, x: Array, parameters: Array) -> Array:
        """The log density of each entry, a column per state."""

    @abstractmethod
    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        """Entries drawn from one state."""

    def free(self) -> int:
        """The number of free parameters of a state."""
        return self.count


class NormalFamily(ColumnFamily):
    """Normal distributions; variances have a floor, relative to the variance of the column and to its rounding."""

    names = ("mean", "variance")

    def __init__(self, x: Array | None = None) -> None:
        self.floor = 0.0
        if x is not None and len(x):
            self.floor = max(1e-6 * float(x.var()), float(RESOLUTION * np.abs(x).max()) ** 2, 1e-300)

    def estimate(self, x: Array, weights: Array) -> Array:
        mean = weighted_mean(x, weights)
        mean += (weights * (x[:, None] - mean)).sum(axis=0) / weights.sum(axis=0)  # what rounding took from the sum
        variance = (weights * (x[:, None] - mean) ** 2).sum(axis=0) / weights.sum(axis=0)
        return np.stack([mean, np.maximum(variance, self.floor)], axis=1)

    def log_density(self, x: Array, parameters: Array) -> Array:
        mean, variance = parameters.T
        return np.asarray(-0.5 * ((x[:, None] - mean) ** 2 / variance + np.log(2 * np.pi * variance)))

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        return np.asarray(rng.normal(parameters[0], np.sqrt(parameters[1]), count))


class BernoulliFamily(ColumnFamily):
    """Zeros and ones."""

    names = ("probability",)
    support = "0 and 1"

    def outside(self, x: Array) -> Array:
        return np.asarray((x != 0) & (x != 1))

    def estimate(self, x: Array, weights: Array) -> Array:
        return np.minimum(weighted_mean(x, weights), 1.0)[:, None]

    def log_density(self, x: Array, parameters: Array) -> Array:
        ones, probability = x[:, None], parameters[:, 0]
        return xlogy(ones, probability) + xlogy(1 - ones, 1 - probability)

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        return np.asarray(rng.uniform(size=count) < parameters[0], dtype=np.float64)


class CategoricalFamily(ColumnFamily):
    """Symbols 0, 1, ...; their number is that of the learned data."""

    support = "whole numbers from 0"

    def __init__(self, x: Array | None = None) -> None:
        self.names = () if x is None or len(x) == 0 else tuple(f"p{level}" for level in range(int(x.max()) + 1))

    def outside(self, x: Array) -> Array:
        return np.asarray((x < 0) | (x != np.round(x)))

    def estimate(self, x: Array, weights: Array) -> Array:
        codes = x.astype(np.int64)
        counts = np.stack([np.bincount(codes, column, self.count) for column in weights.T])
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def log_density(self, x: Array, parameters: Array) -> Array:
        levels = parameters.shape[1]
        with np.errstate(divide="ignore"):
            logs = np.vstack([np.log(parameters.T), np.full(len(parameters), -np.inf)])
        return np.asarray(logs[np.minimum(x, levels).astype(np.int64)])

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        return np.asarray(rng.choice(len(parameters), count, p=parameters / parameters.sum()), dtype=np.float64)

    def free(self) -> int:
        return self.count - 1


class PoissonFamily(ColumnFamily):
    """Counts."""

    names: tuple[str, ...] = ("rate",)
    support = "whole numbers from 0"
    outside = CategoricalFamily.outside

    def estimate(self, x: Array, weights: Array) -> Array:
        return weighted_mean(x, weights)[:, None]

    def log_density(self, x: Array, parameters: Array) -> Array:
        rate = parameters[:, 0]
        return np.asarray(xlogy(x[:, None], rate) - rate - log_factorial(x)[:, None])

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        return np.asarray(rng.poisson(parameters[0], count), dtype=np.float64)


class ZeroInflatedPoissonFamily(PoissonFamily):
    """Zero-inflated Poisson: counts with more zeros than a Poisson distribution has."""

    names: tuple[str, ...] = ("zeros", "rate")

    def estimate(self, x: Array, weights: Array) -> Array:
        mean, positive = weighted_mean(x, weights), (weights * (x > 0)[:, None]).sum(axis=0) / weights.sum(axis=0)
        above = mean / np.maximum(positive, 1e-300)  # the mean of a Poisson count that is not zero
        rate = bisect(lambda r: above - r / -np.expm1(-r), 1e-12, np.maximum(above, 1e-9))
        zeros = 1 - positive / -np.expm1(-rate)
        plain = (zeros <= 0) | (positive <= 0)
        return np.stack([np.where(plain, 0.0, zeros), np.where(plain, mean, rate)], axis=1)

    def log_density(self, x: Array, parameters: Array) -> Array:
        zeros = parameters[:, 0]
        with np.errstate(divide="ignore"):
            counts = np.log1p(-zeros) + super().log_density(x, parameters[:, 1:])
            return np.where(x[:, None] == 0, np.logaddexp(np.log(zeros), counts), counts)

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        kept = rng.uniform(size=count) >= parameters[0]
        return np.asarray(super().draw(parameters[1:], count, rng) * kept)


class NegativeBinomialFamily(ColumnFamily):
    """Counts whose variance, mean + mean^2 / size, is above that of a Poisson distribution."""

    names = ("mean", "size")
    support = "whole numbers from 0"
    outside = CategoricalFamily.outside

    def estimate(self, x: Array, weights: Array) -> Array:
        from scipy.special import digamma

        mean, total = weighted_mean(x, weights), weights.sum(axis=0)
        values, inverse = np.unique(x, return_inverse=True)
        counts = np.stack([np.bincount(inverse, column, len(values)) for column in weights.T], axis=1)

        def derivative(size: Array) -> Array:
            change = counts * (digamma(values[:, None] + size) - digamma(size))
            return np.asarray(change.sum(axis=0) / total - np.log1p(mean / size))

        return np.stack([mean, bisect(derivative, 1e-3, 1e6 * np.ones(len(mean)))], axis=1)

    def log_density(self, x: Array, parameters: Array) -> Array:
        from scipy.special import gammaln

        (mean, size), count = parameters.T, x[:, None]
        constant = gammaln(count + size) - gammaln(size) - log_factorial(x)[:, None]
        return np.asarray(constant - size * np.log1p(mean / size) + xlogy(count, mean / (mean + size)))

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        mean, size = parameters
        return np.asarray(rng.poisson(rng.gamma(size, mean / size, count)), dtype=np.float64)


class ExponentialFamily(ColumnFamily):
    """Waiting times."""

    names = ("rate",)
    support = "numbers of at least 0"

    def outside(self, x: Array) -> Array:
        return np.asarray(x < 0)

    def estimate(self, x: Array, weights: Array) -> Array:
        return np.asarray(1 / np.maximum(weighted_mean(x, weights), 1e-150))[:, None]

    def log_density(self, x: Array, parameters: Array) -> Array:
        return np.asarray(np.log(parameters[:, 0]) - x[:, None] * parameters[:, 0])

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        return np.asarray(rng.exponential(1 / parameters[0], count))


class GammaFamily(ColumnFamily):
    """Positive numbers with a gamma distribution: shape, and rate."""

    names = ("shape", "rate")
    support = "numbers above 0"

    def outside(self, x: Array) -> Array:
        return np.asarray(x <= 0)

    def estimate(self, x: Array, weights: Array) -> Array:
        from scipy.special import digamma

        mean = weighted_mean(x, weights)
        spread = np.maximum(np.log(mean) - weighted_mean(np.log(x), weights), 0.0)
        shape = bisect(lambda a: np.log(a) - digamma(a) - spread, 1e-6, 1e6 * np.ones(len(mean)))
        return np.stack([shape, shape / mean], axis=1)

    def log_density(self, x: Array, parameters: Array) -> Array:
        from scipy.special import gammaln

        (shape, rate), value = parameters.T, x[:, None]
        return np.asarray(shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(value) - rate * value)

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        return np.asarray(rng.gamma(parameters[0], 1 / parameters[1], count))


class VonMisesFamily(ColumnFamily):
    """Angles in radians: mean direction, and concentration."""

    names = ("direction", "concentration")

    def estimate(self, x: Array, weights: Array) -> Array:
        from scipy.special import i0e, i1e

        sine, cosine = weighted_mean(np.sin(x), weights), weighted_mean(np.cos(x), weights)
        length = np.hypot(sine, cosine)
        kappa = bisect(lambda k: length - i1e(k) / i0e(k), 1e-9, 1e6 * np.ones(len(length)))
        return np.stack([np.arctan2(sine, cosine), kappa], axis=1)

    def log_density(self, x: Array, parameters: Array) -> Array:
        from scipy.special import i0e

        direction, kappa = parameters.T
        return np.asarray(kappa * (np.cos(x[:, None] - direction) - 1) - np.log(2 * np.pi * i0e(kappa)))

    def draw(self, parameters: Array, count: int, rng: np.random.RandomState) -> Array:
        return np.asarray(rng.vonmises(parameters[0], parameters[1], count))


FAMILIES: dict[str, type[ColumnFamily]] = {
    "gaussian": NormalFamily, "bernoulli": BernoulliFamily, "categorical": CategoricalFamily,
    "poisson": PoissonFamily, "zero_inflated_poisson": ZeroInflatedPoissonFamily,
    "negative_binomial": NegativeBinomialFamily, "exponential": ExponentialFamily, "gamma": GammaFamily,
    "von_mises": VonMisesFamily,
}  # fmt: skip


def weighted_mean(x: Array, weights: Array) -> Array:
    """The mean of the entries for each column of weights."""
    return np.asarray(weights.T @ x / weights.sum(axis=0))


def bisect(derivative: Callable[[Array], Array], low: float, high: Array) -> Array:
    """The root between `low` and `high` of a derivative that is above zero before it, for several at once.

    >>> bisect(lambda x: 4 - x**2, 1e-6, np.array([100.0])).round(6).tolist()
    [2.0]
    """
    before, after = np.full(len(high), low), np.asarray(high, dtype=np.float64)
    for _ in range(80):
        middle = np.sqrt(before * after)
        rising = derivative(middle) > 0
        before, after = np.where(rising, middle, before), np.where(rising, after, middle)
    return np.asarray(np.sqrt(before * after))
