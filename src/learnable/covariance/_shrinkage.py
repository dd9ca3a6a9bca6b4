"""Shrinkage of covariances towards a multiple of the identity: how much minimises the expected squared error."""

from __future__ import annotations

import numpy as np

from ..core import Array
from ..core.scaling import power_of_two
from ..engines.algebra.covariances import ledoit_wolf_shrinkage as shrinkage_of_centred
from ..engines.algebra.covariances import shrunk
from ._moments import scatter_of


def ledoit_wolf_of(X: Array, weight: Array | None, assume_centered: bool) -> tuple[Array, Array, float]:
    """Location, shrunk covariance and the shrinkage by the lemma of Ledoit and Wolf."""
    location, covariance = scatter_of(X, weight, assume_centered)
    if X.shape[1] == 1:
        return location, covariance, 0.0
    if not np.trace(covariance) > 0:
        return location, covariance, 0.0
    shrinkage = shrinkage_of_centred(X.astype(np.float64) - location, covariance, weight)
    return location, shrunk(covariance, shrinkage), shrinkage


def oas_of(X: Array, weight: Array | None, assume_centered: bool) -> tuple[Array, Array, float]:
    """Location, shrunk covariance and the shrinkage of the oracle approximating estimator."""
    location, covariance = scatter_of(X, weight, assume_centered)
    p, rows = len(covariance), float(len(X) if weight is None else weight.sum())
    if p == 1:
        return location, covariance, 0.0
    unit = power_of_two(np.sqrt(max(float(np.trace(covariance)), 0.0)))
    scaled = covariance * unit * unit
    square, mean = float((scaled**2).mean()), float(np.trace(scaled)) / p
    apart = (rows + 1) * (square - mean**2 / p)
    shrinkage = 1.0 if apart == 0 else min((square + mean**2) / apart, 1.0)
    return location, shrunk(covariance, shrinkage), shrinkage
