"""Normal components with missing values integrated out: log densities and weighted sums."""

from __future__ import annotations

import numpy as np

from ...core.runtime.native import kernels
from ...core.runtime.threads import single_threaded_blas
from ...core.validate.features import Array
from ..iterate import State
from .component_covariances import Kind, Sums, as_full, as_variances, ill_defined, precision_triangles
from .elliptical_components import Ellipsoids
from .elliptical_components import log_joint as log_joint_of_observed
from .missing_patterns import find_missing_patterns


def component_sums(X: Array, weights: Array, means: Array, kind: Kind, floor: float = 0.0) -> Sums:
    """Sums of rows about the means for responsibilities times weights; the floor is added to their variance."""
    total, p = weights.sum(axis=0), X.shape[1]
    centre = X.mean(axis=0, dtype=np.float64)
    apart, off = X - centre, means - centre
    sums = weights.T @ apart
    shift = sums - total[:, None] * off
    if kind in ("full", "tied"):
        scatter = np.stack([(apart * column[:, None]).T @ apart for column in weights.T])
        cross = sums[:, :, None] * off[:, None, :]
        scatter += total[:, None, None] * (off[:, :, None] * off[:, None, :] + floor * np.eye(p))
        return Sums(total, shift, scatter - cross - np.swapaxes(cross, 1, 2))
    squares = weights.T @ apart**2 - 2 * sums * off + total[:, None] * (off**2 + floor)
    return Sums(total, shift, squares)


def log_joint(X: Array, parameters: State, kind: Kind, floor: float, owner: str) -> Array:
    """Log of mixing weight times density, a column for each component; missing values are integrated out."""
    missing = np.isnan(X)
    if missing.any():
        shapes = ellipsoids(parameters, kind, floor, owner)
        return log_joint_of_observed(X.astype(np.float64), shapes, find_missing_patterns(missing))
    means, p = parameters["means"], X.shape[1]
    if kind in ("full", "tied"):
        triangles, constants = triangles_and_constants(parameters, kind, floor, owner)
        return kernels.quadratic_scores(X, means.mean(axis=0), means, triangles, constants)
    scales = as_variances(precision_triangles(parameters["covariances"], kind, owner), kind, p)
    constants = log_weights(parameters) + np.log(scales).sum(axis=1) - 0.5 * p * np.log(2 * np.pi)
    return kernels.gaussian_scores(X, means, scales, constants - 0.5 * floor * (scales**2).sum(axis=1))


def triangles_and_constants(parameters: State, kind: Kind, floor: float, owner: str) -> tuple[list[Array], Array]:
    """Lower triangles L with precision L L', and the constant of the log joint density of each component."""
    means, covariances = parameters["means"], parameters["covariances"]
    count, p = means.shape
    with single_threaded_blas():
        upper = precision_triangles(covariances, kind, owner)
        precisions = upper @ np.swapaxes(upper, -1, -2)
        try:
            lower = np.linalg.cholesky(precisions)
        except np.linalg.LinAlgError:
            raise ill_defined(owner) from None
    logs = np.log(np.diagonal(upper, axis1=-2, axis2=-1)).sum(axis=-1) - 0.5 * p * np.log(2 * np.pi)
    constants = log_weights(parameters) + logs - 0.5 * floor * np.trace(precisions, axis1=-2, axis2=-1)
    return list(np.broadcast_to(lower, (count, p, p))), constants


def ellipsoids(parameters: State, kind: Kind, floor: float, owner: str) -> Ellipsoids:
    """The components with full covariances, whatever their type."""
    means = parameters["means"]
    covariances = as_full(parameters["covariances"], kind, *means.shape)
    return Ellipsoids(log_weights(parameters), means, covariances, None, floor, owner)


def log_weights(parameters: State) -> Array:
    """The log mixing weight of each component, and further constants of its log joint density."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(parameters["weights"]) + parameters.get("more", 0.0))
