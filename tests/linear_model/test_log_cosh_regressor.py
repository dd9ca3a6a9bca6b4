"""Log-cosh regression against its own gradient, SciPy's search and its two limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from learnable.linear_model import LinearRegression, LogCoshRegressor, QuantileRegressor, Ridge


def heavy(n=200, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 1
    return X, X @ np.arange(1.0, p + 1) + 2 + rng.standard_t(2, size=n), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("scale", [100.0, 1.0, 0.01, 1e-6])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_the_gradient_is_zero(scale, alpha):
    X, y, weight = heavy()
    model = LogCoshRegressor(scale=scale, alpha=alpha).fit(X, y, weight)
    gradient = weight / weight.sum() * scale * np.tanh((y - model.predict(X)) / scale)
    reach = 1e-8 * min(scale, 1.0) if scale > 1e-6 else 1e-4 * scale  # rounding of the scores shows in tanh
    np.testing.assert_allclose(X.T @ gradient, alpha * model.coef_, atol=reach * 10)
    assert gradient.sum() == pytest.approx(0, abs=reach * 10)
    assert model.certificate_.holds and model.n_iter_ < 20


def test_agrees_with_a_general_search():
    X, y, weight = heavy()
    A = np.column_stack([X, np.ones(len(y))])
    found = optimize.minimize(lambda w: weight @ np.log(np.cosh(y - A @ w)), np.zeros(4), tol=1e-12, method="BFGS")
    model = LogCoshRegressor().fit(X, y, weight)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), found.x, atol=1e-5)
    objective = weight @ np.log(np.cosh(y - model.predict(X))) / weight.sum()
    assert model.trace_["objective"][-1] == pytest.approx(objective, rel=1e-12)
    assert (np.diff(model.trace_["objective"]) <= 1e-15).all()


def test_the_limits_are_ridge_and_least_absolute_deviations():
    X, y, _ = heavy()
    np.testing.assert_allclose(
        LogCoshRegressor(scale=1e6).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-8
    )
    shrunk = LogCoshRegressor(scale=1e6, alpha=0.2).fit(X, y)
    np.testing.assert_allclose(shrunk.coef_, Ridge(0.2 * len(y)).fit(X, y).coef_, rtol=1e-8)
    near = LogCoshRegressor(scale=1e-7).fit(X, y)
    np.testing.assert_allclose(near.coef_, QuantileRegressor(alpha=0).fit(X, y).coef_, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), unit=st.floats(1e-6, 1e6), shift=st.floats(-100, 100))
def test_scale_shift_and_regression_equivariance(seed, unit, shift):
    X, y, _ = heavy(50, 2, seed)
    one = LogCoshRegressor(scale=0.5).fit(X, y)
    other = LogCoshRegressor(scale=0.5 * unit).fit(X, -unit * y + shift + X @ [3.0, -1.0])
    np.testing.assert_allclose(other.coef_, -unit * one.coef_ + [3.0, -1.0], atol=1e-6 * (1 + unit))


def test_sparse_columns_copies_and_a_warm_start():
    X, y, _ = heavy(80)
    weight = np.random.default_rng(1).integers(0, 3, 80)
    model = LogCoshRegressor(alpha=0.1, warm_start=True).fit(X, y, weight)
    copied = LogCoshRegressor(alpha=0.1).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    thin = LogCoshRegressor(alpha=0.1).fit(sparse.csr_array(X), y, weight)
    np.testing.assert_allclose(model.coef_, copied.coef_, rtol=1e-7)
    np.testing.assert_allclose(model.coef_, thin.coef_, rtol=1e-7)
    assert model.fit(X, y, weight).n_iter_ == 1


def test_the_influence_of_an_outlier_is_bounded_by_its_sign():
    X, y, _ = heavy()
    y[0] = 1e6
    one = LogCoshRegressor().fit(X, y).coef_
    y[0] = 1e12
    np.testing.assert_allclose(LogCoshRegressor().fit(X, y).coef_, one, rtol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_a_scale_far_below_the_noise_is_fitted_as_far_as_rounding_allows(seed):
    """Where the objective cannot distinguish two solutions, the search ends instead of oscillating."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1000, 1))
    model = LogCoshRegressor(scale=0.001).fit(X, X[:, 0] + rng.normal(size=1000))
    assert model.trace_.stopped == "converged" and model.certificate_.holds
