"""EM for normal and Student's t components with missing values, which are integrated out."""

from __future__ import annotations

from math import lgamma
from typing import NamedTuple

import numpy as np

from ...core.runtime.context import give_way
from ...core.validate.features import Array
from .component_covariances import Sums, ill_defined
from .missing_patterns import Patterns

MIN_DEGREES_OF_FREEDOM, MAX_DEGREES_OF_FREEDOM = 0.1, 200.0  # bounds of the estimated degrees of freedom


class Ellipsoids(NamedTuple):
    """Components: log weights, means, full covariances, degrees of freedom (None: normal), and the floor of variances.

    A floor e adds noise of that variance to every row: log densities are lower by e / 2 trace S^-1, and scatter
    matrices are larger by e I, so that the M-step to S + e I never lowers the likelihood.
    """

    log_weights: Array
    means: Array
    covariances: Array
    freedom: Array | None
    floor: float
    owner: str


def log_joint(X: Array, shapes: Ellipsoids, patterns: Patterns) -> Array:
    """Log of mixing weight times density of the observed entries, a column for each component."""
    found = np.empty((len(X), len(shapes.means)))
    for present, rows in patterns:
        give_way()
        for k in range(len(shapes.means)):
            distance, logs = _distances(X[np.ix_(rows, present)], present, shapes, k)
            found[rows, k] = shapes.log_weights[k] + _log_density(distance, logs, int(present.sum()), shapes, k)
    return found


def expected_sums(X: Array, shapes: Ellipsoids, patterns: Patterns, weights: Array) -> tuple[Sums, Array]:
    """Sums of completed rows about the means, for responsibilities times weights; and statistics of the tails.

    The latter are, for each component, the sums of E log u - E u over rows, of the latent scale u of a t distribution.
    """
    count, p = shapes.means.shape
    total, shift, scatter = weights.sum(axis=0), np.zeros((count, p)), np.zeros((count, p, p))
    tails, precise = np.zeros(count), np.zeros(count)
    for present, rows in patterns:
        give_way()
        for k in range(count):
            mass = weights[rows, k]
            apart = X[np.ix_(rows, present)] - shapes.means[k][present]
            scale = np.ones(len(rows))
            if shapes.freedom is not None:
                distance, _ = _distances(X[np.ix_(rows, present)], present, shapes, k)
                half = (shapes.freedom[k] + present.sum()) / 2
                scale = 2 * half / (shapes.freedom[k] + distance)
                tails[k] += mass @ (_digamma(half) - np.log(half) + np.log(scale) - scale)
            spread, left = _completion(shapes.covariances[k], present)
            whole = apart @ spread.T
            scaled = mass * scale
            precise[k] += scaled.sum()
            shift[k] += scaled @ whole
            noise = shapes.floor * spread @ spread.T
            scatter[k] += (whole * scaled[:, None]).T @ whole + mass.sum() * left + scaled.sum() * noise
    if shapes.freedom is not None:
        return Sums(precise, shift, scatter), np.stack([total, tails])
    return Sums(total, shift, scatter), np.stack([total, tails])


def best_freedom(tails: Array) -> Array:
    """Degrees of freedom v with log(v / 2) + 1 - digamma(v / 2) + tail = 0: maximum likelihood for the mean tail."""
    from scipy.special import digamma

    low, high = np.full(len(tails), MIN_DEGREES_OF_FREEDOM), np.full(len(tails), MAX_DEGREES_OF_FREEDOM)
    for _ in range(60):
        middle = np.sqrt(low * high)
        rising = np.log(middle / 2) + 1 - digamma(middle / 2) + tails > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.asarray(np.sqrt(low * high))


def _completion(covariance: Array, present: Array) -> tuple[Array, Array]:
    """The linear map from the observed entries to the whole row, and the conditional covariance of the others."""
    p = len(present)
    spread, left = np.zeros((p, int(present.sum()))), np.zeros((p, p))
    spread[present] = np.eye(int(present.sum()))
    missing = ~present
    if missing.any():
        coefficients = np.linalg.solve(covariance[np.ix_(present, present)], covariance[np.ix_(present, missing)]).T
        spread[missing] = coefficients
        left[np.ix_(missing, missing)] = (
            covariance[np.ix_(missing, missing)] - coefficients @ covariance[np.ix_(present, missing)]
        )
    return spread, left


def _distances(X: Array, present: Array, shapes: Ellipsoids, k: int) -> tuple[Array, float]:
    """Squared Mahalanobis distances, including the floor, and the log determinant."""
    if not present.any():
        return np.zeros(len(X)), 0.0
    try:
        lower = np.linalg.cholesky(shapes.covariances[k][np.ix_(present, present)])
    except np.linalg.LinAlgError:
        raise ill_defined(shapes.owner) from None
    inverse = np.linalg.solve(lower, np.eye(len(lower)))
    turned = (X - shapes.means[k][present]) @ inverse.T
    lifted = shapes.floor * float((inverse**2).sum())
    return (turned**2).sum(axis=1) + lifted, 2 * float(np.log(np.diag(lower)).sum())


def _log_density(distance: Array, logs: float, present: int, shapes: Ellipsoids, k: int) -> Array:
    if shapes.freedom is None:
        return np.asarray(-0.5 * (distance + logs + present * np.log(2 * np.pi)))
    v = float(shapes.freedom[k])
    constant = lgamma((v + present) / 2) - lgamma(v / 2) - 0.5 * present * np.log(v * np.pi) - 0.5 * logs
    return np.asarray(constant - 0.5 * (v + present) * np.log1p(distance / v))


def _digamma(x: float) -> float:
    from scipy.special import digamma

    return float(digamma(x))
