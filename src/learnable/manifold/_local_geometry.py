"""The matrices of locally linear embedding: what neighbourhoods of rows say of coordinates.

Each function gives a sparse positive semi-definite M with M1 = 0, for which y'My is small if y is, near every row, an
affine function of coordinates of its neighbourhood.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ..core import Array
from ..core.runtime.context import give_way

BLOCK = 2**21  # differences of rows and neighbours at a time
ROUNDING = 1e-12  # of variances beside their sum


def barycenter_weights(rows: Array, near: Array, fitted: Array, reg: float) -> Array:
    """Weights w with sum 1 that minimise |x - sum_j w_j x_j|^2 + reg trace(G) |w|^2 for rows x and neighbours."""
    found = np.empty(near.shape)
    for block, Z in _differences(rows, near, fitted):
        found[block] = _weights(Z @ Z.transpose(0, 2, 1), reg)
    return found


def standard(X: Array, near: Array, reg: float) -> Any:
    """(I - W)'(I - W) for the barycentric weights W. [Roweis and Saul, 2000]"""
    from scipy.sparse import csr_array, eye_array

    n, k = near.shape
    W = csr_array((barycenter_weights(X, near, X, reg).ravel(), near.ravel(), np.arange(n + 1) * k), shape=(n, n))
    rest = (eye_array(n) - W).tocsr()
    return (rest.T @ rest).tocsr()


def tangent_alignment(X: Array, near: Array, dimension: int) -> Any:
    """Local tangent space alignment: projections off the tangent coordinates of each set. [Zhang and Zha, 2004]"""
    n, k = near.shape
    local = np.empty((n, k, k))
    for block, Z in _differences(X, near, X):
        axes = _tangent(Z - Z.mean(axis=1, keepdims=True), dimension)
        local[block] = np.eye(k) - 1 / k - axes @ axes.transpose(0, 2, 1)
    return _assembled(near, local)


def hessian(X: Array, near: Array, dimension: int) -> Any:
    """The squared Hessian of functions on tangent coordinates, estimated in each set. [Donoho and Grimes, 2003]"""
    n, k = near.shape
    one, other = np.triu_indices(dimension)
    local = np.empty((n, k, k))
    for block, Z in _differences(X, near, X):
        axes = _tangent(Z - Z.mean(axis=1, keepdims=True), dimension)
        terms = np.concatenate([np.ones((len(Z), k, 1)), axes, axes[:, :, one] * axes[:, :, other]], axis=2)
        estimator = np.linalg.qr(terms)[0][:, :, dimension + 1 :]
        local[block] = estimator @ estimator.transpose(0, 2, 1)
    return _assembled(near, local)


def modified(X: Array, near: Array, dimension: int, reg: float, tolerance: float) -> Any:
    """Several weight vectors for each row, of all directions in which its set is thin. [Zhang and Wang, 2006]"""
    n, k = near.shape
    values, vectors = np.empty((n, k)), np.empty((n, k, k))
    for block, Z in _differences(X, near, X):
        values[block], vectors[block] = np.linalg.eigh(Z @ Z.transpose(0, 2, 1))
    values = np.maximum(values[:, ::-1], 0.0)  # from the largest on
    vectors = vectors[:, :, ::-1]
    trace = values.sum(axis=1, keepdims=True)
    reduced = vectors.sum(axis=1) / (values + np.where(trace > 0, reg * trace, reg))
    regular = (vectors @ reduced[:, :, None])[:, :, 0]
    regular /= regular.sum(axis=1, keepdims=True)
    local = np.zeros((n, k + 1, k + 1))
    for size, members in _by_size(_thin_directions(values, dimension)):
        local[members] = _several_weights(vectors[members, :, k - size :], regular[members], tolerance)
    return _assembled(np.column_stack([near, np.arange(n)]), local)


def _several_weights(thin: Array, regular: Array, tolerance: float) -> Array:
    """(e - W)(e - W)' over a set and its row for W = V H + (1 - a) w 1', where H reflects V'1 to a 1."""
    size = thin.shape[2]
    sums = thin.sum(axis=1)
    a = np.linalg.norm(sums, axis=1) / np.sqrt(size)
    h = a[:, None] - sums
    length = np.linalg.norm(h, axis=1, keepdims=True)
    h = np.where(length < tolerance, 0.0, h / np.where(length < tolerance, 1.0, length))
    reflected = thin - 2 * (thin @ h[:, :, None]) * h[:, None, :]
    W = reflected + (1 - a)[:, None, None] * regular[:, :, None]
    whole = np.concatenate([W, -np.ones((len(W), 1, size))], axis=1)
    return np.asarray(whole @ whole.transpose(0, 2, 1))


def _thin_directions(values: Array, dimension: int) -> Array:
    """How many of the last directions of each set hold less, beside the others, than the sets hold on the median."""
    k = values.shape[1]
    kept = np.cumsum(values, axis=1)
    total = kept[:, -1:]
    ratio = np.divide(total - kept, kept, where=kept > 0, out=np.zeros_like(kept))  # after 1, 2, ... directions
    limit = max(float(np.median(ratio[:, dimension - 1])), ROUNDING)
    return np.asarray(np.clip((ratio[:, :-1] < limit).sum(axis=1), 1, max(k - dimension, 1)))


def _by_size(size: Array) -> Iterator[tuple[int, Array]]:
    """Rows with the same number, number by number."""
    order = np.argsort(size, kind="stable")
    cuts = np.flatnonzero(np.diff(size[order])) + 1
    for begin, end in pairwise([0, *cuts.tolist(), len(order)]):
        yield int(size[order[begin]]), order[begin:end]


def _weights(gram: Array, reg: float) -> Array:
    """G^-1 1 over its sum, for Gram matrices G with `reg` times their trace on the diagonal."""
    k = gram.shape[1]
    trace = np.trace(gram, axis1=1, axis2=2)
    diagonal = np.arange(k)
    gram[:, diagonal, diagonal] += np.where(trace > 0, reg * trace, reg or 1.0)[:, None]
    found = np.linalg.solve(gram, np.ones((len(gram), k, 1)))[:, :, 0]
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _tangent(Z: Array, dimension: int) -> Array:
    """Orthonormal coordinates of each set along its principal directions."""
    vectors = np.linalg.eigh(Z @ Z.transpose(0, 2, 1))[1]
    return np.asarray(vectors[:, :, : -dimension - 1 : -1])


def _differences(rows: Array, near: Array, fitted: Array) -> Iterator[tuple[slice, Array]]:
    """Neighbours less their row, some rows at a time."""
    step = max(1, BLOCK // max(near.shape[1] * fitted.shape[1], 1))
    for begin in range(0, len(rows), step):
        give_way()
        block = slice(begin, begin + step)
        yield block, fitted[near[block]] - rows[block, None]


def _assembled(near: Array, local: Array) -> Any:
    """The sum of the local matrices, each at the rows of its set."""
    from scipy.sparse import coo_array

    n, k = near.shape
    one, other = np.repeat(near, k, axis=1).ravel(), np.tile(near, (1, k)).ravel()
    return coo_array((local.ravel(), (one, other)), shape=(n, n)).tocsr()
