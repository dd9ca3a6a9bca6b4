"""Importance and rejection sampling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, generator, seed_of

BATCH = 4096
EQUAL = 1e-10  # weights, as fractions of the largest, that differ by less are equal up to rounding


def _proposal_of(owner: str, proposal: Any) -> tuple[Callable[[Any, int], Array], Callable[[Array], Array]]:
    """How to draw from a proposal and its log density: of a SciPy distribution, or of a pair of functions."""
    if hasattr(proposal, "rvs") and hasattr(proposal, "logpdf"):
        return lambda random, n: np.asarray(proposal.rvs(size=n, random_state=random)), proposal.logpdf
    if isinstance(proposal, tuple) and len(proposal) == 2 and all(map(callable, proposal)):
        return proposal
    raise ParameterError(
        f"{owner}: proposal must be a distribution with rvs and logpdf, such as scipy.stats.norm(), or a pair of "
        f"functions draw(random, n) and log_density(x); got {proposal!r:.60}"
    )


def _log_values(owner: str, function: Any, x: Array, name: str) -> Array:
    if not callable(function):
        raise ParameterError(f"{owner}: {name} must be a function; got {function!r:.60}")
    given = function(x)
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{owner}: {name} must return {len(x)} numbers, one per draw; got {given!r:.60}") from None
    if values.shape != (len(x),):
        raise DataError(f"{owner}: {name} must return {len(x)} numbers, one per draw; got the shape {values.shape}")
    if (values == np.inf).any():
        raise DataError(f"{owner}: {name} is infinite at {x[int(values.argmax())]!r:.40}; densities must be finite")
    return np.where(np.isnan(values), -np.inf, values)


def _drawn(owner: str, draw: Callable[[Any, int], Any], random: Any, count: int) -> Array:
    """Draws of a proposal, a row for each."""
    x = np.asarray(draw(random, count))
    if x.ndim == 0 or len(x) != count:
        raise DataError(f"{owner}: the proposal must give {count} draws; got the shape {x.shape}")
    return x


def _refuse_count(owner: str, n_samples: Any) -> None:
    if isinstance(n_samples, bool) or not isinstance(n_samples, (int, np.integer)) or n_samples < 1:
        raise ParameterError(f"{owner}: n_samples must be a whole number of at least 1; got {n_samples!r:.40}")


@dataclass(frozen=True, eq=False)
class ImportanceSample:
    """Weighted draws: `mean(f)` estimates the expectation of f(x), `log_normaliser` the integral of the density."""

    x: Array
    log_weights: Array

    @property
    def weights(self) -> Array:
        """The weights, which sum to 1."""
        grown = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(grown / grown.sum())

    @property
    def log_normaliser(self) -> float:
        """Logarithm of the mean weight: of the integral of the unnormalised density."""
        most = self.log_weights.max()
        return float(most + np.log(np.mean(np.exp(self.log_weights - most))))

    @property
    def effective_sample_size(self) -> float:
        """1 / sum of squared weights: as many independent draws would do as well."""
        return float(1 / (self.weights**2).sum())

    @property
    def pareto_k(self) -> float:
        """Shape of the tail of the weights; above 0.7 the estimates cannot be trusted. [Vehtari et al., 2024]"""
        return pareto_shape(self.log_weights)

    def mean(self, function: Callable[[Array], Any] | None = None) -> Any:
        """The expectation of f(x), by default of x itself."""
        values = self._of_draws(function)
        return np.tensordot(self.weights, values, axes=1)

    def standard_error(self, function: Callable[[Array], Any] | None = None) -> Any:
        """The standard error of `mean`."""
        values = self._of_draws(function)
        deviations = values - self.mean(function)
        return np.sqrt(np.tensordot(self.weights**2, deviations**2, axes=1))

    def _of_draws(self, function: Callable[[Array], Any] | None) -> Array:
        """The values of a function at the draws, a row for each."""
        if function is not None and not callable(function):
            raise ParameterError(f"ImportanceSample: f must be a function of the draws; got {function!r:.60}")
        values = np.asarray(self.x if function is None else function(self.x), dtype=np.float64)
        if values.ndim == 0 or len(values) != len(self.x):
            raise DataError(
                f"ImportanceSample: f must return a row for each of {len(self.x)} draws; got {values.shape}"
            )
        return values

    def resample(self, n: int, random_state: RandomState = None) -> Array:
        """Draws with equal weights, taken in proportion to the weights."""
        random = generator(seed_of(random_state))
        return np.asarray(self.x[random.choice(len(self.x), n, p=self.weights)])


def pareto_shape(log_weights: Array) -> float:
    """Shape k of the generalised Pareto distribution of the largest weights, by Zhang and Stephens' estimate."""
    total = len(log_weights)
    count = int(min(0.2 * total, 3 * np.sqrt(total)))
    if count < 5:
        return float("inf")
    ordered = np.sort(log_weights - log_weights.max())
    excess = np.exp(ordered[-count:]) - np.exp(ordered[-count - 1])
    if excess[-1] <= EQUAL:  # the largest weights are equal, without a tail
        return float("-inf")
    excess = excess[excess > 0]  # without ties with the threshold
    count = len(excess)
    if count < 5:
        return float("inf")
    grid = 30 + int(np.sqrt(count))
    quartile = excess[int(count / 4 + 0.5) - 1]
    steps = np.sqrt(grid / (np.arange(1, grid + 1) - 0.5))
    rates = (1 - steps) / (3 * quartile) + 1 / excess[-1]
    shapes = np.log1p(-rates[:, None] * excess).mean(axis=1)
    likelihood = count * (np.log(-rates / shapes) - shapes - 1)
    weights = np.exp(likelihood - likelihood.max())
    rate = float(rates @ weights / weights.sum())
    shape = float(np.log1p(-rate * excess).mean())
    return (count * shape + 10 * 0.5) / (count + 10)  # a weak prior towards one half


