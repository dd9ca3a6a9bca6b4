"""Dirichlet prior of the probabilities of several outcomes, and multinomial counts."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ._checks import counts_of, draws_of, numbers_of, trials
from ._rising_factorial import log_rising
from .beta_binomial import BetaBinomial


@dataclass(frozen=True)
class DirichletMultinomial:
    """Dirichlet-multinomial model: Dirichlet distribution of the probabilities of K outcomes, worth alpha_k of each.

    theta ~ Dir(alpha),   y | theta ~ Multinomial(n, theta),   theta | data ~ Dir(alpha + counts)

    The object is prior and posterior alike: `posterior` returns another one, at once or in steps with the same result.
    `pmf` and `sample` are of the counts in the next n trials, theta integrated out. [Lindley, 1964; Mosimann, 1962]

    >>> die = DirichletMultinomial([1] * 6).posterior([0, 1, 0, 0, 2, 3])
    >>> die.mean.round(3), die.mode.round(3)
    (array([0.083, 0.167, 0.083, 0.083, 0.25 , 0.333]), array([0.   , 0.167, 0.   , 0.   , 0.333, 0.5  ]))
    """

    alpha: Any

    def __post_init__(self) -> None:
        values = numbers_of("DirichletMultinomial", self.alpha, "entries of alpha").copy()
        if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all() or (values <= 0).any():
            raise ParameterError(
                f"DirichletMultinomial: alpha must be two or more finite numbers above 0; got {self.alpha!r:.80}"
            )
        object.__setattr__(self, "alpha", values)

    def __repr__(self) -> str:
        return f"DirichletMultinomial(alpha={self.alpha.tolist()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DirichletMultinomial) and np.array_equal(self.alpha, other.alpha)

    __hash__ = None  # type: ignore[assignment]  # arrays change

    @property
    def total(self) -> float:
        """alpha_0, the sum of alpha."""
        return float(self.alpha.sum())

    def posterior(self, counts: Any) -> DirichletMultinomial:
        """The posterior after these counts of the outcomes; rows of several experiments are summed."""
        seen = self._of_outcomes(counts_of("DirichletMultinomial", counts), "counts")
        return DirichletMultinomial(self.alpha + seen.reshape(-1, len(self.alpha)).sum(axis=0))

    def update(self, outcomes: Any) -> DirichletMultinomial:
        """The posterior after trials with these outcomes, numbered 0 to K - 1."""
        codes = np.asarray(outcomes)
        if codes.size and (codes.dtype.kind not in "iub" or codes.min() < 0 or codes.max() >= len(self.alpha)):
            raise DataError(f"DirichletMultinomial: outcomes must be whole numbers from 0 to {len(self.alpha) - 1}")
        return self.posterior(np.bincount(codes.astype(np.int64).ravel(), minlength=len(self.alpha)))

    @property
    def mean(self) -> Array:
        """E theta_k = alpha_k / alpha_0."""
        return np.asarray(self.alpha / self.total)

    @property
    def variance(self) -> Array:
        """Var theta_k = m_k (1 - m_k) / (alpha_0 + 1) with the means m."""
        return np.asarray(self.mean * (1 - self.mean) / (self.total + 1))

    @property
    def mode(self) -> Array:
        """The most probable theta, (alpha_k - 1) / (alpha_0 - K): the MAP estimate; needs every alpha_k >= 1."""
        excess = self.alpha - 1
        if (excess < 0).any():
            raise ParameterError(
                "DirichletMultinomial: the density has no single highest point where an alpha is below 1"
            )
        return np.asarray(excess / excess.sum()) if excess.any() else self.mean

    def marginal(self, outcome: int) -> BetaBinomial:
        """Marginal distribution of the probability of one outcome: Beta(alpha_k, alpha_0 - alpha_k)."""
        if not (isinstance(outcome, Integral) and 0 <= outcome < len(self.alpha)):
            raise ParameterError(
                f"DirichletMultinomial: outcome must be a whole number from 0 to {len(self.alpha) - 1}; got {outcome!r}"
            )
        return BetaBinomial(float(self.alpha[outcome]), float(self.total - self.alpha[outcome]))

    def log_density(self, theta: Any) -> Array:
        """The logarithm of the density of theta: sum (alpha_k - 1) log theta_k - log B(alpha)."""
        from scipy.special import gammaln, xlogy

        values = self._of_outcomes(
            numbers_of("DirichletMultinomial", theta, "probabilities theta"), "probabilities theta"
        )
        norm = gammaln(self.alpha).sum() - gammaln(self.total)
        inside = (values >= 0).all(axis=-1) & np.isclose(values.sum(axis=-1), 1)
        logs = xlogy(self.alpha - 1, np.maximum(values, 0)).sum(axis=-1) - norm
        return np.where(inside, logs, -np.inf)

    def log_pmf(self, counts: Any) -> Array:
        """log P(counts) of n = sum counts trials: log n! / prod y_k! B(alpha + y) / B(alpha); -inf for parts of one."""
        y = self._of_outcomes(counts_of("DirichletMultinomial", counts), "counts")
        n = y.sum(axis=-1)
        ways = log_rising(1, n) - log_rising(1, y).sum(axis=-1)
        logs = ways + log_rising(self.alpha, y).sum(axis=-1) - log_rising(self.total, n)
        return np.where((y == np.floor(y)).all(axis=-1), logs, -np.inf)

    def pmf(self, counts: Any) -> Array:
        """P(counts), theta integrated out."""
        return np.asarray(np.exp(self.log_pmf(counts)))

    def predictive_mean(self, n: int) -> Array:
        """E y_k = n alpha_k / alpha_0."""
        return np.asarray(trials("DirichletMultinomial", n) * self.mean)

    def predictive_variance(self, n: int) -> Array:
        """Var y_k = n m_k (1 - m_k) (n + alpha_0) / (1 + alpha_0)."""
        n = trials("DirichletMultinomial", n)
        return np.asarray(n * self.mean * (1 - self.mean) * (n + self.total) / (1 + self.total))

    def sample(self, n: int, size: int = 1, random_state: Any = None) -> Array:
        """Counts of the outcomes in n trials, drawn `size` times with a new theta each."""
        draws, count = np.random.default_rng(random_state), draws_of("DirichletMultinomial", size)
        return np.asarray(draws.multinomial(trials("DirichletMultinomial", n), draws.dirichlet(self.alpha, count)))

    def _of_outcomes(self, values: Array, words: str) -> Array:
        """Numbers of which the last axis must be as long as there are outcomes."""
        if values.shape[-1:] != self.alpha.shape:
            raise DataError(
                f"DirichletMultinomial: there are {len(self.alpha)} outcomes, but the {words} have shape {values.shape}"
            )
        return values
