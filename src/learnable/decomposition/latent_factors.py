"""The normal distribution behind a few factors: x = W z + m + noise, learned by expectation and maximisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.ambient import give_way
from ..engines.gaps import Patterns, gap_patterns
from ..engines.iterate import State

LEAST = 1e-12  # noise beside the variance of a column
SAFE = 1e-14  # share of the rows that is added to products of factors, so that a column without entries has an answer


@dataclass(frozen=True)
class Latent:
    """The posterior of the factors of rows with gaps: mean and second moment, and the log density of each row."""

    mean: Array
    second: Array
    log_density: Array


def infer(X: Array, mean: Array, W: Array, noise: Array, patterns: Patterns | None = None) -> Latent:
    """What the entries that are present tell of the factors; W has a row per factor, `noise` a variance per column.

    Given z the columns are independent, so that a gap is left out and nothing need be made up for it.
    """
    gone = np.isnan(X)
    centred = np.where(gone, 0.0, X - mean)
    n, k = len(X), len(W)
    found, second, density = np.zeros((n, k)), np.zeros((n, k, k)), np.zeros(n)
    for present, rows in gap_patterns(gone) if patterns is None else patterns:
        give_way()
        loads, psi = W[:, present], noise[present]
        precision = np.eye(k) + (loads / psi) @ loads.T
        covariance = np.linalg.inv(precision)
        here = centred[np.ix_(rows, present)]
        pulled = (here / psi) @ loads.T
        z = pulled @ covariance
        found[rows] = z
        second[rows] = covariance + z[:, :, None] * z[:, None, :]
        distance = (here**2 / psi).sum(axis=1) - np.einsum("ij,ij->i", pulled, z)
        logs = float(np.log(psi).sum()) + float(np.linalg.slogdet(precision)[1]) + present.sum() * np.log(2 * np.pi)
        density[rows] = -0.5 * (distance + logs)
    return Latent(found, second, density)


@dataclass(frozen=True)
class FactorClimb:
    """Steps of expectation and maximisation for rows with gaps: each column is regressed on the expected factors.

    With `shared` noise all columns have the same variance of the noise: probabilistic principal components.
    """

    X: Array
    weight: Array
    shared: bool
    least: Array
    patterns: Patterns

    def improve(self, parameters: State) -> tuple[State, float]:
        """The next mean, loadings and noise; and the mean log likelihood of those given."""
        mean, W, noise = parameters["mean"], parameters["W"], parameters["noise"]
        latent = infer(self.X, mean, W, noise, self.patterns)
        likelihood = float(self.weight @ latent.log_density / self.weight.sum())
        mean, W, noise = self._maximised(latent)
        return {"mean": mean, "W": W, "noise": noise}, likelihood

    def _maximised(self, latent: Latent) -> tuple[Array, Array, Array]:
        p, k = self.X.shape[1], latent.mean.shape[1] + 1
        present = ~np.isnan(self.X)
        heavy, x = self.weight[:, None] * present, np.where(present, self.X, 0.0)
        factors = np.column_stack([np.ones(len(x)), latent.mean])
        second = factors[:, :, None] * factors[:, None, :]
        second[:, 1:, 1:] = latent.second
        products = (heavy.T @ second.reshape(len(x), -1)).reshape(p, k, k)
        cross = (heavy * x).T @ factors
        slopes = np.linalg.solve(products + SAFE * products[:, :1, :1] * np.eye(k), cross[:, :, None])[:, :, 0]
        fitted = np.einsum("jk,jkl,jl->j", slopes, products, slopes)
        squares = (heavy * x**2).sum(axis=0) - 2 * np.einsum("jk,jk->j", slopes, cross) + fitted
        counts = np.maximum(heavy.sum(axis=0), 1e-300)
        noise = np.full(p, squares.sum() / counts.sum()) if self.shared else squares / counts
        return slopes[:, 0], slopes[:, 1:].T, np.maximum(noise, self.least)
