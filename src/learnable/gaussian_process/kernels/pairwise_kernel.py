"""Kernels of `learnable.metrics.pairwise` for Gaussian processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.declare import registry
from ...metrics import pairwise_kernels
from ._pairs import RowPairs
from .covariance_function import PairKernel
from .hyperparameter import Bounds, Hyperparameter

STEP = 1e-5  # of log gamma, in differences of functions whose derivative is not known
EXPONENTIAL = ("rbf", "laplacian", "chi2")  # exp(-gamma d), whose derivative by log gamma is k log k


@registry.named("gaussian_process.kernels.PairwiseKernel")
@dataclass(eq=False, repr=False)
class PairwiseKernel(PairKernel):
    """Kernel of `pairwise_kernels` by name, such as "laplacian" or "chi2", or a function of two rows, with one gamma.

    Derivatives by log gamma are exact for names, and central differences for functions.

    >>> PairwiseKernel(gamma=0.5, metric="laplacian")([[0.0]], [[2.0]]).round(4)
    array([[0.3679]])
    """

    gamma: float = 1.0
    gamma_bounds: Bounds = (1e-5, 1e5)
    metric: str | Callable[..., Any] = "linear"
    pairwise_kernels_kwargs: dict[str, Any] | None = None

    @property
    def hyperparameter_gamma(self) -> Hyperparameter:
        """The coefficient gamma."""
        return Hyperparameter("gamma", "numeric", self.gamma_bounds)

    def is_stationary(self) -> bool:
        """Whether k(x, z) depends on x - z alone."""
        return isinstance(self.metric, str) and self.metric in ("rbf", "laplacian")

    def _values(self, pairs: RowPairs) -> Array:
        return self._with(pairs, self.gamma)

    def _with(self, pairs: RowPairs, gamma: float) -> Array:
        options = self.pairwise_kernels_kwargs or {}
        return pairs.apply(
            lambda X, Z: pairwise_kernels(X, Z, metric=self.metric, gamma=gamma, filter_params=True, **options)
        )

    def _gradients(self, pairs: RowPairs) -> Iterator[Array]:
        if self.hyperparameter_gamma.fixed:
            return
        values, options = pairs.values_of(self), self.pairwise_kernels_kwargs or {}
        if self.metric in EXPONENTIAL:
            yield values * np.log(values, out=np.zeros_like(values), where=values > 0)
        elif self.metric in ("poly", "polynomial"):
            degree, coef0 = options.get("degree", 3), options.get("coef0", 1)
            base = self.gamma * pairs.products + coef0
            yield degree * base ** (degree - 1) * (base - coef0)
        elif self.metric == "sigmoid":
            yield (1 - values**2) * self.gamma * pairs.products
        elif isinstance(self.metric, str):
            yield np.zeros(pairs.shape)
        else:
            above, below = (self._with(pairs, self.gamma * np.exp(step)) for step in (STEP, -STEP))
            yield (above - below) / (2 * STEP)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(gamma={self.gamma}, metric={self.metric})"
