"""Summaries of columns against NumPy, in every layout, with missing values and weights."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.columns.column_statistics import ColumnStatistics, shifted_and_scaled


def oracle(X, weight):
    rows = []
    for x in np.asarray(X, dtype=np.float64).T:
        there = ~np.isnan(x) & (weight > 0)
        w, v = weight[there], x[there]
        mean = np.average(v, weights=w)
        missing = int((np.isnan(x) & (weight > 0)).sum())
        rows.append([w.sum(), mean, (w * (v - mean) ** 2).sum(), v.min(), v.max(), missing])
    return np.array(rows).T


def table(n, p, dtype=np.float64, missing=True):
    rng = np.random.default_rng(n + p)
    X = (rng.standard_normal((n, p)) + 100 * rng.standard_normal(p)).astype(dtype)
    if missing:
        X[rng.random((n, p)) < 0.1] = np.nan
    return X, rng.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(7, 3), (1000, 5), (20_001, 17)])
def test_dense_columns(shape, order, dtype):
    X, weight = table(*shape, dtype)
    X = np.array(X, order=order)
    for given, counted in ((weight, weight), (None, np.ones(len(X)))):
        np.testing.assert_allclose(kernels.column_summary(X, given), oracle(X, counted), rtol=1e-12)


def test_sparse_columns_count_zeros_that_are_not_stored():
    X, weight = table(500, 6, missing=False)
    X[np.abs(X) < np.median(np.abs(X))] = 0
    X[:, 0] = 0
    X[3, 1] = np.nan
    found = kernels.column_summary(sparse.csc_array(X), weight)
    np.testing.assert_allclose(found, oracle(X, weight), rtol=1e-12, atol=1e-12)


def test_bits_do_not_depend_on_threads():
    X, weight = table(50_000, 9)
    with learnable.threads(1):
        alone = kernels.column_summary(X, weight)
    with learnable.threads(4):
        assert kernels.column_summary(X, weight).tobytes() == alone.tobytes()


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_squares_beyond_the_range_are_rescaled(size):
    X, _ = table(200, 3, missing=False)
    plain, far = ColumnStatistics.of(X), ColumnStatistics.of(X * size)
    np.testing.assert_allclose(np.sqrt(far.spread / size / size), np.sqrt(plain.spread), rtol=1e-9)


def test_summaries_add():
    X, weight = table(300, 4)
    both = ColumnStatistics.of(X[:120], weight[:120]) + ColumnStatistics.of(X[120:], weight[120:])
    whole = ColumnStatistics.of(X, weight)
    for name in ("weight", "mean", "spread", "low", "high", "missing"):
        np.testing.assert_allclose(getattr(both, name), getattr(whole, name), rtol=1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_shift_and_scale(order, dtype):
    X, _ = table(1000, 7, dtype)
    X, shift, scale = np.array(X, order=order), np.arange(7.0), np.arange(1.0, 8.0)
    expected = ((X.astype(np.float64) - shift) * scale).astype(dtype)
    np.testing.assert_allclose(shifted_and_scaled(X, shift, scale), expected, rtol=1e-6)


def test_wrong_sizes_are_refused():
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match="one number per row"):
        kernels.column_summary(X, np.ones(2))
    with pytest.raises(ValueError, match="one number per column"):
        kernels.shift_and_scale(X, np.zeros(1), np.zeros(2), np.empty((3, 2)))
