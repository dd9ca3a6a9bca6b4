"""Student's tests against SciPy and their formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from learnable.core import DataError, ParameterError
from learnable.inference import corrected_resampled_t_test, paired_t_test, two_sample_t_test

SIDES = ["two-sided", "greater", "less"]


def drawn(seed, n, shift=0.3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n) + shift, rng.normal(size=n)


@pytest.mark.parametrize("alternative", SIDES)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 30))
def test_paired_equals_scipy(alternative, seed, n):
    one, two = drawn(seed, n)
    ours = paired_t_test(one, two, alternative=alternative, confidence=0.9)
    theirs = stats.ttest_rel(one, two, alternative=alternative)
    assert ours.statistic == pytest.approx(theirs.statistic) and ours.df == n - 1 == theirs.df
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    np.testing.assert_allclose(ours.interval, theirs.confidence_interval(0.9))


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("variances", ["welch", "pooled"])
@given(seed=st.integers(0, 10_000), n=st.integers(2, 30))
def test_two_samples_equal_scipy(variances, alternative, seed, n):
    one, two = drawn(seed, n)
    ours = two_sample_t_test(one, 3 * two[: n // 2 + 1], variances=variances, alternative=alternative)
    theirs = stats.ttest_ind(one, 3 * two[: n // 2 + 1], equal_var=variances == "pooled", alternative=alternative)
    assert ours.statistic == pytest.approx(theirs.statistic) and ours.df == pytest.approx(theirs.df)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)
    np.testing.assert_allclose(ours.interval, theirs.confidence_interval())


def test_overlapping_folds_shrink_the_statistic_by_their_overlap():
    one, two = drawn(3, 10)
    plain, corrected = paired_t_test(one, two), corrected_resampled_t_test(one, two, 0.1)
    assert corrected.statistic == pytest.approx(plain.statistic * np.sqrt((1 / 10) / (1 / 10 + 0.1 / 0.9)))
    assert corrected.p_value > plain.p_value and corrected.estimate == plain.estimate


@given(seed=st.integers(0, 1000))
def test_a_p_value_is_small_where_the_interval_leaves_zero_out(seed):
    one, two = drawn(seed, 12, 0.6)
    found = paired_t_test(one, two)
    assert found.significant == (found.interval[0] > 0 or found.interval[1] < 0)


def test_exchanging_the_samples_changes_the_sign():
    one, two = drawn(5, 8)
    there, back = two_sample_t_test(one, two), two_sample_t_test(two, one)
    assert there.statistic == -back.statistic and there.p_value == back.p_value


def test_constant_differences():
    assert paired_t_test([1, 2, 3], [1, 2, 3]).p_value == 1
    assert paired_t_test([2, 3, 4], [1, 2, 3]).p_value == 0


def test_what_cannot_be_used_is_named():
    with pytest.raises(DataError, match="paired_t_test: first and second must be pairs; got 2 and 3 values"):
        paired_t_test([1, 2], [1, 2, 3])
    with pytest.raises(DataError, match="first must be numbers"):
        paired_t_test(["a", "b"], [1, 2])
    with pytest.raises(ParameterError, match="alternative must be"):
        paired_t_test([1, 2], [1, 3], alternative="larger")
    with pytest.raises(ParameterError, match="variances must be"):
        two_sample_t_test([1, 2], [1, 3], variances="equal")
