"""Posteriors of logistic and Poisson regression, in a basis in which they are nearly spherical."""

from __future__ import annotations

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels

STEPS = 60
MAX_LINEAR_PREDICTOR = 30.0  # of linear predictors, where probabilities and means are computed


class GlmModel:
    """Standardised rows (1, x) and targets: the compiled density of z, where coefficients are mode + T z.

    Newton's method finds the mode; T T' is the inverse Hessian there.
    """

    def __init__(self, X: Array, y: Array, weight: Array, precision: Array, logistic: bool) -> None:
        self.logistic = logistic
        self.mode = np.zeros(X.shape[1])
        if not logistic:  # the best intercept, or nothing known
            self.mode[0] = np.log(max(np.average(y, weights=weight), 1e-3)) if (X[:, 0] == 1).all() else 0.0
        for _ in range(STEPS):
            gradient, hessian = self._derivatives(X, y, weight, precision)
            step = np.linalg.solve(hessian, gradient)
            size, before = 1.0, self._value(X, y, weight, precision, self.mode)
            while size > 1e-6 and not self._value(X, y, weight, precision, self.mode + size * step) >= before:
                size /= 2
            self.mode = self.mode + size * step
            if float(gradient @ step) < 1e-16 * max(abs(before), 1.0) or size <= 1e-6:
                break
        hessian = self._derivatives(X, y, weight, precision)[1]
        factor = np.linalg.cholesky(hessian)
        self.basis = np.linalg.solve(factor.T, np.eye(len(factor)))
        directions = np.column_stack([self.basis, -self.mode])
        prior = directions.T @ (directions * precision[:, None])
        design = np.ascontiguousarray(X @ self.basis)
        self.density = kernels.glm_posterior(design, y, weight, np.ascontiguousarray(X @ self.mode), prior, logistic)

    def _means(self, z: Array) -> tuple[Array, Array]:
        """Mean and variance of the target."""
        if self.logistic:
            mean = 1 / (1 + np.exp(-np.clip(z, -MAX_LINEAR_PREDICTOR, MAX_LINEAR_PREDICTOR)))
            return mean, mean * (1 - mean)
        mean = np.exp(np.minimum(z, 10 * MAX_LINEAR_PREDICTOR))
        return mean, mean

    def _value(self, X: Array, y: Array, weight: Array, precision: Array, coef: Array) -> float:
        z = X @ coef
        normaliser = np.logaddexp(0, z) if self.logistic else np.exp(np.minimum(z, 10 * MAX_LINEAR_PREDICTOR))
        return float(weight @ (y * z - normaliser) - precision @ coef**2 / 2)

    def _derivatives(self, X: Array, y: Array, weight: Array, precision: Array) -> tuple[Array, Array]:
        """The gradient, and minus the Hessian."""
        mean, variance = self._means(X @ self.mode)
        gradient = X.T @ (weight * (y - mean)) - precision * self.mode
        return gradient, X.T @ (X * (weight * variance)[:, None]) + np.diag(precision)

    @property
    def start(self) -> Array:
        """The mode."""
        return np.zeros(len(self.mode))

    def coefficients(self, draws: Array) -> Array:
        """Coefficients of draws (chain, draw, parameter)."""
        return np.asarray(self.mode + draws @ self.basis.T)
