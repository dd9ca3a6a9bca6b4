"""EM for Gaussian mixtures."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ..engines.em import responsibilities_and_likelihood
from ..engines.generative.component_covariances import Kind, Sums, maximise
from ..engines.generative.elliptical_components import expected_sums
from ..engines.generative.elliptical_components import log_joint as log_joint_of_observed
from ..engines.generative.gaussian_components import component_sums, ellipsoids, log_joint, triangles_and_constants
from ..engines.generative.missing_patterns import Patterns, find_missing_patterns, impute_means
from ..engines.iterate import State
from ..engines.passes import RowBlock, TrainingRows

MAX_STEPS, NEAR = 1000, 1e-10  # iterations and tolerance of the fit of one Gaussian to all rows


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
        missing = np.isnan(X)
        if not missing.any():
            return cls(X, weight, kind, floor, variance, owner, None)
        return cls(X.astype(np.float64), weight, kind, floor, variance, owner, find_missing_patterns(missing))

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
        weighted = responsibilities if self.weight is None else responsibilities * self.weight[:, None]
        means = np.repeat(X.mean(axis=0, keepdims=True, dtype=np.float64), responsibilities.shape[1], axis=0)
        return component_sums(X, weighted, means, self.kind, self.floor), means

    def of_all_rows(self) -> tuple[Array, Array]:
        """Maximum likelihood mean and covariance of one Gaussian for all rows, missing values integrated out."""
        one = replace(self, kind="full")
        found, last = one.initial(np.ones((len(self.X), 1))), -np.inf
        for _ in range(0 if self.patterns is None else MAX_STEPS):
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
        weighted = responsibilities if self.weight is None else responsibilities * self.weight[:, None]
        return component_sums(self.X, weighted, parameters["means"], self.kind, self.floor), self._mean(logs)

    def _in_one_pass(self, parameters: State) -> tuple[Sums, float]:
        """Responsibilities and sums of products in one pass, without storing the former."""
        means = parameters["means"]
        triangles, constants = triangles_and_constants(parameters, self.kind, self.floor, self.owner)
        found = kernels.mixture_pass(self.X, self.weight, means.mean(axis=0), means, triangles, constants)
        likelihood, total, shift, scatter = found
        scatter = scatter + self.floor * total[:, None, None] * np.eye(means.shape[1])
        rows = len(self.X) if self.weight is None else float(self.weight.sum())
        return Sums(total, shift, scatter), float(likelihood) / rows

    def _with_missing(self, parameters: State, patterns: Patterns) -> tuple[Sums, float]:
        shapes = ellipsoids(parameters, self.kind, self.floor, self.owner)
        responsibilities, logs = responsibilities_and_likelihood(log_joint_of_observed(self.X, shapes, patterns))
        weighted = responsibilities if self.weight is None else responsibilities * self.weight[:, None]
        return expected_sums(self.X, shapes, patterns, weighted)[0], self._mean(logs)

    def _mean(self, logs: Array) -> float:
        return float(logs.mean() if self.weight is None else self.weight @ logs / self.weight.sum())


@dataclass(frozen=True)
class ParameterChange:
    """The largest change of a weight, mean or covariance of columns in units of their standard deviations."""

    deviation: Array
    kind: Kind

    @classmethod
    def of(cls, steps: GaussianSteps) -> ParameterChange:
        """The change in units of the standard deviations of the rows."""
        X = steps.filled.astype(np.float64)
        mean = np.average(X, axis=0, weights=steps.weight)
        variance = np.average((X - mean) ** 2, axis=0, weights=steps.weight)
        return cls(np.sqrt(np.where(variance > 0, variance, 1.0)), steps.kind)

    def __call__(self, before: State, after: State) -> float:
        squares = self.deviation**2
        units = {
            "full": self.deviation[:, None] * self.deviation,
            "tied": self.deviation[:, None] * self.deviation,
            "diag": squares,
            "spherical": squares.mean(),
            "identity": 1.0,
        }
        unit = {"weights": 1.0, "means": self.deviation, "covariances": units[self.kind]}
        return max(float((np.abs(after[name] - before[name]) / unit[name]).max()) for name in unit)


@dataclass(frozen=True)
class BlockSteps:
    """EM for rows in blocks: an E-step is a pass that adds sums about the means."""

    rows: TrainingRows
    kind: Kind
    floor: float
    variance: float
    owner: str

    def improve(self, parameters: State) -> tuple[State, float]:
        """Parameters after an E-step and an M-step, and the mean log likelihood of those given."""
        settings = self.kind, self.floor, self.variance, self.owner
        sums, likelihood, weight = self.rows.total(expected_of_block, parameters, *settings)
        weights, means, covariances = maximise(sums, parameters["means"], self.kind, self.variance)
        return {"weights": weights, "means": means, "covariances": covariances}, float(likelihood / weight)


def expected_of_block(
    block: RowBlock, parameters: State, kind: Kind, floor: float, variance: float, owner: str
) -> tuple[Sums, float, float]:
    """The sums of the E-step of a block, its log likelihood, and its weight."""
    steps = GaussianSteps.of(block.X, block.weight, kind, floor, variance, owner)
    sums, likelihood = steps.e_step(parameters)
    weight = float(block.n if block.weight is None else block.weight.sum())
    return sums, likelihood * weight, weight
