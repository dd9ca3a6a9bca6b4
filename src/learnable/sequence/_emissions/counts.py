"""Emissions of counts and of binary columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array, DataError
from ...engines.iterate import State
from .emissions import log_dirichlet, normalised

MAX_RATE = 9e18  # of a Poisson distribution whose counts are drawn as whole numbers of 8 bytes


def xlogy(x: Array | float, y: Array) -> Array:
    """x log y, which is 0 for x = 0."""
    from scipy.special import xlogy as found

    return np.asarray(found(x, y))


def log_factorial(count: Array) -> Array:
    """The logarithm of the factorial."""
    from scipy.special import gammaln

    return np.asarray(gammaln(count + 1))


def observed_sums(X: Array, weights: Array) -> tuple[Array, Array]:
    """Weight and weighted sum of the observed entries of each column, a row per state."""
    observed = ~np.isnan(X)
    return weights.T @ observed, weights.T @ np.where(observed, X, 0.0)


@dataclass(frozen=True)
class PoissonEmissions:
    """Counts in independent columns with a Poisson distribution each, and a gamma prior of the rates."""

    prior: Array | float
    weight: Array | float

    names = ("lambdas",)

    def initial(self, X: Array, weights: Array, rng: np.random.Generator) -> State:
        """Mean counts of the rows of each state, randomly lifted a little above zero."""
        total, sums = observed_sums(X, weights)
        seen, whole = observed_sums(X, np.ones((len(X), 1)))
        mean = whole / np.maximum(seen, 1)
        lifted = 0.1 * (mean + 0.1) * rng.uniform(0.5, 1.5, (weights.shape[1], X.shape[1]))
        return {"lambdas": (sums + lifted) / (total + 0.1)}

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log probabilities of the observed counts."""
        rates, observed = parameters["lambdas"], ~np.isnan(X)
        filled = np.where(observed, X, 0.0)
        constant = (log_factorial(filled) * observed).sum(axis=1, keepdims=True)
        if (rates > 0).all():
            return np.asarray(filled @ np.log(rates).T - observed @ rates.T - constant)
        terms = xlogy(filled[:, None, :], rates) - observed[:, None, :] * rates
        return np.asarray(terms.sum(axis=2) - constant)

    def maximise(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        """Mean counts, with the prior."""
        return self.from_statistics(self.statistics(X, weights, parameters), parameters)

    def statistics(self, X: Array, weights: Array, parameters: State) -> State:
        """Weights and sums of the observed entries."""
        total, sums = observed_sums(X, weights)
        return {"total": total, "sums": sums}

    def from_statistics(self, found: State, parameters: State) -> State:
        """Mean counts for such sums."""
        rows, sums = found["total"] + self.weight, found["sums"]
        rates = (sums + self.prior) / np.where(rows > 0, rows, 1.0)
        return {"lambdas": np.where(rows > 0, rates, parameters["lambdas"])}

    def log_prior(self, parameters: State) -> float:
        """The log density of a gamma prior with `prior` counts in `weight` steps."""
        rates = parameters["lambdas"]
        return float((xlogy(self.prior, rates) - self.weight * rates).sum())

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Counts drawn in a state."""
        rates = parameters["lambdas"][state]
        if not (rates < MAX_RATE).all():
            raise DataError(f"PoissonHMM: a state has a rate of {rates.max():.3g}, too large to draw counts")
        return np.asarray(rng.poisson(rates, (count, len(rates))))

    def free_parameters(self, parameters: State) -> int:
        """The rates."""
        return int(parameters["lambdas"].size)


@dataclass(frozen=True)
class MultinomialEmissions:
    """Counts of categories, a column each, in a known number of trials a row."""

    trials: Array | int

    names = ("emissionprob",)

    def initial(self, X: Array, weights: Array, rng: np.random.Generator) -> State:
        """Frequencies of the categories in each state, mixed with random probabilities."""
        _, sums = observed_sums(X, weights)
        drawn = rng.dirichlet(np.ones(X.shape[1]), weights.shape[1])
        return {"emissionprob": (sums + drawn) / (sums.sum(axis=1, keepdims=True) + 1)}

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log multinomial probabilities; 0 for rows that are missing."""
        filled = np.nan_to_num(X)
        constant = log_factorial(filled.sum(axis=1)) - log_factorial(filled).sum(axis=1)
        terms = xlogy(filled[:, None, :], parameters["emissionprob"]).sum(axis=2)
        return np.asarray(terms + constant[:, None])

    def maximise(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        """Relative frequencies of the categories in each state."""
        return self.from_statistics(self.statistics(X, weights, parameters), parameters)

    def statistics(self, X: Array, weights: Array, parameters: State) -> State:
        """Weighted counts of the categories."""
        return {"sums": observed_sums(X, weights)[1]}

    def from_statistics(self, found: State, parameters: State) -> State:
        """Relative frequencies for such counts."""
        return {"emissionprob": normalised(found["sums"], parameters["emissionprob"])}

    def log_prior(self, parameters: State) -> float:
        """A uniform prior."""
        return 0.0

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Counts of the categories drawn in a state; a trial number that varies is drawn too."""
        probabilities = parameters["emissionprob"][state]
        possible = np.atleast_1d(self.trials)
        if not len(possible):
            raise DataError("MultinomialHMM: n_trials must hold at least one number of trials to sample from")
        trials = rng.choice(possible, count)
        drawn = [rng.multinomial(n, probabilities / probabilities.sum()) for n in trials]
        return np.array(drawn, dtype=np.int64).reshape(count, len(probabilities))

    def free_parameters(self, parameters: State) -> int:
        """All probabilities but one in each state."""
        count, categories = parameters["emissionprob"].shape
        return int(count * (categories - 1))


@dataclass(frozen=True)
class BernoulliEmissions:
    """Independent columns that are 1 above a threshold, else 0, with a beta prior."""

    threshold: float
    prior: Array | float

    names = ("emissionprob",)

    def _binary(self, X: Array) -> Array:
        return np.where(np.isnan(X), np.nan, self.threshold < X)

    def initial(self, X: Array, weights: Array, rng: np.random.Generator) -> State:
        """Frequencies of ones in each state, mixed with random probabilities."""
        total, sums = observed_sums(self._binary(X), weights)
        return {"emissionprob": (sums + rng.uniform(0.25, 0.75, sums.shape)) / (total + 1)}

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log probabilities of the observed entries."""
        observed, probability = ~np.isnan(X)[:, None, :], parameters["emissionprob"]
        ones = np.nan_to_num(self._binary(X))[:, None, :]
        return np.asarray((xlogy(ones, probability) + xlogy(observed - ones, 1 - probability)).sum(axis=2))

    def maximise(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        """Relative frequencies of ones, with the prior."""
        return self.from_statistics(self.statistics(X, weights, parameters), parameters)

    def statistics(self, X: Array, weights: Array, parameters: State) -> State:
        """Weights and sums of the observed entries."""
        total, sums = observed_sums(self._binary(X), weights)
        return {"total": total, "sums": sums}

    def from_statistics(self, found: State, parameters: State) -> State:
        """Relative frequencies of ones for such sums."""
        total, sums = found["total"], found["sums"]
        counts = np.stack([total - sums, sums], axis=-1) + (np.asarray(self.prior) - 1)[..., None]
        before = np.stack([1 - parameters["emissionprob"], parameters["emissionprob"]], axis=-1)
        return {"emissionprob": normalised(np.maximum(counts, 0.0), before)[..., 1]}

    def log_prior(self, parameters: State) -> float:
        """The log density of a symmetric beta prior."""
        ones = parameters["emissionprob"]
        return log_dirichlet(np.stack([1 - ones, ones], axis=-1), np.asarray(self.prior)[..., None])

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Binary rows drawn in a state."""
        ones = parameters["emissionprob"][state]
        return np.asarray(rng.uniform(size=(count, len(ones))) < ones, dtype=np.int64)

    def free_parameters(self, parameters: State) -> int:
        """The probabilities of a one."""
        return int(parameters["emissionprob"].size)
