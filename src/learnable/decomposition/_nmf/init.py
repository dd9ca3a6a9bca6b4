"""Initial factors of a nonnegative factorisation: random ones, and those of the singular value decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, DataError, ParameterError, RandomState
from ...core.runtime.random import stream
from ...engines import matrix_products
from ...engines.algebra.singular_vectors import CentredRows, column_spectrum, row_spectrum, sketched_spectrum
from .divergence import Observed

MAX_GRAM_COLUMNS = 1500  # columns, or rows of a dense table, up to which the Gram matrix is formed
ZERO_BELOW = 1e-6  # entries of the singular vectors below which a factor begins at zero


def initial_factors(
    owner: str, table: Observed, count: int, init: str | None, random_state: RandomState
) -> tuple[Array, Array]:
    """W of shape (rows, components) and H of shape (columns, components)."""
    n, p = table.shape
    if init in ("nndsvd", "nndsvda", "nndsvdar") and count > min(n, p):
        raise ParameterError(
            f"{owner}: init={init!r} can only be used when n_components={count} <= min(n_samples, n_features)="
            f"{min(n, p)}; use init='random'"
        )
    if init is None:
        init = "nndsvda" if count <= min(n, p) else "random"
    draws = stream(random_state)
    if init == "random":
        average = np.sqrt(table.mean / count)
        H = np.abs(average * draws.standard_normal(size=(count, p))).T
        return np.abs(average * draws.standard_normal(size=(n, count))), np.ascontiguousarray(H)
    W, H = _singular_factors(table, count)
    if init == "nndsvda":
        W[W == 0], H[H == 0] = table.mean, table.mean
    if init == "nndsvdar":
        for factor in (W, H.T):  # in scikit-learn's order of the draws
            zero = factor == 0
            factor[zero] = np.abs(table.mean * draws.standard_normal(size=int(zero.sum())) / 100)
    return W, H


def _singular_factors(table: Observed, count: int) -> tuple[Array, Array]:
    """Nonnegative parts of the singular vectors (NNDSVD): of each pair the part with the larger product of norms."""
    U, values, V = _singular_triplets(table, count)
    W, H = np.zeros_like(U), np.zeros_like(V)
    W[:, 0], H[:, 0] = np.sqrt(values[0]) * np.abs(U[:, 0]), np.sqrt(values[0]) * np.abs(V[:, 0])
    for k in range(1, count):
        pairs = [(np.maximum(s * U[:, k], 0), np.maximum(s * V[:, k], 0)) for s in (1, -1)]
        norms = [(np.linalg.norm(u), np.linalg.norm(v)) for u, v in pairs]
        best = 0 if norms[0][0] * norms[0][1] > norms[1][0] * norms[1][1] else 1
        (u, v), (length_u, length_v) = pairs[best], norms[best]
        if length_u * length_v > 0:
            scale = np.sqrt(values[k] * length_u * length_v)
            W[:, k], H[:, k] = scale * u / length_u, scale * v / length_v
    W[W < ZERO_BELOW] = 0
    H[H < ZERO_BELOW] = 0
    return W, H


def _singular_triplets(table: Observed, count: int) -> tuple[Array, Array, Array]:
    """The largest singular values with their vectors."""
    n, p = table.shape
    rows = CentredRows.of(table.X, None, centre=False, summed=p <= MAX_GRAM_COLUMNS)
    if rows.summed is not None:
        found = column_spectrum(rows.summed, count)
    elif n <= MAX_GRAM_COLUMNS and not matrix_products.is_sparse(table.X):
        found = row_spectrum(rows, count)
    else:
        found = sketched_spectrum(rows, count, 10, 7, np.random.default_rng(0), 1e-4)
    values = found.values / rows.unit
    V = np.ascontiguousarray(found.vectors.T)
    U = table.times(V) / np.where(values > 0, values, 1.0)
    return U, values, V


def given_factor(owner: str, name: str, value: Any, shape: tuple[int, int]) -> Array:
    """An initial factor that the caller gives, checked."""
    if value is None:
        raise ParameterError(f"{owner}: init='custom' needs W and H; {name} is None")
    factor = np.array(value, dtype=np.float64)
    if factor.shape != shape:
        raise DataError(f"{owner}: Array with wrong shape passed as {name}: expected {shape}, got {factor.shape}")
    if not np.isfinite(factor).all() or (factor < 0).any():
        raise DataError(f"{owner}: negative values or missing ones passed as {name}; all entries must be at least 0")
    if not factor.any():
        raise DataError(f"{owner}: Array passed as {name} is full of zeros, and no update would change it")
    return factor
