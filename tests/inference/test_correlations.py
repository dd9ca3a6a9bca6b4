"""Pearson's correlation against SciPy and NumPy (STA-08)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from learnable.core import DataError
from learnable.inference import correlation_matrix, pearson_correlation


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@given(seed=st.integers(0, 1000), n=st.integers(4, 60))
def test_equal_to_scipy(alternative, seed, n):
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    ours, theirs = (
        found(x, x + noise, alternative=alternative) for found in (pearson_correlation, stats.pearsonr)
    )  # fmt: skip
    assert ours.estimate == pytest.approx(theirs.statistic) and ours.p_value == pytest.approx(theirs.pvalue, rel=1e-6)
    np.testing.assert_allclose(ours.interval, theirs.confidence_interval())


@given(seed=st.integers(0, 1000), shift=st.floats(-100, 100), factor=st.floats(0.01, 100))
def test_shifts_and_scales_do_not_matter(seed, shift, factor):
    x, y = np.random.default_rng(seed).normal(size=(2, 20))
    assert pearson_correlation(factor * x + shift, y).estimate == pytest.approx(pearson_correlation(x, y).estimate)
    assert pearson_correlation(-x, y).estimate == pytest.approx(-pearson_correlation(x, y).estimate)


def test_matrix_equals_numpy_at_every_scale():
    X = np.random.default_rng(0).normal(size=(30, 4))
    expected = np.corrcoef(X.T)
    for scale in (1.0, 1e-160, 1e160):
        np.testing.assert_allclose(correlation_matrix(X * scale), expected, atol=1e-12)


def test_a_perfect_line_and_a_constant():
    found = pearson_correlation([1, 2, 3, 4], [2, 4, 6, 8])
    assert found.estimate == pytest.approx(1) and found.p_value < 1e-6
    with pytest.raises(DataError, match="at least 3 numbers"):
        pearson_correlation([1, 2], [2, 5])
    with pytest.raises(DataError, match="y does not vary"):
        pearson_correlation([1, 2, 3], [4, 4, 4])
    with pytest.raises(DataError, match="must have one length; got 4 and 3"):
        pearson_correlation([1, 2, 3, 4], [4, 4, 5])


def test_a_column_that_does_not_vary_has_no_correlation_with_any_nor_with_itself():
    X = np.column_stack([np.arange(5.0), np.full(5, 0.1), [3, 1, 4, 1, 5]])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(correlation_matrix(X), np.corrcoef(X.T))
