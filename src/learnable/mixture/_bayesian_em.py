"""Variational Bayes for Gaussian mixtures: priors on weights, means and covariances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core import Array
from ..engines.generative.component_covariances import Sums, as_full, maximise, precision_triangles
from ..engines.iterate import State
from ._gaussian_em import GaussianSteps

PriorType = Literal["dirichlet_process", "dirichlet_distribution"]


@dataclass(frozen=True)
class Priors:
    """Priors of weights (concentration), means (mean, precision) and covariances (covariance, freedom)."""

    kind: PriorType
    concentration: float
    mean: Array
    mean_precision: float
    covariance: Array
    freedom: float


@dataclass(frozen=True)
class BayesianSteps:
    """Coordinate ascent: responsibilities, then posteriors of weights, means and covariances."""

    steps: GaussianSteps
    priors: Priors

    def improve(self, parameters: State) -> tuple[State, float]:
        """The next posteriors, and the lower bound of the log likelihood of the given ones."""
        here = {**parameters, **self.expectations(parameters)}
        sums, likelihood = self.steps.e_step(here)
        rows = float(self.steps.weight.sum()) if self.steps.weight is not None else len(self.steps.X)
        entropy = likelihood * rows - self._expected_scores(here, sums)
        better = self.m_step(sums, parameters["means"])
        return better, entropy + self._log_normalisers(better)

    def m_step(self, sums: Sums, means: Array) -> State:
        """The posteriors of weights, means and covariances for responsibility-weighted sums."""
        kind, priors = self.steps.kind, self.priors
        _, middle, spread = maximise(sums, means, kind, 1.0)
        total = sums.total + 10 * np.finfo(np.float64).eps
        precision = priors.mean_precision + total
        centres = (priors.mean_precision * priors.mean + total[:, None] * middle) / precision[:, None]
        freedom, covariances = self._covariances(total, middle - priors.mean, spread, precision)
        return {
            "first": (1.0 if priors.kind == "dirichlet_process" else priors.concentration) + total,
            "second": priors.concentration + np.append(np.cumsum(total[::-1])[-2::-1], 0.0),
            "mean_precision": precision,
            "means": centres,
            "freedom": freedom,
            "covariances": covariances,
        }

    def _covariances(self, total: Array, apart: Array, spread: Array, precision: Array) -> tuple[Array, Array]:
        prior, kind, count = self.priors, self.steps.kind, len(total)
        shrinkage = prior.mean_precision / precision
        if kind == "tied":
            freedom = np.array(prior.freedom + total.sum() / count)
            between = prior.mean_precision / count * (apart.T * (total / precision)) @ apart
            return freedom, (prior.covariance + spread * total.sum() / count + between) / freedom
        freedom = prior.freedom + total
        if kind == "full":
            outer = shrinkage[:, None, None] * apart[:, :, None] * apart[:, None, :]
            whole = prior.covariance + total[:, None, None] * (spread + outer)
            return freedom, whole / freedom[:, None, None]
        if kind == "diag":
            whole = prior.covariance + total[:, None] * (spread + shrinkage[:, None] * apart**2)
            return freedom, whole / freedom[:, None]
        return freedom, (prior.covariance + total * (spread + shrinkage * (apart**2).mean(axis=1))) / freedom

    def expectations(self, parameters: State) -> State:
        """Expected log weight and further constants of the score of each component; the weights may underflow."""
        from scipy.special import digamma

        p, count = self.steps.X.shape[1], len(parameters["means"])
        first, second = parameters["first"], parameters["second"]
        if self.priors.kind == "dirichlet_process":
            both = digamma(first + second)
            logs = digamma(first) - both + np.append(0.0, np.cumsum(digamma(second) - both)[:-1])
        else:
            logs = digamma(first) - digamma(first.sum())
        freedom = np.broadcast_to(parameters["freedom"], (count,))
        halves = digamma(0.5 * (freedom - np.arange(p)[:, None])).sum(axis=0)
        more = 0.5 * (p * np.log(2.0) + halves - p * np.log(freedom) - p / parameters["mean_precision"])
        return {"weights": np.ones(count), "more": logs + more}

    def _expected_scores(self, here: State, sums: Sums) -> float:
        """The sum over rows and components of responsibility times log joint density."""
        p, kind = self.steps.X.shape[1], self.steps.kind
        shapes = as_full(here["covariances"], kind, *here["means"].shape)
        precisions = np.linalg.inv(shapes)
        scatter = sums.scatter if sums.scatter.ndim == 3 else sums.scatter[:, :, None] * np.eye(p)
        constants = here["more"] + 0.5 * np.linalg.slogdet(precisions)[1]
        constants = constants - 0.5 * p * np.log(2 * np.pi)
        return float(sums.total @ constants - 0.5 * np.einsum("kij,kji->", precisions, scatter))

    def _log_normalisers(self, parameters: State) -> float:
        """The lower bound without the entropy of the responsibilities, up to a constant."""
        from scipy.special import betaln, gammaln

        p, count, kind = self.steps.X.shape[1], len(parameters["means"]), self.steps.kind
        triangles = precision_triangles(parameters["covariances"], kind, self.steps.owner)
        if kind in ("full", "tied"):
            logs = np.log(np.diagonal(triangles, axis1=-2, axis2=-1)).sum(axis=-1)
        else:
            logs = np.log(triangles).sum(axis=-1) if kind == "diag" else p * np.log(triangles)
        freedom = parameters["freedom"]
        logs = logs - 0.5 * p * np.log(freedom)
        halves = gammaln(0.5 * (freedom - np.arange(p)[:, None])).sum(axis=0)
        wishart = -(freedom * logs + freedom * p * 0.5 * np.log(2.0) + halves)
        wisharts = count * float(wishart.sum()) if kind == "tied" else float(wishart.sum())
        first = parameters["first"]
        if self.priors.kind == "dirichlet_process":
            weights = -float(betaln(first, parameters["second"]).sum())
        else:
            weights = float(gammaln(first.sum()) - gammaln(first).sum())
        return float(-wisharts - weights - 0.5 * p * np.log(parameters["mean_precision"]).sum())


def mean_weights(parameters: State, kind: PriorType) -> Array:
    """The expected weight of each component."""
    first, second = parameters["first"], parameters["second"]
    if kind == "dirichlet_distribution":
        return np.asarray(first / first.sum())
    left = np.append(1.0, np.cumprod(second / (first + second))[:-1])
    weights = first / (first + second) * left
    return np.asarray(weights / weights.sum())
