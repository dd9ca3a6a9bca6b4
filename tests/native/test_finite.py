"""The first entry that is not finite, and the variance of all entries."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [1, 7, 33, 1000, 200_000])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_found(dtype, size, bad):
    values = np.random.default_rng(0).normal(size=size).astype(dtype)
    assert kernels.first_non_finite(values) == -1
    for where in {0, size // 2, size - 1}:
        spoiled = values.copy()
        spoiled[where] = spoiled[-1] = bad
        with threads(3):
            assert kernels.first_non_finite(spoiled) == where


def test_extremes_are_finite():
    values = np.array([np.finfo(float).max, -np.finfo(float).max, 5e-324, -0.0] * 20)
    assert kernels.first_non_finite(values) == -1
    assert kernels.first_non_finite(np.empty((0, 3))) == -1


def test_position_is_that_in_memory():
    X = np.zeros((4, 3), order="F")
    X[1, 2] = np.nan
    assert kernels.first_non_finite(X) == 9
    assert kernels.first_non_finite(np.ascontiguousarray(X)) == 5


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [1, 7, 33, 200_000])
def test_variance_of_all_entries(dtype, size):
    values = np.random.default_rng(0).normal(1e3, 2.0, size=size).astype(dtype)
    with threads(1):
        alone = kernels.variance_of_entries(values)
    np.testing.assert_allclose(alone, values.astype(np.float64).var(), rtol=1e-10, atol=1e-20)
    with threads(3):
        assert kernels.variance_of_entries(values) == alone
    assert kernels.variance_of_entries(np.empty((0, 3))) == 0
