"""A summary says in words what its numbers cannot: a perfect fit, a constant target, which condition number it is."""

import numpy as np
import pytest

from learnable.linear_model import LinearRegression, Ridge

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2))
LINE = X @ [1.0, 2.0] + 3.0


def test_a_perfect_fit_has_no_tests():
    summary = LinearRegression().fit(X, LINE).summary()
    assert set(summary.table) == {"name", "coef", "std_err"} and "The fit is perfect up to rounding" in str(summary)
    assert summary.r_squared == pytest.approx(1) and np.isnan(summary.f) and np.isnan(summary.aic)


@pytest.mark.parametrize("value", [0.0, 7.3, 1e9])
@pytest.mark.parametrize("weight", [None, rng.uniform(0.5, 1.5, 30)])
def test_a_constant_target_has_nothing_to_explain(value, weight):
    text = str(LinearRegression().fit(X, np.full(30, value), weight).summary())
    assert "The target is constant: there is nothing to explain" in text and "nan" not in text and "R² 1" not in text


def test_small_noise_on_a_large_mean_is_noise():
    text = str(LinearRegression().fit(X, 1e6 + 1e-4 * rng.normal(size=30)).summary())
    assert "P>|t|" in text and "constant:" not in text and "perfect" not in text


def test_labels_are_words():
    text = str(LinearRegression().fit(X, LINE + rng.normal(size=30)).summary())
    for label in ("adjusted R²", "F statistic", "P(> F)", "AIC", "condition number of the centred, scaled columns"):
        assert label in text
    without = LinearRegression(fit_intercept=False).fit(X, LINE)
    assert "condition number of the scaled columns" in str(without.summary())
    assert "<li>R²: " in Ridge().fit(X, LINE)._repr_html_() + Ridge().fit(X, LINE).summary()._repr_html_()


def test_small_coefficients_keep_their_digits():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40.0)
    plain = LinearRegression().fit(X, y).summary()
    small = LinearRegression().fit(X * [1.0, 1e9], y).summary()
    rows = [str(table).splitlines()[6].split() for table in (plain, small)]
    assert float(rows[1][1]) == pytest.approx(1e-9 * plain.table["coef"][2], rel=1e-3)
    assert "e-" in rows[1][2] and rows[1][3:5] == rows[0][3:5]
