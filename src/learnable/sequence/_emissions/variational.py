"""Posteriors of the parameters of normal and categorical emissions, for variational Bayes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...engines.generative.component_covariances import Kind
from ...engines.iterate import State
from .._hmm.variational_bayes import dirichlet_divergence, expected_logs


@dataclass(frozen=True)
class VariationalCategorical:
    """Dirichlet posteriors of the probabilities of symbols."""

    prior: Array  # (states, symbols)

    def update(self, X: Array, heavy: Array) -> State:
        """The prior plus expected counts of the symbols."""
        seen = ~np.isnan(X[:, 0])
        codes, symbols = X[seen, 0].astype(np.int64), self.prior.shape[1]
        counts = np.stack([np.bincount(codes, column[seen], symbols) for column in heavy.T])
        return {"emissionprob": self.prior + counts}

    def expected_log_density(self, X: Array, posterior: State) -> Array:
        """Mean log probabilities of the symbols; 0 where there is none."""
        logs = np.vstack([expected_logs(posterior["emissionprob"]).T, np.zeros(len(self.prior))])
        return np.asarray(logs[np.where(np.isnan(X[:, 0]), -1, X[:, 0]).astype(np.int64)])

    def divergence(self, posterior: State) -> float:
        """That of the Dirichlet distributions."""
        return dirichlet_divergence(posterior["emissionprob"], self.prior)


@dataclass(frozen=True)
class VariationalGaussian:
    """Normal-Wishart posteriors: means given the precision L are normal with precision beta L.

    L is Wishart with `dof` degrees of freedom and the inverse scale matrix `scale`. Of diagonal precisions, each is
    gamma with shape dof / 2 and rate scale / 2; a spherical one has p times both, for p columns.
    """

    kind: Kind
    prior: State  # "means", "beta", "dof", "scale"

    def update(self, X: Array, heavy: Array) -> State:
        """Hyperparameters: those of the prior plus weights, sums and products of the rows."""
        beta0, m0 = self.prior["beta"], self.prior["means"]
        total, sums = heavy.sum(axis=0), heavy.T @ X
        beta = beta0 + total
        means = (beta0[:, None] * m0 + sums) / beta[:, None]
        shift = np.where(total[:, None] > 0, sums / np.where(total > 0, total, 1.0)[:, None], m0)
        pulled = (beta0 * total / beta)[:, None] * (shift - m0)  # the scatter of sample means about prior means
        if self.kind in ("full", "tied"):
            scatter = pulled[:, :, None] * (shift - m0)[:, None, :]
            for k, weight in enumerate(heavy.T):
                apart = X - shift[k]
                scatter[k] += (weight[:, None] * apart).T @ apart
            if self.kind == "tied":
                return self._named(means, beta, self.prior["dof"] + total.sum(), scatter.sum(axis=0))
            return self._named(means, beta, self.prior["dof"] + total, scatter)
        squares = pulled * (shift - m0)
        for k, weight in enumerate(heavy.T):
            squares[k] += weight @ (X - shift[k]) ** 2
        scatter = squares if self.kind == "diag" else squares.mean(axis=1)
        return self._named(means, beta, self.prior["dof"] + total, scatter)

    def _named(self, means: Array, beta: Array, dof: Array, scatter: Array) -> State:
        return {"means": means, "beta": beta, "dof": np.asarray(dof), "scale": self.prior["scale"] + scatter}

    def _precision(self, q: State) -> tuple[Array, Array]:
        """The mean of the precisions as full matrices, and of their log determinants, for each state."""
        from scipy.special import digamma

        count, p = q["means"].shape
        dof, scale = np.broadcast_to(q["dof"], (count,)), q["scale"]
        if self.kind in ("full", "tied"):
            full = np.broadcast_to(scale, (count, p, p))
            logs = digamma((dof[:, None] - np.arange(p)) / 2).sum(axis=1) + p * np.log(2)
            return dof[:, None, None] * np.linalg.inv(full), logs - np.linalg.slogdet(full)[1]
        if self.kind == "diag":
            logs = (digamma(dof / 2)[:, None] - np.log(scale / 2)).sum(axis=1)
            return (dof[:, None] / scale)[:, :, None] * np.eye(p), logs
        logs = p * (digamma(p * dof / 2) - np.log(p * scale / 2))
        return (dof / scale)[:, None, None] * np.eye(p), logs

    def expected_log_density(self, X: Array, posterior: State) -> Array:
        """Mean log normal densities."""
        precision, logs = self._precision(posterior)
        means, p = posterior["means"], X.shape[1]
        found = np.empty((len(X), len(means)))
        for k in range(len(means)):
            apart = X - means[k]
            squares = np.einsum("ij,ij->i", apart @ precision[k], apart)
            found[:, k] = 0.5 * (logs[k] - p * np.log(2 * np.pi) - squares - p / posterior["beta"][k])
        return found

    def divergence(self, posterior: State) -> float:
        """That of the normal distributions of the means, and of the Wishart or gamma distributions."""
        precision, logs = self._precision(posterior)
        apart = posterior["means"] - self.prior["means"]
        ratio, p = self.prior["beta"] / posterior["beta"], apart.shape[1]
        pulled = self.prior["beta"] * np.einsum("kj,kji,ki->k", apart, precision, apart)
        normal = 0.5 * (p * (ratio - 1 - np.log(ratio)) + pulled).sum()
        if self.kind == "tied":
            precision, logs = precision[:1], logs[:1]
        return float(normal + self._scale_divergence(posterior, precision, logs).sum())

    def _scale_divergence(self, q: State, precision: Array, logs: Array) -> Array:
        """The divergence of the precisions of each state."""
        from scipy.special import digamma, gammaln, multigammaln

        p = precision.shape[1]
        dof, dof0 = (np.broadcast_to(one["dof"], logs.shape) for one in (q, self.prior))
        if self.kind in ("full", "tied"):
            scale, scale0 = (np.broadcast_to(one["scale"], precision.shape) for one in (q, self.prior))
            det, det0 = np.linalg.slogdet(scale)[1], np.linalg.slogdet(scale0)[1]
            gammas = [
                float(multigammaln(old / 2, p) - multigammaln(new / 2, p)) for old, new in zip(dof0, dof, strict=True)
            ]
            constants = 0.5 * (dof * det - dof0 * det0) - 0.5 * p * (dof - dof0) * np.log(2) + np.array(gammas)
            spread = np.trace((scale - scale0) @ precision, axis1=1, axis2=2)
            return np.asarray(constants + 0.5 * (dof - dof0) * logs - 0.5 * spread)
        size = 1 if self.kind == "diag" else p
        shape, shape0 = (size * one.reshape(-1, 1) / 2 for one in (dof, dof0))
        rate, rate0 = (size * one["scale"].reshape(len(dof), -1) / 2 for one in (q, self.prior))
        terms = shape * np.log(rate) - shape0 * np.log(rate0) + gammaln(shape0) - gammaln(shape)
        terms += (shape - shape0) * (digamma(shape) - np.log(rate)) - (rate - rate0) * shape / rate
        return np.asarray(terms.sum(axis=1))
