"""Huber regression against scikit-learn's objective, least squares, and the laws of an equivariant estimator."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning

from learnable.engines.minimise.orthogonalise import Rotation
from learnable.linear_model import HuberRegressor, LinearRegression, QuantileRegressor


def contaminated(n=200, p=4, outliers=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1.0, 10.0, 0.1, 1.0][:p]
    y = X @ np.linspace(1, 2, p) + 3 + 0.5 * rng.normal(size=n)
    bad = rng.random(n) < outliers
    y[bad] += 20 * rng.standard_cauchy(bad.sum())
    return X, y, rng.integers(1, 4, n).astype(float)


def objective(model, X, y, weight):
    size, scale, reach = np.abs(y - model.predict(X)), model.scale_, model.epsilon
    rows = scale + np.where(size <= reach * scale, size**2 / scale, 2 * reach * size - reach**2 * scale)
    return weight @ rows + model.alpha * model.coef_ @ model.coef_


@pytest.mark.parametrize("epsilon", [1.1, 1.35, 3.0])
@pytest.mark.parametrize("alpha", [0.0, 1e-4, 5.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_never_worse_than_scikit_learn_and_the_same_where_that_converges(epsilon, alpha, fit_intercept):
    X, y, weight = contaminated()
    options = {"epsilon": epsilon, "alpha": alpha, "fit_intercept": fit_intercept}
    ours = HuberRegressor(**options).fit(X, y, weight)
    theirs = peer.HuberRegressor(max_iter=20_000, tol=1e-12, **options).fit(X, y, weight)
    best, other = objective(ours, X, y, weight), objective(theirs, X, y, weight)
    assert ours.certificate_.holds and ours.n_iter_ <= 25
    assert best <= other * (1 + 1e-12)
    assert other <= best * (1 + 1e-5)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=0.02)
    assert ours.scale_ == pytest.approx(theirs.scale_, rel=0.01)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_the_smallest_epsilon_is_least_absolute_deviations(alpha):
    X, y, weight = contaminated()
    model = HuberRegressor(epsilon=1.0, alpha=alpha).fit(X, y, weight)
    median = QuantileRegressor(alpha=0, ridge=alpha / (2 * weight.sum())).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, median.coef_, rtol=1e-6)


def test_the_gradient_of_scikit_learns_objective_is_zero():
    X, y, weight = contaminated()
    model = HuberRegressor(alpha=0.7).fit(X, y, weight)
    residual = y - model.predict(X)
    clipped = weight * np.clip(residual / model.scale_, -1.35, 1.35)
    np.testing.assert_allclose(-2 * X.T @ clipped + 2 * 0.7 * model.coef_, 0, atol=1e-6)
    assert clipped.sum() == pytest.approx(0, abs=1e-7)
    assert weight @ np.minimum(np.abs(residual) / model.scale_, 1.35) ** 2 == pytest.approx(weight.sum(), rel=1e-10)
    np.testing.assert_array_equal(model.outliers_, np.abs(residual) > 1.35 * model.scale_)


def test_a_large_epsilon_is_ridge_regression():
    X, y, _ = contaminated(outliers=0)
    huber, line = HuberRegressor(epsilon=1e6, alpha=0).fit(X, y), LinearRegression().fit(X, y)
    np.testing.assert_allclose(huber.coef_, line.coef_, rtol=1e-9)
    assert huber.scale_ == pytest.approx(np.sqrt(np.mean((y - line.predict(X)) ** 2)), rel=1e-9)


def test_outliers_move_least_squares_but_not_huber():
    X, y, _ = contaminated(outliers=0)
    truth = HuberRegressor().fit(X, y).coef_
    y[:10] += 1e6
    assert np.abs(HuberRegressor().fit(X, y).coef_ - truth).max() < 0.2
    assert np.abs(LinearRegression().fit(X, y).coef_ - truth).max() > 100


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-3, 1e3), shift=st.floats(-100, 100))
def test_scale_shift_and_regression_equivariance(seed, scale, shift):
    X, y, _ = contaminated(60, 3, seed=seed)
    one = HuberRegressor(alpha=0).fit(X, y)
    clipped = np.array([1.0, -2.0, 0.5])
    other = HuberRegressor(alpha=0).fit(X, -scale * y + shift + X @ clipped)
    np.testing.assert_allclose(other.coef_, -scale * one.coef_ + clipped, atol=1e-6 * (1 + scale))
    assert other.scale_ == pytest.approx(scale * one.scale_, rel=1e-6)


def test_a_perfect_fit_and_an_exact_majority():
    X = np.arange(10.0)[:, None]
    exact = HuberRegressor(alpha=0).fit(X, 2 * X[:, 0] + 1)
    np.testing.assert_allclose(exact.predict(X), 2 * X[:, 0] + 1, rtol=1e-9)
    assert exact.certificate_.holds and not exact.outliers_.any()
    y = 2 * X[:, 0] + 1
    y[3] = 100
    most = HuberRegressor(alpha=0).fit(X, y)
    assert most.outliers_.tolist() == [row == 3 for row in range(10)]
    assert most.coef_[0] == pytest.approx(2, abs=1e-9)


def test_sparse_columns_warm_start_and_tiny_units():
    X, y, weight = contaminated()
    X[X < 0] = 0
    dense = HuberRegressor(warm_start=True).fit(X, y, weight)
    thin = HuberRegressor().fit(sparse.csr_array(X), y, weight)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-8)
    coef = dense.coef_
    assert dense.fit(X, y, weight).n_iter_ == 1
    np.testing.assert_allclose(dense.coef_, coef, rtol=1e-8)
    small = HuberRegressor(alpha=0).fit(X, y * 1e-200, weight)
    np.testing.assert_allclose(small.coef_ * 1e200, HuberRegressor(alpha=0).fit(X, y, weight).coef_, rtol=1e-8)


def held_by_few_rows(seed):
    """A handful of rows, of which some weigh a million times what others do and some targets are far off."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 4))
    n = p + int(rng.integers(2, 6))
    y = rng.normal(size=n) + 1e3 * rng.standard_cauchy(n) * (rng.random(n) < 0.3)
    options = {"epsilon": float(rng.choice([1.03, 1.1, 1.35, 2.0])), "alpha": float(rng.choice([0.0, 1e-4, 1.0]))}
    return rng.normal(size=(n, p)), y, 10 ** rng.uniform(-3, 3, n), options


