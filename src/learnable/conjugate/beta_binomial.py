"""A probability with a beta distribution, and counts of successes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ._checks import counts_of, draws_of, numbers_of, positive, share, trials
from ._rising_factorial import log_rising


@dataclass(frozen=True, slots=True)
class BetaBinomial:
    """Beta prior or posterior of a probability theta, equivalent to `a` successes and `b` failures.

    theta ~ Beta(a, b),   y | theta ~ Binomial(n, theta),   theta | data ~ Beta(a + successes, b + failures)

    The object is prior and posterior alike: `posterior` returns another one, at once or in steps with the same result.
    `pmf`, `predictive_mean` and `sample` are of the successes in the next n trials, theta integrated out.
    [Bayes, 1763; Skellam, 1948]

    >>> known = BetaBinomial(1, 1).posterior(3, 1)
    >>> known, round(known.mean, 4), known.mode
    (BetaBinomial(a=4.0, b=2.0), 0.6667, 0.75)
    """

    a: float = 1.0
    b: float = 1.0

    def __post_init__(self) -> None:
        positive("BetaBinomial", a=self.a, b=self.b)

    def posterior(self, successes: Any, failures: Any) -> BetaBinomial:
        """The posterior after the given numbers of successes and failures; numbers, or arrays to be summed."""
        more, less = counts_of("BetaBinomial", successes).sum(), counts_of("BetaBinomial", failures).sum()
        return BetaBinomial(float(self.a + more), float(self.b + less))

    def update(self, outcomes: Any) -> BetaBinomial:
        """The posterior after trials with the outcomes 0 and 1."""
        tosses = counts_of("BetaBinomial", outcomes)
        if not np.isin(tosses, (0, 1)).all():
            raise ParameterError("BetaBinomial: outcomes must be 0 and 1; give counts to `posterior`")
        return self.posterior(float((tosses == 1).sum()), float((tosses == 0).sum()))

    @property
    def mean(self) -> float:
        """E theta = a / (a + b)."""
        return _share(self.a, self.b)

    @property
    def variance(self) -> float:
        """Var theta = a b / ((a + b)^2 (a + b + 1))."""
        return self.mean * _share(self.b, self.a) / 2 / (self.a / 2 + self.b / 2 + 0.5)  # a + b may overflow

    @property
    def mode(self) -> float:
        """The most probable theta, (a - 1) / (a + b - 2): the MAP estimate; or the end of the range that is it."""
        if self.a + self.b == 2 and self.a == 1:
            return 0.5  # all alike
        if self.a >= 1 and self.b >= 1:
            return _share(self.a - 1, self.b - 1)
        if self.a < 1 and self.b < 1:
            raise ParameterError("BetaBinomial: the density has no single highest point where a and b are below 1")
        return float(self.b < 1)

    def log_density(self, theta: Any) -> Array:
        """The logarithm of the density of theta, -inf outside 0 to 1."""
        from scipy.special import betaln, xlog1py, xlogy

        values = numbers_of("BetaBinomial", theta, "probabilities theta")
        inside = (values >= 0) & (values <= 1)
        known = np.where(inside, values, 0.5)
        logs = xlogy(self.a - 1, known) + xlog1py(self.b - 1, -known) - betaln(self.a, self.b)
        return np.where(inside, logs, -np.inf)

    def density(self, theta: Any) -> Array:
        """The density of theta."""
        return np.asarray(np.exp(self.log_density(theta)))

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Central credible interval of theta."""
        from scipy.special import betaincinv

        tail = (1 - share("BetaBinomial", confidence)) / 2
        return float(betaincinv(self.a, self.b, tail)), float(betaincinv(self.a, self.b, 1 - tail))

    def log_pmf(self, y: Any, n: int) -> Array:
        """log P(y successes in n trials) = log C(n, y) B(y + a, n - y + b) / B(a, b)."""
        n = trials("BetaBinomial", n)
        count = numbers_of("BetaBinomial", y, "successes y")
        known = (count >= 0) & (count <= n) & (count == np.floor(count))
        count = np.where(known, count, 0.0)
        ways = log_rising(n - count + 1, count) - log_rising(1, count)
        both = log_rising(self.a, count) + log_rising(self.b, n - count) - log_rising(self.a + self.b, n)
        return np.where(known, ways + both, -np.inf)

    def pmf(self, y: Any, n: int) -> Array:
        """P(y successes in n trials), theta integrated out."""
        return np.asarray(np.exp(self.log_pmf(y, n)))

    def predictive_mean(self, n: int) -> float:
        """E y = n a / (a + b)."""
        return trials("BetaBinomial", n) * self.mean

    def predictive_variance(self, n: int) -> float:
        """Var y = n mu (1 - mu) (1 + (n - 1) / (a + b + 1))."""
        n = trials("BetaBinomial", n)
        return n * self.mean * _share(self.b, self.a) * (1 + (n - 1) / (self.a + self.b + 1))

    def sample(self, n: int, size: int = 1, random_state: Any = None) -> Array:
        """Successes in n trials, drawn `size` times with a new theta each."""
        draws, count = np.random.default_rng(random_state), draws_of("BetaBinomial", size)
        return np.asarray(draws.binomial(trials("BetaBinomial", n), draws.beta(self.a, self.b, count)))


def _share(part: float, rest: float) -> float:
    """part / (part + rest), also where the sum overflows."""
    most = max(part, rest)
    return part / most / (part / most + rest / most)
