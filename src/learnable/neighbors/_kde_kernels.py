"""Kernels of density estimation: their normalising constants and sampling from them."""

from __future__ import annotations

from collections.abc import Callable
from math import lgamma, log, pi
from typing import Literal

import numpy as np

from ..core import Array

DensityKernel = Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine", "hypercube"]


def log_volume(columns: int) -> float:
    """The logarithm of the volume of a ball of radius 1.

    >>> round(log_volume(2), 6), round(log(pi), 6)
    (1.14473, 1.14473)
    """
    return columns / 2 * log(pi) - lgamma(columns / 2 + 1)


def log_total(kernel: DensityKernel, columns: int) -> float:
    """The logarithm of the integral of a kernel of bandwidth 1 that is 1 at its centre."""
    ball = log_volume(columns)
    if kernel == "gaussian":
        return columns / 2 * log(2 * pi)
    if kernel == "tophat":
        return ball
    if kernel == "hypercube":
        return 0.0
    sphere = log(columns) + ball  # the surface of that ball
    if kernel == "epanechnikov":
        return ball + log(2 / (columns + 2))
    if kernel == "exponential":
        return sphere + lgamma(columns)
    if kernel == "linear":
        return ball - log(columns + 1)
    return sphere + log(_cosine_moment(columns - 1))


def _cosine_moment(power: int) -> float:
    """The integral of r^power cos(pi r / 2) from 0 to 1, by Gauss' rule, which is exact here up to rounding.

    >>> round(_cosine_moment(0), 6), round(2 / pi, 6)
    (0.63662, 0.63662)
    """
    nodes, weights = np.polynomial.legendre.leggauss(32 + power)
    r = (nodes + 1) / 2
    return float((weights / 2 * r**power * np.cos(pi * r / 2)).sum())


def drawn(kernel: DensityKernel, count: int, columns: int, rng: np.random.RandomState) -> Array:
    """Draws (count, columns) from a kernel of bandwidth 1 round zero."""
    if kernel == "hypercube":
        return rng.uniform(-0.5, 0.5, (count, columns))
    if kernel == "gaussian":
        return rng.standard_normal((count, columns))
    direction = rng.standard_normal((count, columns))
    direction /= np.sqrt((direction**2).sum(axis=1, keepdims=True))
    return np.asarray(_RADII[kernel](count, columns, rng)[:, None] * direction)


def _cosine_radii(count: int, columns: int, rng: np.random.RandomState) -> Array:
    """Radii in the unit ball drawn from the density of the cosine kernel."""
    found = np.empty(0)
    while len(found) < count:
        tried = rng.beta(columns, 1, 2 * count + 16)
        found = np.concatenate([found, tried[rng.random_sample(len(tried)) < np.cos(pi / 2 * tried)]])
    return found[:count]


_RADII: dict[str, Callable[[int, int, np.random.RandomState], Array]] = {
    "tophat": lambda count, columns, rng: rng.beta(columns, 1, count),
    "epanechnikov": lambda count, columns, rng: np.sqrt(rng.beta(columns / 2, 2, count)),
    "exponential": lambda count, columns, rng: rng.gamma(columns, size=count),
    "linear": lambda count, columns, rng: rng.beta(columns, 2, count),
    "cosine": _cosine_radii,
}
