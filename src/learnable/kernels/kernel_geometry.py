"""Lengths, distances, angles and projections in the space of a kernel, from the kernel alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import DataError, ParameterError
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import checks_sparse
from ..parts.kernels.semidefinite import ROUNDING
from .kernel_matrices import square


@checks_sparse
def feature_norms(K: Any) -> Array:
    """Norm of each row in feature space, |phi(x)| = sqrt(k(x, x)).

    >>> feature_norms([[4.0, 0.0], [0.0, 9.0]]).tolist()
    [2.0, 3.0]
    """
    return np.asarray(np.sqrt(np.maximum(np.diagonal(square("feature_norms", K)), 0.0)))


@checks_sparse
def combination_norm(K: Any, coef: Any) -> float:
    """Norm of a combination of feature vectors, |sum_i a_i phi(x_i)| = sqrt(a'Ka).

    >>> combination_norm([[1.0, 0.0], [0.0, 1.0]], [3.0, 4.0])
    5.0
    """
    matrix, a = square("combination_norm", K), np.asarray(coef, dtype=np.float64)
    if a.shape != (len(matrix),):
        raise DataError(f"combination_norm: coef must have one number for each of the {len(matrix)} rows")
    return float(np.sqrt(max(float(a @ matrix @ a), 0.0)))


@checks_sparse
def feature_distances(K: Any) -> Array:
    """Distances of feature vectors, |phi(x) - phi(z)| = sqrt(k(x, x) - 2 k(x, z) + k(z, z)).

    >>> feature_distances([[1.0, 0.0], [0.0, 1.0]]).round(4).tolist()
    [[0.0, 1.4142], [1.4142, 0.0]]
    """
    matrix = square("feature_distances", K)
    own = np.diagonal(matrix)
    return np.asarray(np.sqrt(np.maximum(own[:, None] - 2 * matrix + own, 0.0)))


@checks_sparse
def feature_angles(K: Any) -> Array:
    """Angles of feature vectors in radians, arccos(k(x, z) / sqrt(k(x, x) k(z, z))); a right angle if one is zero.

    >>> feature_angles([[1.0, 0.0], [0.0, 4.0]]).round(4).tolist()
    [[0.0, 1.5708], [1.5708, 0.0]]
    """
    matrix = square("feature_angles", K)
    lengths = feature_norms(matrix)
    both = lengths[:, None] * lengths
    return np.arccos(np.clip(np.where(both > 0, matrix, 0.0) / np.where(both > 0, both, 1.0), -1.0, 1.0))


@checks_sparse
def mean_norm(K: Any) -> float:
    """Norm of the mean of the feature vectors, sqrt(sum of K) / n.

    >>> mean_norm([[1.0, 1.0], [1.0, 1.0]])
    1.0
    """
    return float(np.sqrt(max(square("mean_norm", K).mean(), 0.0)))


@checks_sparse
def distances_to_mean(K: Any) -> Array:
    """Distances of the feature vectors to their mean.

    sqrt(k(x, x) - 2/n sum_j k(x, x_j) + 1/n^2 sum of K)

    >>> distances_to_mean([[1.0, 0.0], [0.0, 1.0]]).round(4).tolist()
    [0.7071, 0.7071]
    """
    matrix = square("distances_to_mean", K)
    return np.asarray(np.sqrt(np.maximum(np.diagonal(matrix) - 2 * matrix.mean(axis=1) + matrix.mean(), 0.0)))


@checks_sparse
def spread_around_mean(K: Any) -> float:
    """Mean squared distance of the feature vectors to their mean, trace(K) / n - sum of K / n^2.

    >>> spread_around_mean([[1.0, 0.0], [0.0, 1.0]])
    0.5
    """
    matrix = square("spread_around_mean", K)
    return float(max(np.trace(matrix) / len(matrix) - matrix.mean(), 0.0))


@checks_sparse
def project_on_span(K: Any, similar: Any, ridge: float = 0.0) -> Array:
    """Projection of new feature vectors onto the span of those of the training rows: p = (K + ridge I)^-1 q.

    `similar` holds q_i = k(x, x_i), a row for each new x, or one for a single one. A singular K is solved by its
    pseudo-inverse, which gives the shortest of the best.

    >>> project_on_span([[2.0, 0.0], [0.0, 4.0]], [1.0, 1.0]).tolist()
    [0.5, 0.25]
    """
    if not 0 <= ridge < np.inf:
        raise ParameterError(f"project_on_span: ridge must be a finite number, at least 0; got {ridge!r}")
    matrix = square("project_on_span", K)
    one = np.ndim(similar) == 1
    q = FeatureValidator("project_on_span").matrix(np.atleast_2d(np.asarray(similar, dtype=np.float64)))[0]
    if q.shape[1] != len(matrix):
        raise DataError(f"project_on_span: similar must have one number for each of the {len(matrix)} training rows")
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    values = values + ridge
    kept = np.abs(values) > len(matrix) * ROUNDING * np.abs(values).max()
    inverse = np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)
    found = (q @ vectors * inverse) @ vectors.T
    return np.asarray(found[0] if one else found)
