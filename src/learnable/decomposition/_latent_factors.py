"""The linear Gaussian latent factor model x = W z + m + noise, explained by EM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..core.runtime.context import give_way
from ..engines.generative.missing_patterns import Patterns, find_missing_patterns
from ..engines.iterate import State

BLOCK = 2**20  # size of the tables of products of a block of missing patterns
MIN_NOISE_RATIO = 1e-12  # minimum noise variance relative to the variance of a column
SAFE = 1e-14  # ridge on products of factors, so that a column without entries has a solution


@dataclass(frozen=True)
class Latent:
    """Posterior mean of the factors of each row, and its log density."""

    mean: Array
    log_density: Array


def infer(X: Array, mean: Array, W: Array, noise: Array) -> Latent:
    """The posterior of the factors given the observed entries; W has a row per factor, `noise` a variance per column.

    Given z the columns are independent, so that missing values are left out without imputation.
    """
    found, density = np.empty((len(X), len(W))), np.empty(len(X))
    for present, rows in find_missing_patterns(np.isnan(X)):
        give_way()
        found[rows], _, density[rows] = _posterior(
            X[np.ix_(rows, present)], mean[present], W[:, present], noise[present]
        )
    return Latent(found, density)


def _posterior(X: Array, mean: Array, W: Array, noise: Array) -> tuple[Array, Array, Array]:
    """Posterior means of the factors of complete rows, their common covariance, and the log densities."""
    apart = X - mean
    precision = np.eye(len(W)) + (W / noise) @ W.T
    covariance = np.linalg.inv(precision)
    weighted = (apart / noise) @ W.T
    z = weighted @ covariance
    distance = (apart**2 / noise).sum(axis=1) - np.einsum("ij,ij->i", weighted, z)
    logs = float(np.log(noise).sum()) + float(np.linalg.slogdet(precision)[1]) + len(mean) * np.log(2 * np.pi)
    return z, covariance, -0.5 * (distance + logs)


@dataclass(frozen=True)
class FactorEM:
    """EM for rows with missing values: the M-step regresses each column on the expected factors.

    With `shared` noise all columns have the same noise variance: probabilistic PCA.
    """

    X: Array
    weight: Array
    shared: bool
    least: Array
    patterns: Patterns

    def improve(self, parameters: State) -> tuple[State, float]:
        """Mean, loadings and noise after an E-step and an M-step; and the mean log likelihood of those given."""
        (n, p), k = self.X.shape, len(parameters["W"]) + 1
        factors, density, products = np.ones((n, k)), np.empty(n), np.zeros((p, k * k))
        step = max(1, BLOCK // k**2)
        for first in range(0, len(self.patterns), step):
            block = self.patterns[first : first + step]
            seconds = np.empty((len(block), k * k))
            for second, (present, rows) in zip(seconds, block, strict=True):
                give_way()
                second[:] = self._second(parameters, present, rows, factors, density).ravel()
            products += np.stack([present for present, _ in block], axis=1).astype(np.float64) @ seconds
        mean, W, noise = self._m_step(factors, products.reshape(p, k, k))
        return {"mean": mean, "W": W, "noise": noise}, float(self.weight @ density / self.weight.sum())

    def _second(self, parameters: State, present: Array, rows: Array, factors: Array, density: Array) -> Array:
        """Sums of products of one and the factors over rows with one missing pattern; writes means and densities."""
        mean, W, noise = parameters["mean"][present], parameters["W"][:, present], parameters["noise"][present]
        factors[rows, 1:], covariance, density[rows] = _posterior(self.X[np.ix_(rows, present)], mean, W, noise)
        here, weights = factors[rows], self.weight[rows]
        found = (here * weights[:, None]).T @ here
        found[1:, 1:] += weights.sum() * covariance
        return np.asarray(found)

    def _m_step(self, factors: Array, products: Array) -> tuple[Array, Array, Array]:
        p, k = products.shape[:2]
        present = ~np.isnan(self.X)
        weights, x = self.weight[:, None] * present, np.where(present, self.X, 0.0)
        cross = (weights * x).T @ factors
        coefficients = np.linalg.solve(products + SAFE * products[:, :1, :1] * np.eye(k), cross[:, :, None])[:, :, 0]
        explained = np.einsum("jk,jkl,jl->j", coefficients, products, coefficients)
        squares = (weights * x**2).sum(axis=0) - 2 * np.einsum("jk,jk->j", coefficients, cross) + explained
        counts = np.maximum(weights.sum(axis=0), 1e-300)
        noise = np.full(p, squares.sum() / counts.sum()) if self.shared else squares / counts
        return coefficients[:, 0], coefficients[:, 1:].T, np.maximum(noise, self.least)
