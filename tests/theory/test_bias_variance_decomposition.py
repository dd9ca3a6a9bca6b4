"""Bias and variance against closed forms, for our estimators and for scikit-learn's (THE-03, THE-04, THE-10)."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from learnable.core import ParameterError
from learnable.linear_model import LinearRegression, Ridge
from learnable.theory import NoisyFunction, bias_variance, generalisation_error_at


def normal_rows(rng, n):
    return rng.normal(size=(n, 10))


def test_w19_least_squares_has_no_bias_and_a_known_variance():
    """W-19: sigma = 1, p = 10, n = 200: variance p / (n - p - 1) = 0.0529 for Gaussian columns."""
    problem = NoisyFunction(lambda X: X @ np.arange(10.0), noise=1.0, draw=normal_rows)
    parts = bias_variance(LinearRegression(fit_intercept=False), problem, n=200, repeats=400, random_state=0)
    assert parts.variance == pytest.approx(10 / 189, rel=0.05)
    assert parts.squared_bias == pytest.approx(0, abs=2e-4)
    assert parts.noise == 1 and parts.total == pytest.approx(parts.error, rel=0.01)


def test_bias_of_a_line_on_a_parabola():
    """THE-03: the best line through x^2 on [-1, 1] is 1/3, and E (x^2 - 1/3)^2 = 4/45."""
    problem = NoisyFunction(lambda X: X[:, 0] ** 2, noise=0.2)
    parts = bias_variance(LinearRegression(), problem, n=400, n_test=20_000, random_state=1)
    assert parts.squared_bias == pytest.approx(4 / 45, rel=0.05) and parts.variance < 0.002
    assert parts.total == pytest.approx(parts.error, rel=0.02)
    np.testing.assert_allclose(parts.mean_prediction, 1 / 3, atol=0.02)


def test_shrinking_trades_variance_for_bias():
    problem = NoisyFunction(lambda X: X @ np.ones(10), noise=3.0, draw=normal_rows)
    loose, tight = (bias_variance(Ridge(alpha), problem, n=30, random_state=2) for alpha in (1e-3, 30.0))
    assert tight.variance < loose.variance and tight.squared_bias > loose.squared_bias
    assert "noise 9 + squared bias" in str(tight)


def test_estimators_of_other_libraries():
    problem = NoisyFunction(lambda X: np.sin(4 * X[:, 0]), noise=0.3)
    stump, deep = (
        bias_variance(DecisionTreeRegressor(max_depth=depth, random_state=0), problem, n=60, random_state=0)
        for depth in (1, None)
    )
    assert stump.squared_bias > deep.squared_bias and stump.variance < deep.variance


def test_error_at_a_point_is_bias_variance_and_noise_there():
    """THE-04: with y0 fixed it is the squared bias against y0 plus the variance of the prediction."""
    problem = NoisyFunction(lambda X: X[:, 0] ** 2, noise=0.1)
    found = generalisation_error_at(LinearRegression(), problem, [0.0], 0.0, n=200, repeats=300, random_state=0)
    assert found == pytest.approx(1 / 9, rel=0.1)
    again = generalisation_error_at(LinearRegression(), problem, [0.0], 0.0, n=200, repeats=300, random_state=0)
    assert found == again


def test_too_few_repeats_are_refused():
    problem = NoisyFunction(lambda X: X[:, 0])
    with pytest.raises(ParameterError, match="repeats must be at least 2"):
        bias_variance(LinearRegression(), problem, n=10, repeats=1)
    with pytest.raises(ParameterError, match="repeats must be at least 1"):
        generalisation_error_at(LinearRegression(), problem, [0], 0, n=10, repeats=0)


def test_the_truth_must_be_known():
    with pytest.raises(
        ParameterError, match=r"bias_variance: problem must be NoisyFunction, such as NoisyFunction\(lambda"
    ):
        bias_variance(Ridge(), lambda rng, n: None, n=10)
    with pytest.raises(ParameterError, match=r"truth\(X\) must give a number for each row of X.*got shape \(500, 1\)"):
        bias_variance(Ridge(), NoisyFunction(np.sin), n=10)