@pytest.mark.parametrize("seed", range(24))
def test_no_lower_objective_exists_where_few_rows_determine_the_scale(seed):
    X, y, weight, options = held_by_few_rows(seed)
    ours = HuberRegressor(**options).fit(X, y, weight)
    best = objective(ours, X, y, weight)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SklearnConvergenceWarning)
        theirs = peer.HuberRegressor(max_iter=1000, tol=1e-9, **options).fit(X, y, weight)

    def at(point):
        coef, constant, scale = point[:-2], point[-2], np.exp(np.clip(point[-1], -200, 200))
        model = SimpleNamespace(coef_=coef, predict=lambda X: X @ coef + constant, scale_=scale, **options)
        return objective(model, X, y, weight)

    found = []
    for start in (ours, theirs):
        point = np.array([*start.coef_, start.intercept_, np.log(start.scale_)])
        found.append(minimize(at, point, method="Nelder-Mead", options={"xatol": 1e-13, "fatol": 1e-13}).fun)
    assert ours.certificate_.holds
    least = 1e-12 * np.abs(y).max()  # the scale of a perfect fit
    assert best <= min(found) * (1 + 1e-8) + weight.sum() * least


@pytest.mark.parametrize("far", [1e6, 1e12, 1e100, 1e300])
def test_the_influence_of_an_outlying_target_is_bounded(far):
    X, y, weight = contaminated(outliers=0)
    y[3], y[8] = 1e4, -1e5
    near = HuberRegressor().fit(X, y, weight)
    y[3], y[8] = far, -far
    model = HuberRegressor().fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, near.coef_, rtol=1e-7)
    assert model.scale_ == pytest.approx(near.scale_, rel=1e-7) and model.outliers_[[3, 8]].all()


def test_rows_far_off_in_both_are_fitted_as_they_are():
    X, y, _ = contaminated(outliers=0)
    X[:2] *= 1e9
    y[:2] = X[:2] @ np.linspace(1, 2, 4) + 3
    model = HuberRegressor().fit(X, y)
    np.testing.assert_allclose(model.predict(X[:2]), y[:2], rtol=1e-6)
    assert model.certificate_.holds and not model.outliers_[:2].any()


@pytest.mark.parametrize("n", [2, 3, 6])
def test_rounding_is_not_a_column_where_rows_are_few(n):
    for seed in range(40):
        X = np.random.default_rng(seed).normal(size=(n, 7)) + 10
        assert Rotation.of(X, centre=True).columns.shape == (n, n - 1)
        assert Rotation.of(X, centre=False).columns.shape == (n, n)
