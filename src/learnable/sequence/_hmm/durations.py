"""Distributions of the durations of hidden states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...core import Array
from ...engines.chain import logarithms
from .._emissions.emissions import log_dirichlet, posterior_counts

Family = Literal["poisson", "negative_binomial", "geometric", "table"]
NAMES: dict[str, tuple[str, ...]] = {
    "poisson": ("rate",), "geometric": ("ratio",), "negative_binomial": ("ratio", "size"), "table": (),
}  # fmt: skip
SIZES = 1e-2, 1e4  # of negative binomial distributions
GOLDEN = (np.sqrt(5) - 1) / 2
MAX_LOG_RATIO = 40.0  # of log ratios


@dataclass(frozen=True)
class Durations:
    """Durations from `least` to `most` steps: `least` plus a count with a distribution that is cut off at `most`.

    The probability of a count y is proportional to h(y) r^y: with h(y) = 1 / y! (poisson, rate r), 1 (geometric) or
    Gamma(y + size) / y! (negative binomial). A table has any probabilities, with a Dirichlet `prior`.
    """

    family: Family
    least: int
    most: int
    prior: float = 1.0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters of a state; those of a table are its probabilities."""
        return NAMES[self.family]

    @property
    def count(self) -> int:
        """The number of parameters of a state."""
        return self.most if self.family == "table" else len(self.names)

    @property
    def free(self) -> int:
        """The number of free parameters of a state."""
        return self.most - self.least if self.family == "table" else self.count

    def log_table(self, parameters: Array) -> Array:
        """The log probabilities of 1, 2, ..., `most` steps, a row per state."""
        if self.family == "table":
            return logarithms(parameters)
        size = parameters[:, 1] if self.family == "negative_binomial" else np.ones(len(parameters))
        with np.errstate(divide="ignore"):
            return self._padded(self._log_probabilities(np.maximum(np.log(parameters[:, 0]), -1e300), size))

    def estimate(self, complete: Array, last: Array, before: Array) -> Array:
        """M-step: parameters for expected numbers of complete durations, and of steps of segments that were cut off."""
        table = np.exp(self.log_table(before))
        survival = np.flip(np.cumsum(np.flip(table, axis=1), axis=1), axis=1)
        open_ended = np.where(last > 0, last / np.where(survival > 0, survival, 1.0), 0.0)
        return self.maximise(complete + table * np.cumsum(open_ended, axis=1), before)

    def maximise(self, counts: Array, before: Array | None = None) -> Array:
        """Parameters of maximum likelihood for numbers of durations; a state without any keeps those before."""
        if self.family == "table":
            return posterior_counts(counts, self.prior, counts / counts.sum(axis=1, keepdims=True) if before is None
                                    else before)  # fmt: skip
        counts = counts[:, self.least - 1 :]
        total = counts.sum(axis=1)
        mean = counts @ np.arange(counts.shape[1]) / np.where(total > 0, total, 1.0)
        if self.family == "negative_binomial":
            found = self._negative_binomial(counts, mean)
        else:
            found = np.exp(self._log_ratio(mean, np.ones(len(mean))))[:, None]
        if before is None:
            return found
        better = self._log_likelihood(counts, found) >= self._log_likelihood(counts, before)
        return np.where((better & (total > 0))[:, None], found, before)

    def initial(self, means: Array) -> Array:
        """Parameters for geometric durations of these means."""
        above = np.maximum(means - self.least, 1e-3)
        ratio = above / (1 + above)
        counts = np.zeros((len(means), self.most))
        counts[:, self.least - 1 :] = ratio[:, None] ** np.arange(self.most - self.least + 1)
        return self.maximise(counts)

    def log_prior(self, parameters: Array) -> float:
        """The log prior density of the parameters, up to a constant."""
        return log_dirichlet(parameters, self.prior) if self.family == "table" else 0.0

    def _padded(self, values: Array) -> Array:
        return np.hstack([np.full((len(values), self.least - 1), -np.inf), values])

    def _log_probabilities(self, log_ratio: Array, size: Array) -> Array:
        """Log probabilities of the counts 0, 1, ..., a row per state."""
        from scipy.special import gammaln, logsumexp

        y = np.arange(self.most - self.least + 1)
        base = {"poisson": -gammaln(y + 1.0), "geometric": np.zeros(len(y))}.get(self.family)
        if base is None:
            base = gammaln(y + size[:, None]) - gammaln(size)[:, None] - gammaln(y + 1.0)
        scores = base + y * log_ratio[:, None]
        return np.asarray(scores - logsumexp(scores, axis=1, keepdims=True))

    def _log_ratio(self, mean: Array, size: Array) -> Array:
        """The log ratio at which the counts have these means, which is that of maximum likelihood."""
        low, high = np.full(len(mean), -MAX_LOG_RATIO), np.full(len(mean), MAX_LOG_RATIO)
        y, middle = np.arange(self.most - self.least + 1), np.zeros(len(mean))
        for _ in range(100):  # Newton steps, and bisection where these leave the bracket
            probabilities = np.exp(self._log_probabilities(middle, size))
            found = probabilities @ y
            low, high = np.where(found < mean, middle, low), np.where(found < mean, high, middle)
            variance = probabilities @ y**2 - found**2
            with np.errstate(divide="ignore", invalid="ignore"):
                moved = middle + (mean - found) / variance
            moved = np.where((moved > low) & (moved < high), moved, (low + high) / 2)
            if (np.abs(moved - middle) <= 1e-14 * MAX_LOG_RATIO).all():
                break
            middle = moved
        return np.asarray(middle)

    def _negative_binomial(self, counts: Array, mean: Array) -> Array:
        """The ratio for each of many sizes, of which a golden-section search finds the best."""

        def at(log_size: Array) -> tuple[Array, Array]:
            ratio = self._log_ratio(mean, np.exp(log_size))
            parameters = np.stack([np.exp(ratio), np.exp(log_size)], axis=1)
            return parameters, self._log_likelihood(counts, parameters)

        low, high = (np.full(len(mean), np.log(bound)) for bound in SIZES)
        for _ in range(30):
            left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
            rising = at(left)[1] < at(right)[1]
            low, high = np.where(rising, left, low), np.where(rising, high, right)
        return at((low + high) / 2)[0]

    def _log_likelihood(self, counts: Array, parameters: Array) -> Array:
        logs = self.log_table(parameters)[:, self.least - 1 :]
        return np.asarray((counts * np.where(counts > 0, logs, 0.0)).sum(axis=1))
