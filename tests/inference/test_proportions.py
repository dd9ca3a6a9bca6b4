"""The share of errors and its interval, with the worked numbers of the course."""

import numpy as np
import pytest

from learnable.core import DataError, ParameterError
from learnable.inference import error_interval, sample_error


def test_sample_error_estimates_the_true_error():
    """STA-01: over many samples the share of errors is right on average, and weights are copies."""
    rng = np.random.default_rng(0)
    y, wrong = rng.integers(0, 2, 200_000), rng.random(200_000) < 0.17
    assert sample_error(y, np.where(wrong, 1 - y, y)) == pytest.approx(0.17, abs=0.003)
    assert sample_error([0, 1], [0, 0], sample_weight=[1, 3]) == sample_error([0, 1, 1, 1], [0, 0, 0, 0]) == 0.75
    with pytest.raises(DataError, match=r"sample_error: .*the same number of rows"):
        sample_error([0, 1], [0])
    with pytest.raises(DataError, match=r"sample_error: .*NaN"):
        sample_error([0.0, np.nan], [0.0, np.nan])


def test_w53_interval_of_the_course():
    low, high = error_interval(0.22, 50, 0.95)
    assert (round(low, 4), round(high, 4)) == (0.1052, 0.3348)
    assert (high - low) / 2 == pytest.approx(0.11482, abs=5e-6)


def test_w54_more_rows_are_more_trustworthy():
    with pytest.warns(UserWarning, match="n = 10 is at most 30"):
        low, _ = error_interval(0.1, 10)
    assert low == 0  # clipped: 0.1 - 0.186 is not a proportion
    large = error_interval(0.16, 10_000)
    assert 0.1 + 1.959964 * np.sqrt(0.1 * 0.9 / 10) - 0.1 == pytest.approx(0.186, abs=5e-4)
    assert (large[1] - large[0]) / 2 == pytest.approx(0.0072, abs=5e-5)


def test_e169_the_normal_interval_warns_where_it_is_poor_and_wilson_does_not():
    """E-169: more than 30 rows are not enough, n e (1 - e) must be about 5."""
    with pytest.warns(UserWarning, match=r"n e \(1 - e\) = 0.99 is below 5"):
        error_interval(0.01, 100)
    low, high = error_interval(0.0, 100, method="wilson")
    assert low == 0 and 0.02 < high < 0.05


def test_higher_confidence_is_wider_and_unknown_methods_are_refused():
    low, high = error_interval(0.3, 100, 0.99)
    narrow = error_interval(0.3, 100, 0.9)
    assert low < narrow[0] < narrow[1] < high
    with pytest.raises(ParameterError, match='method must be "wald" or "wilson"'):
        error_interval(0.3, 100, method="exact")


@pytest.mark.parametrize(
    ("error", "n", "words"), [(22, 50, "at least 0 and at most 1; got 22"), (0.2, 0, "above 0; got 0")]
)
@pytest.mark.parametrize("method", ["wald", "wilson"])
def test_what_is_not_a_proportion_of_rows_is_refused_by_name(error, n, words, method):
    with pytest.raises(ValueError, match=f"^error_interval: .*{words}"):
        error_interval(error, n, method=method)


@pytest.mark.parametrize("given", [("x", 10), (0.1, "x"), (0.1, 100, "x")])
def test_an_interval_needs_numbers(given):
    with pytest.raises(ParameterError, match=r"error must be|n must be|confidence must be"):
        error_interval(*given)


def test_weights_below_zero_or_of_another_length_are_refused():
    with pytest.raises(DataError, match=r"sample_error: .*sample_weight"):
        sample_error([0, 1], [0, 0], [-1.0, 2.0])
    with pytest.raises(DataError, match=r"sample_error: .*sample_weight"):
        sample_error([0, 1], [0, 0], [1.0])
