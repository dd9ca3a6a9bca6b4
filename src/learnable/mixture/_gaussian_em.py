"""EM for Gaussian mixtures."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ..core.runtime.threads import single_threaded_blas
from ..engines.em import responsibilities_and_likelihood
from ..engines.generative.missing_patterns import Patterns, find_missing_patterns
from ..engines.iterate import State
from ._covariances import Kind, Sums, as_full, as_variances, ill_defined, maximise, precision_triangles
from ._elliptical_em import Ellipsoids, expected_sums
from ._elliptical_em import log_joint as log_joint_of_observed
from ._init import impute_means

MOST_STEPS, NEAR = 1000, 1e-10  # iterations and tolerance of the fit of one Gaussian to all rows


@dataclass(frozen=True)
class GaussianSteps:
    """EM for rows X: responsibilities of the components, then components of maximum likelihood given these.

    `floor` is a variance added to every row: it keeps covariances away from zero without ever lowering the likelihood,
    which includes it.
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
        """EM for rows that may have missing values."""
        gone = np.isnan(X)
        if not gone.any():
            return cls(X, weight, kind, floor, variance, owner, None)
        return cls(X.astype(np.float64), weight, kind, floor, variance, owner, find_missing_patterns(gone))

    @property
    def filled(self) -> Array:
        """The rows with missing values imputed by the column means."""
        return self.X if self.patterns is None else impute_means(self.X, self.weight)

    def improve(self, parameters: State) -> tuple[State, float]:
        """Parameters after an E-step and an M-step, and the mean log likelihood of those given."""
        sums, likelihood = self.e_step(parameters)
        return self._components(sums, parameters["means"]), likelihood

    def initial(self, responsibilities: Array) -> State:
        """The M-step for given responsibilities; missing values are imputed by the column means."""
        return self._components(*self.summed(responsibilities))

    def summed(self, responsibilities: Array) -> tuple[Sums, Array]:
        """Responsibility-weighted sums about the mean of all rows, and that mean, repeated for each component."""
        X = self.filled
        heavy = responsibilities if self.weight is None else responsibilities * self.weight[:, None]
        means = np.repeat(X.mean(axis=0, keepdims=True, dtype=np.float64), responsibilities.shape[1], axis=0)
        return self._summed(X, heavy, means), means

    def of_all_rows(self) -> tuple[Array, Array]:
        """Maximum likelihood mean and covariance of one Gaussian for all rows, missing values integrated out."""
        one = replace(self, kind="full")
        found, last = one.initial(np.ones((len(self.X), 1))), -np.inf
        for _ in range(0 if self.patterns is None else MOST_STEPS):
            found, likelihood = one.improve(found)
            if likelihood - last <= NEAR:
                break
            last = likelihood
        return found["means"][0], found["covariances"][0]

    def _components(self, sums: Sums, means: Array) -> State:
        weights, means, covariances = maximise(sums, means, self.kind, self.variance)
        return {"weights": weights, "means": means, "covariances": covariances}

    def e_step(self, parameters: State) -> tuple[Sums, float]:
        """The E-step: responsibility-weighted sums under these parameters, and the mean log likelihood."""
        if self.patterns is not None:
            return self._with_missing(parameters, self.patterns)
        if self.kind in ("full", "tied"):
            return self._in_one_pass(parameters)
        scores = log_joint(self.X, parameters, self.kind, self.floor, self.owner)
        responsibilities, logs = responsibilities_and_likelihood(scores)
        heavy = responsibilities if self.weight is None else responsibilities * self.weight[:, None]
        return self._summed(self.X, heavy, parameters["means"]), self._mean(logs)

    def _in_one_pass(self, parameters: State) -> tuple[Sums, float]:
        """Responsibilities and sums of products in one pass, without storing the former."""
        means = parameters["means"]
        triangles, constants = _triangles(parameters, self.kind, self.floor, self.owner)
        found = kernels.mixture_pass(self.X, self.weight, means.mean(axis=0), means, triangles, constants)
        likelihood, total, shift, scatter = found
        scatter = scatter + self.floor * total[:, None, None] * np.eye(means.shape[1])
        rows = len(self.X) if self.weight is None else float(self.weight.sum())
        return Sums(total, shift, scatter), float(likelihood) / rows

    def _with_missing(self, parameters: State, patterns: Patterns) -> tuple[Sums, float]:
        shapes = _ellipsoids(parameters, self.kind, self.floor, self.owner)
        responsibilities, logs = responsibilities_and_likelihood(log_joint_of_observed(self.X, shapes, patterns))
        heavy = responsibilities if self.weight is None else responsibilities * self.weight[:, None]
        return expected_sums(self.X, shapes, patterns, heavy)[0], self._mean(logs)

    def _summed(self, X: Array, heavy: Array, means: Array) -> Sums:
        """Sums for given responsibilities; the floor is added to the variance of each row."""
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
    """Log of mixing weight times density, a column for each component; missing values are integrated out."""
    gone = np.isnan(X)
    if gone.any():
        shapes = _ellipsoids(parameters, kind, floor, owner)
        return log_joint_of_observed(X.astype(np.float64), shapes, find_missing_patterns(gone))
    means, p = parameters["means"], X.shape[1]
    if kind in ("full", "tied"):
        triangles, constants = _triangles(parameters, kind, floor, owner)
        return kernels.quadratic_scores(X, means.mean(axis=0), means, triangles, constants)
    scales = as_variances(precision_triangles(parameters["covariances"], kind, owner), kind, p)
    constants = _log_weights(parameters) + np.log(scales).sum(axis=1) - 0.5 * p * np.log(2 * np.pi)
    return kernels.gaussian_scores(X, means, scales, constants - 0.5 * floor * (scales**2).sum(axis=1))


def _triangles(parameters: State, kind: Kind, floor: float, owner: str) -> tuple[list[Array], Array]:
    """Lower triangles L with precision L L', and the constant of the log joint density of each component."""
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
    constants = _log_weights(parameters) + logs - 0.5 * floor * np.trace(precisions, axis1=-2, axis2=-1)
    return list(np.broadcast_to(lower, (count, p, p))), constants


def _ellipsoids(parameters: State, kind: Kind, floor: float, owner: str) -> Ellipsoids:
    means = parameters["means"]
    covariances = as_full(parameters["covariances"], kind, *means.shape)
    return Ellipsoids(_log_weights(parameters), means, covariances, None, floor, owner)


def _log_weights(parameters: State) -> Array:
    """The log mixing weight of each component, and further constants of its log joint density."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(parameters["weights"]) + parameters.get("more", 0.0))
