"""Mutual information of each column with the target, without assuming what the dependence looks like."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState
from ..core.declare.checked_functions import Column, Rows, checked, limits
from ..core.declare.registry import function
from ..core.runtime.native import kernels
from ..core.runtime.random import stream
from ..core.validate.features import FeatureValidator
from ..core.validate.targets import is_sparse
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.columns.column_statistics import ColumnStatistics
from ..metrics import mutual_info_score


@function
@checked(n_neighbors=limits(at_least=1))
def mutual_info_classif(
    X: Rows,
    y: Rows,
    *,
    discrete_features: Literal["auto"] | bool | Column = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Array:
    """Mutual information of each column with the classes `y`, in nats.

    I = psi(n) + mean psi(k_i) - mean psi(n_{y_i}) - mean psi(m_i)

    for a continuous column, where m_i counts the rows nearer than the k-th neighbour of the same class; from the table
    of counts for a discrete one. A little noise breaks ties; at least 0. `copy` and `n_jobs` are accepted for
    scikit-learn's sake: X is left alone, and `learnable.threads` limits the threads. [Ross, 2014]

    >>> mutual_info_classif([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, 0, 0, 1, 1, 1], n_neighbors=2).round(2)
    array([0.78])
    """
    validator = FeatureValidator("mutual_info_classif", True, "csc")
    matrix, _ = validator.matrix(X)
    _, codes = validator.classes(y, matrix.shape[0], "mutual_info_regression")
    return _information(matrix, codes, True, discrete_features, n_neighbors, random_state, validator.owner)


@function
@checked(n_neighbors=limits(at_least=1))
def mutual_info_regression(
    X: Rows,
    y: Rows,
    *,
    discrete_features: Literal["auto"] | bool | Column = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Array:
    """Mutual information of each column with the numeric target `y`, in nats.

    I = psi(n) + psi(k) - mean [psi(a_i) + psi(b_i)]

    for a continuous column, where a_i and b_i count the rows nearer in x alone and in y alone than the k-th neighbour
    in both. A little noise breaks ties; at least 0. `copy` and `n_jobs` are accepted for scikit-learn's sake: X is
    left alone, and `learnable.threads` limits the threads. [Kraskov et al., 2004]

    >>> import numpy as np
    >>> x = np.linspace(0, 1, 200)
    >>> bool(mutual_info_regression(x[:, None], np.cos(9 * x), random_state=0)[0] > 1)
    True
    """
    validator = FeatureValidator("mutual_info_regression", True, "csc")
    matrix, _ = validator.matrix(X)
    target = validator.target(y, matrix.shape[0], np.float64, False)
    return _information(matrix, target, False, discrete_features, n_neighbors, random_state, validator.owner)


def _information(
    X: Any, y: Array, classes: bool, discrete: Any, neighbours: int, random_state: RandomState, owner: str
) -> Array:
    is_discrete = _discrete_columns(discrete, X, owner)
    if is_sparse(X) and not is_discrete.all():
        raise DataError(f"{owner}: Sparse matrix `X` can't have continuous features; pass X.toarray()")
    rng = stream(random_state)
    columns = interruptibly(_jittered, X, ~is_discrete, rng)
    target = y if classes else _jittered(y[:, None], np.array([True]), rng)[0]
    found = np.empty(X.shape[1])
    found[is_discrete] = [
        _of_discrete(_dense(X, j), target, classes, neighbours) for j in np.flatnonzero(is_discrete).tolist()
    ]
    if len(columns) and classes:
        found[~is_discrete] = _with_labels(columns, target, neighbours)
    elif len(columns):
        found[~is_discrete] = _of_two(columns, target, neighbours, owner)
    return np.maximum(found, 0.0)


def _discrete_columns(discrete: Any, X: Any, owner: str) -> Array:
    """The mask of the columns that hold categories."""
    width = X.shape[1]
    if isinstance(discrete, str):
        return np.full(width, is_sparse(X))
    if isinstance(discrete, (bool, np.bool_)):
        return np.full(width, bool(discrete))
    given = np.asarray(discrete)
    if given.dtype == bool:
        if given.shape != (width,):
            raise ParameterError(f"{owner}: discrete_features is a mask of shape {given.shape} for {width} columns")
        return given
    if given.size and (given.dtype.kind not in "iu" or given.min() < -width or given.max() >= width):
        raise ParameterError(
            f"{owner}: discrete_features must be a mask, or numbers of the {width} columns from 0 on; got {discrete!r}"
        )
    mask = np.zeros(width, dtype=bool)
    mask[given.astype(np.intp)] = True
    return mask


def _dense(X: Any, j: int) -> Array:
    return np.asarray(X[:, [j]].toarray().ravel() if is_sparse(X) else X[:, j])


def _jittered(X: Any, chosen: Array, rng: np.random.RandomState) -> Array:
    """The chosen columns, a row each, in units of their spread, with noise that lets no two entries be equal."""
    if not chosen.any():
        return np.empty((0, X.shape[0]))
    part = np.asarray(X[:, chosen], dtype=np.float64)
    summary = ColumnStatistics.of(part)
    deviation = np.sqrt(summary.spread / summary.weight)
    constant = (summary.low == summary.high) | (deviation < 10 * np.finfo(np.float64).eps * np.abs(summary.mean))
    scaled = np.ascontiguousarray((part / np.where(constant | ~(deviation > 0), 1.0, deviation)).T)
    size = np.maximum(1, np.abs(scaled).mean(axis=1))
    scaled += (1e-10 * size)[:, None] * rng.standard_normal(size=part.shape).T
    return scaled


def _psi(rows: int) -> Array:
    """The digamma function of 0 (never used), 1, ..., rows."""
    from scipy.special import digamma

    return np.concatenate([[0.0], digamma(np.arange(1, rows + 1))])


def _of_two(columns: Array, y: Array, neighbours: int, owner: str) -> Array:
    """Both continuous."""
    if neighbours >= len(y):
        raise DataError(
            f"{owner}: Expected n_neighbors < n_samples, but n_neighbors = {neighbours}, n_samples = {len(y)}"
        )
    psi, mean = _psi(len(y)), np.empty(len(columns))
    kernels.mean_digamma_continuous(columns, np.require(y, np.float64, "C"), neighbours, psi, mean)
    return np.asarray(psi[len(y)] + psi[neighbours] - mean)


def _with_labels(columns: Array, codes: Array, neighbours: int) -> Array:
    """Continuous columns and labels; samples that are alone in their class are left out."""
    counts = np.bincount(codes)
    together = counts[codes] > 1
    if not together.any():
        return np.zeros(len(columns))
    _, labels = np.unique(codes[together], return_inverse=True)
    columns, sizes = np.ascontiguousarray(columns[:, together]), counts[codes[together]]
    psi, mean = _psi(len(labels)), np.empty(len(columns))
    kernels.mean_digamma_labels(columns, labels.astype(np.int32), int(labels.max()) + 1, neighbours, psi, mean)
    near = psi[np.minimum(neighbours, sizes - 1)].mean()
    return np.asarray(psi[len(labels)] + near - psi[sizes].mean() - mean)


def _of_discrete(column: Array, target: Array, classes: bool, neighbours: int) -> float:
    """A discrete column, and classes or numbers."""
    if classes:
        return float(mutual_info_score(column, target))
    codes = np.unique(column, return_inverse=True)[1]
    return float(_with_labels(target[None, :], codes, neighbours)[0])
