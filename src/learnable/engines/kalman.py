"""Inference in linear Gaussian state-space models: the Kalman filter and smoother."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.runtime.native import kernels
from ..core.validate.features import Array


class StateMoments(NamedTuple):
    """Means, (steps, states), and covariances, (steps, states, states), of the states."""

    means: Array
    covariances: Array


class SmoothedStates(NamedTuple):
    """Log likelihood of each sequence, moments of the states, and the covariance of each state with the next one."""

    log_likelihood: Array
    means: Array
    covariances: Array
    cross: Array


@dataclass(frozen=True)
class StateSpace:
    """z_1 ~ N(mean, covariance),  z_t+1 ~ N(A z_t + b, Q),  x_t ~ N(C z_t + d, R)."""

    A: Array
    b: Array
    Q: Array
    C: Array
    d: Array
    R: Array
    mean: Array
    covariance: Array

    def filter(self, X: Array, offset: Array) -> tuple[Array, StateMoments]:
        """Log likelihoods of the sequences, and moments of the states given the rows so far.

        Missing entries (NaN) are left out. A log likelihood of NaN: the covariance of a row is not positive definite.
        """
        log_likelihood, filtered = np.empty(len(offset) - 1), self._moments(X)
        self._kernel().moments(_rows(X), offset, log_likelihood, *filtered, None, None, None)
        return log_likelihood, StateMoments(filtered[0], self._square(filtered[1]))

    def smooth(self, X: Array, offset: Array) -> SmoothedStates:
        """Log likelihoods of the sequences, and moments of the states given all rows."""
        log_likelihood, filtered, smoothed = np.empty(len(offset) - 1), self._moments(X), self._moments(X)
        cross = np.zeros(smoothed[1].shape)
        self._kernel().moments(_rows(X), offset, log_likelihood, *filtered, *smoothed, cross)
        return SmoothedStates(log_likelihood, smoothed[0], self._square(smoothed[1]), self._square(cross))

    def _kernel(self) -> kernels.StateSpace:
        given = self.A, self.b, self.Q, self.C, self.d, self.R, self.mean, self.covariance
        return kernels.StateSpace(*(np.ascontiguousarray(values, dtype=np.float64) for values in given))

    def _moments(self, X: Array) -> tuple[Array, Array]:
        n = len(self.A)
        return np.zeros((len(X), n)), np.zeros((len(X), n * n))

    def _square(self, covariances: Array) -> Array:
        return covariances.reshape(-1, len(self.A), len(self.A))


def _rows(X: Array) -> Array:
    return np.ascontiguousarray(X, dtype=np.float64)
