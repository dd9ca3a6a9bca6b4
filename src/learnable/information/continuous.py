"""Entropy and divergence of continuous variables: by integrals, in closed form, and from samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.annotations import Kind
from ..core.declare.checked_functions import Rows, checked, numbers
from ..core.validate.features import FeatureValidator
from ._probability_inputs import check_base

Density = Annotated[
    Callable[[float], float], Kind(callable, "a function of a number (for a sample, use nearest_neighbour_entropy)")
]
WHOLE_LINE = (-np.inf, np.inf)


@checked()
def differential_entropy(density: Density, *, support: tuple[float, float] = WHOLE_LINE, base: float = 2.0) -> float:
    """Differential entropy of a density on the line, by numerical integration.

    h = -integral f(x) log f(x) dx

    Other than entropy it can be negative, and it changes with the unit of measurement; it does not change when the
    density is moved. `support` is where the density is above 0. [Shannon, 1948]

    >>> round(differential_entropy(lambda x: 1 / 8, support=(0, 8)), 6)
    3.0
    """

    def part(x: float) -> float:
        f = float(density(x))
        return -f * float(np.log(f)) if f > 0 else 0.0

    return _integral(part, density, support, "differential_entropy") / check_base(base, "differential_entropy")


@checked()
def density_divergence(
    f: Density, g: Density, *, support: tuple[float, float] = WHOLE_LINE, base: float = 2.0
) -> float:
    """Kullback-Leibler divergence of two densities on the line, D(f || g) = integral f log(f / g) dx, at least 0.

    Infinite where g is 0 on a part of the support that f reaches.

    >>> round(density_divergence(lambda x: 1.0 if x < 1 else 0.0, lambda x: 0.5, support=(0, 2)), 6)
    1.0
    """

    def part(x: float) -> float:
        one, two = float(f(x)), float(g(x))
        if one <= 0:
            return 0.0
        return one * float(np.log(one / two)) if two > 0 else np.inf

    return _integral(part, f, support, "density_divergence") / check_base(base, "density_divergence")


@checked()
def gaussian_entropy(covariance: float | Rows, *, base: float = 2.0) -> float:
    """Entropy of a normal distribution, h = (p log(2 pi e) + log det covariance) / 2, for a variance or a covariance.

    It is 1/2 + log(sqrt(2 pi) sigma) nats for one variable, and the largest of all laws with that covariance.

    >>> round(gaussian_entropy(1.0), 4)
    2.0471
    """
    matrix = _covariance(covariance, "gaussian_entropy", "covariance")
    sign, log_det = np.linalg.slogdet(matrix)
    if sign <= 0:
        raise DataError("gaussian_entropy: the covariance must be positive definite")
    return float(len(matrix) * np.log(2 * np.pi * math.e) + log_det) / 2 / check_base(base, "gaussian_entropy")


@checked()
def exponential_entropy(mean: float, *, base: float = 2.0) -> float:
    """Entropy of the exponential distribution, h = 1 + ln(mean) nats: the maximum for positive numbers of that mean.

    >>> exponential_entropy(1.0, base=math.e)
    1.0
    """
    return (1 + float(np.log(_positive(mean, "exponential_entropy")))) / check_base(base, "exponential_entropy")


@checked()
def uniform_entropy(low: float, high: float, *, base: float = 2.0) -> float:
    """Entropy of the uniform distribution, h = log(high - low): the maximum on an interval.

    >>> uniform_entropy(0, 8)
    3.0
    """
    width = _positive(high - low, "uniform_entropy")
    return float(np.log(width)) / check_base(base, "uniform_entropy")


@checked()
def laplace_entropy(scale: float, *, base: float = 2.0) -> float:
    """Entropy of the Laplace distribution, h = 1 + ln(2 scale) nats.

    >>> laplace_entropy(0.5, base=math.e)
    1.0
    """
    return (1 + float(np.log(2) + np.log(_positive(scale, "laplace_entropy")))) / check_base(base, "laplace_entropy")


@checked()
def gaussian_divergence(
    mean: float | Rows,
    covariance: float | Rows,
    other_mean: float | Rows,
    other_covariance: float | Rows,
    *,
    base: float = 2.0,
) -> float:
    """Kullback-Leibler divergence of two normal distributions.

    D = (tr(S2^-1 S1) + (m2 - m1)' S2^-1 (m2 - m1) - p + log det S2 - log det S1) / 2 nats

    >>> gaussian_divergence(0.0, 1.0, 1.0, 1.0, base=math.e)
    0.5
    """
    owner = "gaussian_divergence"
    one, two = _covariance(covariance, owner, "covariance"), _covariance(other_covariance, owner, "other_covariance")
    first, second = (
        numbers(owner, name, np.atleast_1d(value), len(one))
        for name, value in (("mean", mean), ("other_mean", other_mean))
    )
    apart = second - first
    if one.shape != two.shape:
        raise DataError(f"{owner}: the covariances must have one shape; got {one.shape} and {two.shape}")
    (sign_one, log_one), (sign_two, log_two) = np.linalg.slogdet(one), np.linalg.slogdet(two)
    if sign_one <= 0 or sign_two <= 0:
        raise DataError("gaussian_divergence: both covariances must be positive definite")
    solved = np.linalg.solve(two, np.column_stack([one, apart]))
    total = np.trace(solved[:, :-1]) + apart @ solved[:, -1] - len(apart) + log_two - log_one
    return float(total) / 2 / check_base(base, "gaussian_divergence")


@checked()
def nearest_neighbour_entropy(X: Rows, *, n_neighbors: int = 3, base: float = 2.0) -> float:
    """Nearest neighbour estimate of the differential entropy of the distribution that rows were drawn from.

    h = digamma(n) - digamma(k) + log V_p + p / n sum_i log r_i

    where r_i is the distance of row i to its k-th neighbour and V_p the volume of the unit ball in p dimensions. No
    density is estimated. A row given more than k times has r = 0, which makes it -infinity.
    [Kozachenko and Leonenko, 1987]

    >>> X = np.random.default_rng(0).normal(size=(5000, 1))
    >>> abs(nearest_neighbour_entropy(X) - gaussian_entropy(1.0)) < 0.1
    True
    """
    from scipy.spatial import cKDTree
    from scipy.special import digamma, gammaln

    values = np.asarray(X)
    rows, _ = FeatureValidator("nearest_neighbour_entropy").matrix(values.reshape(-1, 1) if values.ndim == 1 else X)
    n, p = rows.shape
    if not 1 <= n_neighbors < n:
        raise ParameterError(
            f"nearest_neighbour_entropy: n_neighbors must be from 1 to {n - 1}, less than the rows; got {n_neighbors!r}"
        )
    reach = np.asarray(cKDTree(rows).query(rows, n_neighbors + 1)[0])[:, -1]
    volume = p / 2 * np.log(np.pi) - gammaln(p / 2 + 1)
    with np.errstate(divide="ignore"):
        nats = digamma(n) - digamma(n_neighbors) + volume + p * np.log(reach).mean()
    return float(nats) / check_base(base, "nearest_neighbour_entropy")


def _covariance(value: Any, owner: str, name: str) -> Array:
    """A variance or a covariance matrix, as a matrix."""
    matrix = np.atleast_2d(value)
    return numbers(owner, name, matrix, len(matrix), len(matrix))


def _integral(part: Density, density: Density, support: tuple[float, float], owner: str) -> float:
    """The integral of `part`, once the density is found to be one on its support."""
    from scipy.integrate import quad

    total = quad(density, *support, limit=200)[0]
    if abs(total - 1) > 1e-4:
        raise DataError(
            f"{owner}: the density must integrate to 1 over its support; it gives {total:.6g}. If it is "
            "narrow or far from 0, give the interval that holds it as support"
        )
    return float(quad(part, *support, limit=200)[0])


def _positive(value: float, owner: str) -> float:
    if not value > 0:
        raise ParameterError(f"{owner}: the width of the distribution must be above 0; got {value!r}")
    return float(value)
