"""Exact inference for Gaussian process regression: the marginal likelihood, its gradient and the posterior.

    log p(y) = -y' a / 2 - log|C| / 2 - n log(2 pi) / 2,    a = C^-1 y,    C = K + diag(alpha)

The gradient by a hyperparameter is sum_ij M_ij dK_ij with M = (a a' - C^-1) / 2: no derivative is stored, and only the
lower triangle of each is computed. [Rasmussen and Williams, 2006, chapters 2 and 5]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core import Array
from ..engines.algebra.cholesky import inverse_diagonal
from ._factor import cleared, factorise, inverse_of, symmetric_solve
from ._training_pairs import Noise, TrainingPairs
from .kernels import Kernel

LOG_2_PI = float(np.log(2 * np.pi))


class ExactPosterior(NamedTuple):
    """The factor of C, and C^-1 y."""

    L: Array
    dual: Array


@dataclass
class ExactInference:
    """Rows, targets (n, targets), the variance `alpha` added to the diagonal, and weights of the rows (None: 1).

    A row of weight w stands for w rows with independent noise: in C its noise, alpha and that of the kernel, is
    divided by w, and the density of the w targets about their mean is a factor of the likelihood.
    """

    X: Any
    y: Array
    alpha: Array
    weight: Array | None
    kernel: Kernel

    def __post_init__(self) -> None:
        self.pairs = TrainingPairs(self.X, self.kernel)
        self.noise = None if self.weight is None else Noise(self.X)

    def posterior(self, kernel: Kernel) -> ExactPosterior:
        """The posterior; a `LinAlgError` if the covariance matrix is not positive definite."""
        C, _ = self._covariance(kernel)
        L = factorise(C)
        return ExactPosterior(cleared(L), symmetric_solve(L, self.y))

    def evaluate(self, kernel: Kernel, with_gradient: bool) -> tuple[float, Array]:
        """The log marginal likelihood and its gradient; minus infinity if the posterior does not exist."""
        C, variance = self._covariance(kernel)
        try:
            L = factorise(C)
        except np.linalg.LinAlgError:
            return -np.inf, np.zeros(kernel.n_dims)
        dual = symmetric_solve(L, self.y)
        n, targets = self.y.shape
        value = -0.5 * float(np.vdot(self.y, dual)) - targets * (float(np.log(L.diagonal()).sum()) + n / 2 * LOG_2_PI)
        value += targets * self._copies(variance)
        if not with_gradient:
            return value, np.array([])
        inverse = inverse_of(L)
        gradient = self.pairs.gradient(kernel, inverse, dual, dual, targets)
        if self.noise is not None and self.weight is not None:
            own = ((dual**2).sum(axis=1) - targets * inverse.diagonal()) / 2
            gradient = gradient + self.noise.contract(kernel, own * (1 / self.weight - 1))
            gradient += targets * self.noise.contract(kernel, self._copies_gradient(variance))
        return value, gradient

    def _covariance(self, kernel: Kernel) -> tuple[Array, Array]:
        """C, and the variance of the noise of single rows."""
        C = self.pairs.matrix(kernel)
        added = self.alpha
        variance = self.alpha
        if self.noise is not None and self.weight is not None:
            noise = self.noise.variance(kernel)
            variance = noise + self.alpha
            added = variance / self.weight - noise
        C.flat[:: len(C) + 1] += added
        return C, variance

    def _copies(self, variance: Array) -> float:
        """The log density of the targets that a weight stands for, about their mean."""
        if self.weight is None:
            return 0.0
        noisy = variance > 0  # without noise, copies say nothing more
        weight = self.weight[noisy]
        spread = (weight - 1) * (np.log(variance[noisy]) + LOG_2_PI) + np.log(weight)
        return float(-spread.sum() / 2)

    def _copies_gradient(self, variance: Array) -> Array:
        assert self.weight is not None  # otherwise there are no copies
        return np.where(variance > 0, -(self.weight - 1) / (2 * np.where(variance > 0, variance, 1.0)), 0.0)


def left_out(L: Array, dual: Array, y: Array) -> tuple[Array, Array]:
    """Leave-one-out predictions of the targets, and their variances with noise, without a fit for each row.

    The prediction of row i by the others is y_i - [C^-1 y]_i / [C^-1]_ii, with the variance 1 / [C^-1]_ii.
    """
    variance = 1 / inverse_diagonal(L)
    return y - dual * variance[:, None], variance