def importance_sample(
    log_density: Callable[[Array], Any], proposal: Any, n_samples: int = 1000, *, random_state: RandomState = None
) -> ImportanceSample:
    """Importance sampling: draws from a proposal, weighted by the density over that of the proposal.

    `log_density` gets all draws at once, of shape (n,) or (n, dimension), and returns n numbers. `proposal` is a
    distribution of SciPy, or a pair of functions draw(random, n) and log_density(x); its tails must not be lighter than
    those of the density. [Kahn and Marshall, 1953]

    >>> from scipy.stats import t
    >>> found = importance_sample(lambda x: -0.5 * x**2, t(5), 20000, random_state=0)
    >>> bool(abs(np.exp(found.log_normaliser) - np.sqrt(2 * np.pi)) < 0.03), found.pareto_k < 0.5
    (True, True)
    """
    draw, log_proposal = _proposal_of("importance_sample", proposal)
    _refuse_count("importance_sample", n_samples)
    x = _drawn("importance_sample", draw, generator(seed_of(random_state)), n_samples)
    log_weights = _log_values("importance_sample", log_density, x, "log_density")
    log_weights = log_weights - _log_values("importance_sample", log_proposal, x, "the log density of proposal")
    if (log_weights == np.inf).any():
        raise DataError("importance_sample: the density of proposal is 0 at one of its own draws")
    if not (log_weights > -np.inf).any():
        raise DataError("importance_sample: the density is 0 at every draw; choose another proposal")
    return ImportanceSample(x, log_weights)


@dataclass(frozen=True, eq=False)
class RejectionSample:
    """Independent exact draws, and the fraction of proposals that were accepted."""

    x: Array
    acceptance_rate: float


def rejection_sample(
    log_density: Callable[[Array], Any],
    proposal: Any,
    log_bound: float,
    n_samples: int = 1000,
    *,
    max_proposals: int = 10_000_000,
    random_state: RandomState = None,
) -> RejectionSample:
    """Rejection sampling: exact draws from a density below exp(log_bound) times that of a proposal.

    A draw of the proposal is accepted with the probability p(x) / (exp(log_bound) q(x)). `log_density` and `proposal`
    are as in `importance_sample`. A ratio above the bound is an error, which says how large it must be.
    [von Neumann, 1951]

    >>> from scipy.stats import uniform
    >>> found = rejection_sample(lambda x: np.log(6 * x * (1 - x)), uniform(), np.log(1.5), 5000, random_state=0)
    >>> found.x.shape, round(found.acceptance_rate, 1), bool(abs(found.x.mean() - 0.5) < 0.02)
    ((5000,), 0.7, True)
    """
    owner = "rejection_sample"
    draw, log_proposal = _proposal_of(owner, proposal)
    _refuse_count(owner, n_samples)
    if isinstance(log_bound, bool) or not isinstance(log_bound, Real) or not np.isfinite(log_bound):
        raise ParameterError(f"{owner}: log_bound must be a finite number; got {log_bound!r:.40}")
    random, kept, accepted, proposed = generator(seed_of(random_state)), [], 0, 0
    while accepted < n_samples:
        if proposed >= max_proposals:
            raise DataError(
                f"{owner}: {accepted} of {proposed} proposals were accepted; choose a closer "
                "proposal or a smaller bound"
            )
        x = _drawn(owner, draw, random, BATCH)
        ratio = _log_values(owner, log_density, x, "log_density")
        ratio = ratio - _log_values(owner, log_proposal, x, "the log density of proposal") - log_bound
        if ratio.max() > 1e-12:
            raise DataError(
                f"{owner}: log_bound={log_bound:g} is too small: the log ratio is {ratio.max() + log_bound:g} at "
                f"{x[int(ratio.argmax())]!r:.40}"
            )
        kept.append(x[np.log1p(-random.random(BATCH)) < ratio])
        accepted, proposed = accepted + len(kept[-1]), proposed + BATCH
    return RejectionSample(np.concatenate(kept)[:n_samples], accepted / proposed)
