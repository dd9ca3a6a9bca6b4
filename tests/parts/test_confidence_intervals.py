"""Intervals against formulas, SciPy and statsmodels; how often they cover is simulated in tests/inference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from learnable.core import DataError, ParameterError
from learnable.parts import confidence_intervals


@given(n=st.integers(1, 500), share=st.floats(0, 1), confidence=st.floats(0.5, 0.999))
def test_wald_and_wilson_equal_statsmodels(n, share, confidence):
    successes = round(share * n)
    expected = proportion_confint(successes, n, 1 - confidence, method="wilson")
    np.testing.assert_allclose(confidence_intervals.wilson(successes, n, confidence), expected, atol=1e-9)
    expected = proportion_confint(successes, n, 1 - confidence, method="normal")
    np.testing.assert_allclose(
        confidence_intervals.wald(successes / n, n, confidence), np.clip(expected, 0, 1), atol=1e-9
    )


def test_student_equals_scipy():
    values = np.random.default_rng(0).normal(size=12)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    np.testing.assert_allclose(confidence_intervals.student(values, 0.9), expected)


def test_resampled_scores_widen_by_the_fraction_of_test_rows():
    scores = np.array([0.7, 0.8, 0.75, 0.9, 0.65])
    low, high = confidence_intervals.student(scores)
    wide_low, wide_high = confidence_intervals.corrected_resampled(scores, 0.2)
    assert (wide_high - wide_low) / (high - low) == pytest.approx(np.sqrt((1 / 5 + 1 / 4) / (1 / 5)))
    assert (wide_high + wide_low) / 2 == pytest.approx(scores.mean())


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_bootstrap_equals_scipy_up_to_the_draws(method):
    values = np.random.default_rng(1).exponential(size=80)
    ours = confidence_intervals.bootstrap(values, np.mean, 0.9, 0, draws=20000, method=method)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20000, confidence_level=0.9, method=method, rng=np.random.default_rng(0)
    ).confidence_interval
    np.testing.assert_allclose(ours, theirs, atol=0.02)


def test_bootstrap_of_rows_repeats_with_its_seed_and_takes_constants():
    rows = np.random.default_rng(2).normal(size=(40, 2))
    first, again = (
        confidence_intervals.bootstrap(rows, lambda r: np.corrcoef(r.T)[0, 1], 0.95, 7, draws=200) for _ in "ab"
    )
    assert first == again
    assert confidence_intervals.bootstrap(np.ones(5)) == (1.0, 1.0)


def test_what_cannot_be_used_is_named():
    with pytest.raises(ParameterError, match="wald: confidence must be between 0 and 1"):
        confidence_intervals.wald(0.1, 10, 95)
    with pytest.raises(ParameterError, match="wald: n must be above 0"):
        confidence_intervals.wald(0.1, 0)
    with pytest.raises(ParameterError, match="the proportion must be between 0 and 1; got 22"):
        confidence_intervals.wald(22, 50)
    with pytest.raises(ParameterError, match="test_share must be the fraction"):
        confidence_intervals.corrected_resampled([0.1, 0.2], 1.0)
    with pytest.raises(DataError, match="scores holds nan at index 1"):
        confidence_intervals.corrected_resampled([0.1, np.nan], 0.5)
    with pytest.raises(DataError, match="at least 2 numbers; got 1"):
        confidence_intervals.student([1.0])
    with pytest.raises(ParameterError, match='method must be "bca" or "percentile"'):
        confidence_intervals.bootstrap([1.0, 2.0], method="basic")
