"""Emissions from a Gaussian mixture per state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...engines.chain import logarithms
from ...engines.em import responsibilities_and_likelihood
from ...engines.generative.component_covariances import Kind, Sums, as_full, draw_normal, free_parameters, maximise
from ...engines.generative.elliptical_components import expected_sums
from ...engines.generative.gaussian_components import component_sums, ellipsoids, log_joint
from ...engines.generative.missing_patterns import find_missing_patterns, impute_means
from ...engines.iterate import State
from ...engines.kmeans import kmeans
from .emissions import log_dirichlet, posterior_counts


@dataclass(frozen=True)
class GaussianMixtureEmissions:
    """A mixture of `mix` normal distributions per state; tied covariances are shared within a state.

    `floor` is a variance added to every row, which keeps components from collapsing onto single rows.
    """

    kind: Kind
    mix: int
    floor: float
    weights_prior: Array | float
    owner: str

    names = ("weights", "means", "covariances")

    def initial(self, X: Array, row_weights: Array, rng: np.random.Generator) -> State:
        """Components by k-means among the rows of each state; the covariance of all rows for each."""
        filled, K, p = impute_means(X, None), row_weights.shape[1], X.shape[1]
        labels, means = row_weights.argmax(axis=1), np.empty((K, self.mix, p))
        for k in range(K):
            rows = filled[labels == k]
            if len(np.unique(rows, axis=0)) >= self.mix:
                means[k] = kmeans(rows, self.mix, None, rng).centres
            else:
                means[k] = filled[rng.integers(len(filled), size=self.mix)]
        covariance = np.cov(filled.T, bias=len(X) == 1).reshape(p, p) + self.floor * np.eye(p)
        variances = np.diag(covariance)
        of_kind = {"full": covariance, "tied": covariance, "diag": variances, "spherical": variances.mean()}[self.kind]
        count = (K,) if self.kind == "tied" else (K, self.mix)
        covariances = np.array(np.broadcast_to(of_kind, count + np.shape(of_kind)))
        return {"weights": np.full((K, self.mix), 1 / self.mix), "means": means, "covariances": covariances}

    def _flat(self, parameters: State) -> tuple[State, Kind]:
        """All components of all states side by side; tied covariances as full ones."""
        means, covariances = parameters["means"], parameters["covariances"]
        K, mix, p = means.shape
        if self.kind == "tied":
            covariances = np.repeat(covariances[:, None], mix, axis=1)
        flat = covariances.reshape(K * mix, *covariances.shape[2:])
        whole = {"weights": parameters["weights"].reshape(-1), "means": means.reshape(-1, p), "covariances": flat}
        return whole, "full" if self.kind == "tied" else self.kind

    def _log_joint(self, X: Array, parameters: State, floor: float) -> Array:
        """Log of mixing weight times density, (rows, states, components)."""
        flat, kind = self._flat(parameters)
        scores: Array = log_joint(X, {**flat, "weights": np.ones(len(flat["weights"]))}, kind, floor, self.owner)
        return scores.reshape(len(X), -1, self.mix) + logarithms(parameters["weights"])

    def log_density(self, X: Array, parameters: State) -> Array:
        """Log densities of the mixtures, each lowered by the floor of the variances."""
        joint = self._log_joint(X, parameters, self.floor)
        return np.asarray(responsibilities_and_likelihood(joint.reshape(-1, self.mix))[1].reshape(len(X), -1))

    def maximise(self, X: Array, row_weights: Array, parameters: State, update: frozenset[str]) -> State:
        """Weights, means and covariances for the posteriors of the components."""
        joint = self._log_joint(X, parameters, self.floor).reshape(-1, self.mix)
        responsibilities = responsibilities_and_likelihood(joint)[0].reshape(len(X), -1, self.mix)
        components = (responsibilities * row_weights[:, :, None]).reshape(len(X), -1)
        flat, kind = self._flat(parameters)
        missing = np.isnan(X)
        if missing.any():
            whole = {**flat, "weights": np.ones(len(flat["weights"]))}
            shapes = ellipsoids(whole, kind, self.floor, self.owner)
            sums = expected_sums(X, shapes, find_missing_patterns(missing), components)[0]
        else:
            sums = component_sums(X, components, flat["means"], kind, self.floor)
        counts = sums.total.reshape(-1, self.mix)
        weights = posterior_counts(counts, self.weights_prior, parameters["weights"])
        if "means" not in update:
            sums = Sums(sums.total, np.zeros_like(sums.shift), sums.scatter)
        return {"weights": weights, **self._gaussians(sums, flat["means"], parameters["means"].shape)}

    def _gaussians(self, sums: Sums, before: Array, shape: tuple[int, ...]) -> State:
        if self.kind != "tied":
            _, means, covariances = maximise(sums, before, self.kind, 1.0)
            return {
                "means": means.reshape(shape),
                "covariances": covariances.reshape(*shape[:2], *covariances.shape[1:]),
            }
        means, covariances = np.empty(before.shape), np.empty((shape[0], shape[2], shape[2]))
        for k in range(shape[0]):
            own = slice(k * self.mix, (k + 1) * self.mix)
            part = Sums(sums.total[own], sums.shift[own], sums.scatter[own])
            _, means[own], covariances[k] = maximise(part, before[own], "tied", 1.0)
        return {"means": means.reshape(shape), "covariances": covariances}

    def log_prior(self, parameters: State) -> float:
        """The log Dirichlet density of the mixing weights."""
        return log_dirichlet(parameters["weights"], self.weights_prior)

    def draw(self, parameters: State, state: int, count: int, rng: np.random.RandomState) -> Array:
        """Rows from the mixture of a state."""
        flat, kind = self._flat(parameters)
        weights = parameters["weights"][state]
        chosen = state * self.mix + rng.choice(self.mix, count, p=weights / weights.sum())
        covariances = as_full(flat["covariances"], kind, *flat["means"].shape)
        rows = [draw_normal(rng, flat["means"][c], covariances[c], 1, self.owner)[0] for c in chosen]
        return np.array(rows).reshape(count, -1) if count else np.empty((0, flat["means"].shape[1]))

    def free_parameters(self, parameters: State) -> int:
        """Mixing weights, means, and the entries of the covariances."""
        K, mix, p = parameters["means"].shape
        of_covariances = K * free_parameters(self.kind, mix, p)
        return int(K * (mix - 1) + K * mix * p + of_covariances)
