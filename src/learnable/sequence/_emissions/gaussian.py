"""Normal emissions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...engines.generative.component_covariances import (
    Kind,
    as_full,
    as_variances,
    covariance_shape,
    draw_normal,
    free_parameters,
    ill_defined,
)
from ...engines.generative.elliptical_components import expected_sums
from ...engines.generative.gaussian_components import component_sums, ellipsoids, log_joint
from ...engines.generative.missing_patterns import find_missing_patterns, impute_means
from ...engines.iterate import State

EMPTY = 1e-5  # weight of rows below which a state counts as that many rows


@dataclass(frozen=True)
class RowsAboutCentre:
    """Rows minus a centre, and the squares of that; missing entries are zero, and marked by the last columns."""

    X: Array
    centre: Array | float
    columns: Array

    @classmethod
    def of(cls, X: Array, centre: Array | float) -> RowsAboutCentre:
        """Prepare rows."""
        apart, missing = X - centre, np.isnan(X)
        if not missing.any():
            return cls(X, centre, np.hstack([apart, apart**2]))
        apart = np.where(missing, 0.0, apart)
        return cls(X, centre, np.hstack([apart, apart**2, 1.0 - missing]))

    def sums(self, weights: Array) -> State:
        """Weights, sums and sums of squares of the observed entries, a row per state."""
        p, found = self.X.shape[1], weights.T @ self.columns
        total = found[:, 2 * p :] if found.shape[1] > 2 * p else (np.ones(len(weights)) @ weights)[:, None]
        return {
            "total": np.broadcast_to(total, found[:, :p].shape),
            "sums": found[:, :p],
            "squares": found[:, p : 2 * p],
        }


@dataclass(frozen=True)
class GaussianEmissions:
    """A normal distribution per state, with hmmlearn's priors.

    The means have `means_weight` observations at `means_prior`, and covariances `covars_weight` minus 1 (diagonal) or
    minus the number of columns (full, tied) rows whose scatter adds up to `covars_prior`, a number for every entry.
    """

    owner: str
    kind: Kind
    floor: float
    means_prior: Array | float
    means_weight: Array | float
    covars_prior: Array | float
    covars_weight: Array | float
    centre: Array | float = 0.0  # of the sums of online EM
    prepared: list[RowsAboutCentre] = field(default_factory=list, repr=False, compare=False)  # of the rows of a fit

    names = ("means", "covariances")

    def initial(self, X: Array, weights: Array, rng: np.random.Generator) -> State:
        """Means of the rows of each state, and the covariance of all rows for every state."""
        filled, K, p = impute_means(X, None), weights.shape[1], X.shape[1]
        total = weights.sum(axis=0)
        means = np.where(
            total[:, None] > 0, weights.T @ filled / np.maximum(total, 1e-300)[:, None], filled.mean(axis=0)
        )
        covariance = np.cov(filled.T, bias=len(X) == 1).reshape(p, p) + self.floor * np.eye(p)
        if not np.isfinite(covariance).all():
            raise DataError(f"{self.owner}: the variances of X are beyond the range of numbers; scale its columns")
        variances = np.diag(covariance)
        of_kind = {"full": covariance, "tied": covariance, "diag": variances, "spherical": variances.mean()}[self.kind]
        return {"means": means, "covariances": np.array(np.broadcast_to(of_kind, covariance_shape(self.kind, K, p)))}

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log normal densities of the observed entries of each row."""
        whole = {**parameters, "weights": np.ones(len(parameters["means"]))}
        return np.asarray(log_joint(X, whole, self.kind, 0.0, self.owner))

    def maximise(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        """Means and covariances for sums of the rows that are weighted by their posteriors."""
        if self.kind in ("full", "tied"):
            return self._maximise_full(X, weights, parameters, update)
        if not self.prepared or self.prepared[0].X is not X:
            self.prepared[:] = [RowsAboutCentre.of(X, impute_means(X, None).mean(axis=0))]
        rows = self.prepared[0]
        return replace(self, centre=rows.centre).from_statistics(rows.sums(weights), parameters, update)

    def statistics(self, X: Array, weights: Array, parameters: State) -> State:
        """Weights, sums and sums of products about the centre of the states, which must stay the same."""
        if self.kind not in ("full", "tied"):
            return RowsAboutCentre.of(X, self.centre).sums(weights)
        before, found = parameters["means"], self._sums(X, weights, parameters)
        off = before - self.centre
        cross = off[:, :, None] * found.shift[:, None, :]
        squares = found.scatter + cross + np.swapaxes(cross, 1, 2)
        squares = squares + found.total[:, None, None] * off[:, :, None] * off[:, None, :]
        return {"total": found.total, "sums": found.shift + found.total[:, None] * off, "squares": squares}

    def from_statistics(self, found: State, parameters: State, update: frozenset[str] = frozenset(names)) -> State:
        """Means and covariances for such sums, with the priors."""
        full = self.kind in ("full", "tied")
        total, sums, squares = found["total"][:, None] if full else found["total"], found["sums"], found["squares"]
        means = self._means(total, sums + total * self.centre, parameters["means"], update)
        if "covariances" not in update:
            return {"means": means}
        off, p = means - self.centre, means.shape[1]
        if not full:
            scatter = np.maximum(squares - 2 * off * sums + off**2 * total, 0.0) + self._prior_scatter(means)
            rows = np.maximum(np.maximum(self.covars_weight - np.float64(1), 0.0) + total, EMPTY)
            variances = scatter / rows if self.kind == "diag" else scatter.sum(axis=1) / rows.sum(axis=1)
            return {"means": means, "covariances": self._positive(variances)}
        cross = off[:, :, None] * sums[:, None, :]
        scatter = squares - cross - np.swapaxes(cross, 1, 2) + total[:, :, None] * off[:, :, None] * off[:, None, :]
        scatter = scatter + self._mean_scatter(means) + self.covars_prior * (self.kind == "full")
        more = np.maximum(np.asarray(self.covars_weight, dtype=np.float64) - p, 0.0)
        if self.kind == "tied":
            return {"means": means, "covariances": (self.covars_prior + scatter.sum(axis=0)) / (more + total.sum())}
        return {"means": means, "covariances": scatter / np.maximum(more + total, EMPTY)[:, :, None]}

    def _sums(self, X: Array, weights: Array, parameters: State) -> Any:
        """Weights, sums and scatter about the means; missing entries are their expectations."""
        missing = np.isnan(X)
        if not missing.any():
            return component_sums(X, weights, parameters["means"], self.kind)
        whole = {**parameters, "weights": np.ones(len(parameters["means"]))}
        shapes = ellipsoids(whole, self.kind, 0.0, self.owner)
        return expected_sums(X, shapes, find_missing_patterns(missing), weights)[0]

    def _maximise_full(self, X: Array, weights: Array, parameters: State, update: frozenset[str]) -> State:
        before, p = parameters["means"], X.shape[1]
        sums = self._sums(X, weights, parameters)
        total = sums.total[:, None]
        means = self._means(total, sums.shift + total * before, before, update)
        if "covariances" not in update:
            return {"means": means}
        moved = means - before
        cross = sums.shift[:, :, None] * moved[:, None, :]
        scatter = sums.scatter - cross - np.swapaxes(cross, 1, 2)
        scatter += sums.total[:, None, None] * moved[:, :, None] * moved[:, None, :]
        scatter += self._mean_scatter(means)
        more = np.maximum(np.asarray(self.covars_weight, dtype=np.float64) - p, 0.0)
        if self.kind == "tied":
            return {"means": means, "covariances": (self.covars_prior + scatter.sum(axis=0)) / (more + total.sum())}
        rows = np.maximum(more + sums.total, EMPTY)[:, None, None]
        return {"means": means, "covariances": (self.covars_prior + scatter) / rows}

    def _means(self, total: Array, sums: Array, before: Array, update: frozenset[str]) -> Array:
        if "means" not in update:
            return before
        rows = total + self.means_weight
        return np.where(rows > 0, (sums + self.means_weight * self.means_prior) / np.where(rows > 0, rows, 1.0), before)

    def _mean_scatter(self, means: Array) -> Array:
        """The scatter of the observations that the prior of the means stands for."""
        off = means - self.means_prior
        return np.asarray(self.means_weight * off[:, :, None] * off[:, None, :])

    def _prior_scatter(self, means: Array) -> Array:
        return np.asarray(self.covars_prior + self.means_weight * (means - self.means_prior) ** 2)

    def _positive(self, variances: Array) -> Array:
        if not (variances > 0).all():
            raise ill_defined(self.owner)
        return variances

    def log_prior(self, parameters: State) -> float:
        """Minus half of: prior rows times log determinant, plus the prior scatter in units of the covariance."""
        means, covariances = parameters["means"], parameters["covariances"]
        weight, p = np.asarray(self.covars_weight, dtype=np.float64), means.shape[1]
        if self.kind not in ("full", "tied"):
            variances = as_variances(covariances, self.kind, p)
            rows = np.maximum(weight - 1, 0.0)
            return float(-0.5 * (rows * np.log(variances) + self._prior_scatter(means) / variances).sum())
        scatter = self._mean_scatter(means)
        if self.kind == "tied":
            scatter, covariances = scatter.sum(axis=0, keepdims=True), covariances[None]
        try:
            ratio = np.linalg.solve(covariances, scatter + self.covars_prior)
        except np.linalg.LinAlgError:
            raise ill_defined(self.owner) from None
        logs = np.maximum(weight - p, 0.0) * np.linalg.slogdet(covariances)[1]
        return float(-0.5 * (logs + np.trace(ratio, axis1=1, axis2=2)).sum())

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Rows from the normal distribution of a state."""
        means = parameters["means"]
        covariance = as_full(parameters["covariances"], self.kind, *means.shape)[state]
        return draw_normal(rng, means[state], covariance, count, self.owner)

    def free_parameters(self, parameters: State) -> int:
        """Means, and the entries of the covariances."""
        count, p = parameters["means"].shape
        return int(count * p + free_parameters(self.kind, count, p))
