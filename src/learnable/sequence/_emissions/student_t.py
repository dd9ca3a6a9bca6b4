"""Student's t emissions, robust to outliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...engines.generative.component_covariances import Sums, draw_normal, per_component
from ...engines.generative.elliptical_components import Ellipsoids, best_freedom, expected_sums, log_joint
from ...engines.generative.missing_patterns import find_missing_patterns, impute_means
from ...engines.iterate import State


@dataclass(frozen=True)
class StudentTEmissions:
    """A multivariate t distribution per state: a normal one whose precision is multiplied by a latent scale.

    `floor` is a variance added to every row; `freedom` the degrees of freedom, estimated if None.
    """

    freedom: float | None
    floor: float
    owner: str

    names = ("means", "scales", "freedom")

    def initial(self, X: Array, heavy: Array, rng: np.random.Generator) -> State:
        """Means of the rows of each state, and the covariance of all rows for every state."""
        filled, K, p = clip_outliers(impute_means(X, None)), heavy.shape[1], X.shape[1]
        total = heavy.sum(axis=0)[:, None]
        means = np.where(total > 0, heavy.T @ filled / np.maximum(total, 1e-300), filled.mean(axis=0))
        covariance = np.cov(filled.T, bias=len(X) == 1).reshape(p, p) + max(self.floor, 1e-300) * np.eye(p)
        freedom = np.full(K, 10.0 if self.freedom is None else self.freedom)
        return {"means": means, "scales": np.repeat(covariance[None], K, axis=0), "freedom": freedom}

    def _shapes(self, parameters: State) -> Ellipsoids:
        weights = np.zeros(len(parameters["means"]))
        return Ellipsoids(
            weights, parameters["means"], parameters["scales"], parameters["freedom"], self.floor, self.owner
        )

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log densities of the observed entries of each row."""
        return log_joint(X, self._shapes(parameters), find_missing_patterns(np.isnan(X)))

    def maximise(self, X: Array, heavy: Array, parameters: State, update: frozenset[str]) -> State:
        """An ECM step: means and scale matrices for the expected latent scales, then degrees of freedom."""
        sums, tails = expected_sums(X, self._shapes(parameters), find_missing_patterns(np.isnan(X)), heavy)
        total = tails[0] + 10 * np.finfo(np.float64).eps
        moved = sums.shift / np.maximum(sums.total, 1e-300)[:, None]
        if "means" not in update:
            moved = np.zeros_like(moved)
        freedom = best_freedom(tails[1] / total) if self.freedom is None else parameters["freedom"]
        return {"means": parameters["means"] + moved, "scales": _scatter(sums, moved, total), "freedom": freedom}

    def log_prior(self, parameters: State) -> float:
        """A uniform prior."""
        return 0.0

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Rows from the t distribution of a state."""
        mean, v = parameters["means"][state], float(parameters["freedom"][state])
        normal = draw_normal(rng, np.zeros(len(mean)), parameters["scales"][state], count, self.owner)
        return np.asarray(mean + normal / np.sqrt(rng.chisquare(v, count) / v)[:, None])

    def free_parameters(self, parameters: State) -> int:
        """Means, scale matrices, and degrees of freedom where they are estimated."""
        count, p = parameters["means"].shape
        return int(count * (p + p * (p + 1) // 2 + (self.freedom is None)))


def _scatter(sums: Sums, moved: Array, total: Array) -> Array:
    """Scale matrices: products about the new means, weighted by the latent scales, over the total weight."""
    cross = sums.shift[:, :, None] * moved[:, None, :]
    about = sums.scatter - cross - np.swapaxes(cross, 1, 2)
    return per_component(about + sums.total[:, None, None] * moved[:, :, None] * moved[:, None, :], total)


def clip_outliers(X: Array) -> Array:
    """Entries beyond three interquartile ranges of the quartiles, which would distort the clusters, clipped.

    >>> clip_outliers(np.array([[0.0], [1.0], [2.0], [3.0], [900.0]])).ravel().tolist()
    [0.0, 1.0, 2.0, 3.0, 9.0]
    """
    low, high = np.quantile(X, [0.25, 0.75], axis=0)
    wide = np.where(high > low, 3 * (high - low), np.inf)
    return np.clip(X, low - wide, high + wide)
