"""A mean and a variance that are both unknown, and normal values."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.numeric import half_step
from ._checks import counts_of, draws_of, numbers_of, positive, share


@dataclass(frozen=True, slots=True)
class NormalInverseGamma:
    """Normal-inverse-gamma distribution of the mean mu and variance s2 of normal values.

    s2 ~ InverseGamma(shape, scale),   mu | s2 ~ N(location, s2 / strength),   x | mu, s2 ~ N(mu, s2)

    `strength` is the number of observations behind the location. The object is both prior and posterior: `posterior`
    returns another one, at once or in steps with the same result; a new value has a Student t distribution.
    [Raiffa and Schlaifer, 1961]

    >>> known = NormalInverseGamma(0, 1, 2, 2).posterior([1.0, 2.0, 3.0])
    >>> known
    NormalInverseGamma(location=1.5, strength=4.0, shape=3.5, scale=4.5)
    """

    location: float = 0.0
    strength: float = 1.0
    shape: float = 1.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        positive("NormalInverseGamma", strength=self.strength, shape=self.shape, scale=self.scale)
        if not (isinstance(self.location, Real) and np.isfinite(self.location)):
            raise ParameterError(f"NormalInverseGamma: location must be a finite number; got {self.location!r}")

    def posterior(self, x: Any, weight: Any = None) -> NormalInverseGamma:
        """The posterior after the values `x`, with weights if given."""
        values = numbers_of("NormalInverseGamma", x, "x").ravel()
        if not np.isfinite(values).all():
            raise DataError("NormalInverseGamma: x holds NaN or infinity; drop missing values first")
        copies = np.ones(len(values)) if weight is None else counts_of("NormalInverseGamma", weight).ravel()
        if len(copies) != len(values):
            raise DataError(f"NormalInverseGamma: {len(copies)} weights for {len(values)} values; each needs one")
        n = float(copies.sum())
        if n == 0:
            return self
        strength = self.strength + n
        with np.errstate(over="ignore", invalid="ignore"):
            mean = copies @ values / n
            scatter = copies @ (values - mean) ** 2
            between = self.strength * n / strength * (mean - self.location) ** 2
        location = float((self.strength * self.location + n * mean) / strength)
        scale = float(self.scale + (scatter + between) / 2)
        if not np.isfinite([location, scale]).all():
            raise DataError("NormalInverseGamma: the values of x are so large that their squares overflow; scale x")
        return NormalInverseGamma(location, strength, self.shape + n / 2, scale)

    update = posterior

    @property
    def mean(self) -> tuple[float, float]:
        """Expected mu and s2; the latter is infinite up to a shape of 1."""
        return self.location, self.scale / (self.shape - 1) if self.shape > 1 else float("inf")

    @property
    def mode(self) -> tuple[float, float]:
        """The most probable mu and s2 together: the MAP estimate."""
        return self.location, self.scale / (self.shape + 1.5)

    def log_density(self, mu: Any, s2: Any) -> Array:
        """The logarithm of the joint density of mu and s2."""
        from scipy.special import gammaln

        owner = "NormalInverseGamma"
        m, v = np.broadcast_arrays(numbers_of(owner, mu, "means mu"), numbers_of(owner, s2, "variances s2"))
        known = np.where(v > 0, v, 1.0)
        norm = 0.5 * np.log(self.strength / (2 * np.pi)) + self.shape * np.log(self.scale) - gammaln(self.shape)
        rest = (self.scale + self.strength * (m - self.location) ** 2 / 2) / known
        return np.where(v > 0, norm - (self.shape + 1.5) * np.log(known) - rest, -np.inf)

    def density_of_mean(self, mu: Any) -> Array:
        """The density of mu, the variance integrated out: a Student t."""
        return np.asarray(np.exp(self._log_t(mu, self.scale / (self.shape * self.strength))))

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Central credible interval of mu."""
        from scipy.special import stdtrit

        upper = float(stdtrit(2 * self.shape, (1 + share("NormalInverseGamma", confidence)) / 2))
        half = upper * float(np.sqrt(self.scale / (self.shape * self.strength)))
        return self.location - half, self.location + half

    def log_predictive(self, x: Any) -> Array:
        """The logarithm of the density of a new value, mu and s2 integrated out."""
        return self._log_t(x, self.scale * (self.strength + 1) / (self.shape * self.strength))

    def predictive(self, x: Any) -> Array:
        """The density of a new value: Student t with 2 shape degrees of freedom."""
        return np.asarray(np.exp(self.log_predictive(x)))

    def log_evidence(self, x: Any) -> float:
        """The logarithm of the density of all of `x` together, mu and s2 integrated out."""
        from scipy.special import gammaln

        after, n = self.posterior(x), np.size(x)
        gain = gammaln(after.shape) - gammaln(self.shape) + self.shape * np.log(self.scale)
        gain += 0.5 * np.log(self.strength / after.strength) - after.shape * np.log(after.scale)
        return float(gain - n / 2 * np.log(2 * np.pi))

    def sample(self, size: int = 1, random_state: Any = None) -> Array:
        """New values, each with a mean and a variance of its own."""
        draws = np.random.default_rng(random_state)
        variance = self.scale / draws.gamma(self.shape, 1.0, draws_of("NormalInverseGamma", size))
        mean = draws.normal(self.location, np.sqrt(variance / self.strength))
        return np.asarray(draws.normal(mean, np.sqrt(variance)))

    def _log_t(self, x: Any, square: float) -> Array:
        """Logarithm of a Student t density of 2 shape degrees of freedom about the location."""
        degrees = 2 * self.shape
        apart = (numbers_of("NormalInverseGamma", x, "values") - self.location) ** 2 / square
        norm = half_step(self.shape) - 0.5 * np.log(degrees * np.pi * square)
        return np.asarray(norm - (degrees + 1) / 2 * np.log1p(apart / degrees))
