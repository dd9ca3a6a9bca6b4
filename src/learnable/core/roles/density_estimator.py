"""Base class of density estimators."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ..runtime.random import requested_samples, stream
from ..validate.features import Array, Matrix
from .traits import Traits
from .unsupervised import WeightedUnsupervised


class DensityEstimator(WeightedUnsupervised):
    """An estimator that learns a density of rows: it writes `_fit`, `_log_density` and `_drawn`."""

    traits = Traits(task="density estimation")

    def score_samples(self, X: Any) -> Array:
        """The logarithm of the density at each row of `X`."""
        return self._log_density(self._read(X))

    def score(self, X: Any, y: Any = None) -> float:
        """The logarithm of the likelihood of the rows of `X`: the sum of those of the densities."""
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """New rows drawn from the density."""
        return self._drawn(requested_samples(self, n_samples), stream(random_state))

    @abstractmethod
    def _log_density(self, X: Matrix) -> Array: ...

    @abstractmethod
    def _drawn(self, count: int, rng: np.random.RandomState) -> Array: ...
