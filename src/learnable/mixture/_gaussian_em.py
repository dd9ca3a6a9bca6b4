"""Expectation and maximisation for normal components."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ..core.runtime.threads import single_threaded_blas
from ..engines.em import responsibilities_and_likelihood
from ..engines.generative.missing_patterns import Patterns, gap_patterns
from ..engines.iterate import State
from ._covariances import Kind, Sums, as_full, as_variances, ill_defined, maximised, precision_triangles
from ._elliptical_em import Ellipsoids, expected_sums
from ._elliptical_em import log_joint as log_joint_with_gaps
from ._init import without_gaps

MOST_STEPS, NEAR = 1000, 1e-10  # of the run that fits one normal distribution to all rows


@dataclass(frozen=True)
class GaussianSteps:
    """Steps for rows X: posteriors of the components, then the likeliest components for these posteriors.

    `floor` is a variance that every row has of its own: it keeps covariances away from zero without ever lowering the
    likelihood, which counts it too.
    """

    X: Array
    weight: Array | None
    kind: Kind
    floor: float
    variance: float
    owner: str
    patterns: Patterns | None

    @classmethod
    def of(cls, X: Array, weight: Array | None, kind: Kind, floor: float, variance: float, owner: str) -> GaussianSteps:
        """Steps for rows that may have gaps."""
        gone = np.isnan(X)
        if not gone.any():
            return cls(X, weight, kind, floor, variance, owner, None)
        return cls(X.astype(np.float64), weight, kind, floor, variance, owner, gap_patterns(gone))

    @property
    def filled(self) -> Array:
        """The rows, with gaps as the mean of their column."""
        return self.X if self.patterns is None else without_gaps(self.X, self.weight)

    def improve(self, parameters: State) -> tuple[State, float]:
        """Better components, and the mean log likelihood of those given."""
        sums, likelihood = self.expected(parameters)
        return self._components(sums, parameters["means"]), likelihood

    def begin(self, posterior: Array) -> State:
        """The likeliest components for a posterior of each row; gaps are taken as the mean of their column."""
        return self._components(*self.summed(posterior))

    def summed(self, posterior: Array) -> tuple[Sums, Array]:
        """Sums about the mean of all rows, for a posterior of each, and that mean, once for each component."""
        X = self.filled
        heavy = posterior if self.weight is None else posterior * self.weight[:, None]
        means = np.repeat(X.mean(axis=0, keepdims=True, dtype=np.float64), posterior.shape[1], axis=0)
        return self._summed(X, heavy, means), means

    def of_all_rows(self) -> tuple[Array, Array]:
        """Mean and covariance of the one normal distribution that is likeliest for all rows, gaps integrated out."""
        one = replace(self, kind="full")
        found, last = one.begin(np.ones((len(self.X), 1))), -np.inf
        for _ in range(0 if self.patterns is None else MOST_STEPS):
            found, likelihood = one.improve(found)
            if likelihood - last <= NEAR:
                break
            last = likelihood
        return found["means"][0], found["covariances"][0]

    def _components(self, sums: Sums, means: Array) -> State:
        weights, means, covariances = maximised(sums, means, self.kind, self.variance)
        return {"weights": weights, "means": means, "covariances": covariances}

    def expected(self, parameters: State) -> tuple[Sums, float]:
        """Sums weighted by the posterior under these parameters, and their mean log likelihood."""
        if self.patterns is not None:
            return self._with_gaps(parameters, self.patterns)
        if self.kind in ("full", "tied"):
            return self._in_one_pass(parameters)
        scores = log_joint(self.X, parameters, self.kind, self.floor, self.owner)
        posterior, logs = responsibilities_and_likelihood(scores)
        heavy = posterior if self.weight is None else posterior * self.weight[:, None]
        return self._summed(self.X, heavy, parameters["means"]), self._mean(logs)

    def _in_one_pass(self, parameters: State) -> tuple[Sums, float]:
        """Posteriors and sums of products, without keeping either for each row."""
        means = parameters["means"]
        triangles, constants = _triangles(parameters, self.kind, self.floor, self.owner)
        found = kernels.mixture_pass(self.X, self.weight, means.mean(axis=0), means, triangles, constants)
        likelihood, total, shift, scatter = found
        scatter = scatter + self.floor * total[:, None, None] * np.eye(means.shape[1])
        rows = len(self.X) if self.weight is None else float(self.weight.sum())
        return Sums(total, shift, scatter), float(likelihood) / rows

    def _with_gaps(self, parameters: State, patterns: Patterns) -> tuple[Sums, float]:
        shapes = _ellipsoids(parameters, self.kind, self.floor, self.owner)
        posterior, logs = responsibilities_and_likelihood(log_joint_with_gaps(self.X, shapes, patterns))
        heavy = posterior if self.weight is None else posterior * self.weight[:, None]
        return expected_sums(self.X, shapes, patterns, heavy)[0], self._mean(logs)

    def _summed(self, X: Array, heavy: Array, means: Array) -> Sums:
        """Sums for posteriors that are known for each row; the floor counts as variance of each."""
        total, p = heavy.sum(axis=0), X.shape[1]
        centre = X.mean(axis=0, dtype=np.float64)
        apart, off = X - centre, means - centre
        sums = heavy.T @ apart
        shift = sums - total[:, None] * off
        if self.kind in ("full", "tied"):
            scatter = np.stack([(apart * column[:, None]).T @ apart for column in heavy.T])
            cross = sums[:, :, None] * off[:, None, :]
            scatter += total[:, None, None] * (off[:, :, None] * off[:, None, :] + self.floor * np.eye(p))
            return Sums(total, shift, scatter - cross - np.swapaxes(cross, 1, 2))
        squares = heavy.T @ apart**2 - 2 * sums * off + total[:, None] * (off**2 + self.floor)
        return Sums(total, shift, squares)

    def _mean(self, logs: Array) -> float:
        return float(logs.mean() if self.weight is None else self.weight @ logs / self.weight.sum())


def log_joint(X: Array, parameters: State, kind: Kind, floor: float, owner: str) -> Array:
    """Log of weight times density, a column for each component; gaps are integrated out."""
    gone = np.isnan(X)
    if gone.any():
        shapes = _ellipsoids(parameters, kind, floor, owner)
        return log_joint_with_gaps(X.astype(np.float64), shapes, gap_patterns(gone))
    means, p = parameters["means"], X.shape[1]
    if kind in ("full", "tied"):
        triangles, constants = _triangles(parameters, kind, floor, owner)
        return kernels.quadratic_scores(X, means.mean(axis=0), means, triangles, constants)
    scales = as_variances(precision_triangles(parameters["covariances"], kind, owner), kind, p)
    constants = _begins(parameters) + np.log(scales).sum(axis=1) - 0.5 * p * np.log(2 * np.pi)
    return kernels.gaussian_scores(X, means, scales, constants - 0.5 * floor * (scales**2).sum(axis=1))


def _triangles(parameters: State, kind: Kind, floor: float, owner: str) -> tuple[list[Array], Array]:
    """Lower triangles L with precision L L', and what the scores of each component begin with."""
    means, covariances = parameters["means"], parameters["covariances"]
    count, p = means.shape
    with single_threaded_blas():
        upper = precision_triangles(covariances, kind, owner)
        precisions = upper @ np.swapaxes(upper, -1, -2)
        try:
            lower = np.linalg.cholesky(precisions)
        except np.linalg.LinAlgError:
            raise ill_defined(owner) from None
    logs = np.log(np.diagonal(upper, axis1=-2, axis2=-1)).sum(axis=-1) - 0.5 * p * np.log(2 * np.pi)
    constants = _begins(parameters) + logs - 0.5 * floor * np.trace(precisions, axis1=-2, axis2=-1)
    return list(np.broadcast_to(lower, (count, p, p))), constants


def _ellipsoids(parameters: State, kind: Kind, floor: float, owner: str) -> Ellipsoids:
    means = parameters["means"]
    covariances = as_full(parameters["covariances"], kind, *means.shape)
    return Ellipsoids(_begins(parameters), means, covariances, None, floor, owner)


def _begins(parameters: State) -> Array:
    """The log weight of each component, and what else its scores begin with."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(parameters["weights"]) + parameters.get("more", 0.0))
