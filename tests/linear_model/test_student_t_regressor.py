"""Student-t regression against a search by another program, SciPy's likelihood, its EM laws and its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse, stats

from learnable.linear_model import LinearRegression, Ridge, StudentTRegressor
from tests.references import stackloss, stackloss_fits


def heavy(n=300, p=3, degrees=3.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 1
    return X, X @ np.arange(1.0, p + 1) + 2 + 0.5 * rng.standard_t(degrees, size=n), rng.integers(1, 4, n).astype(float)


def likelihood(model, X, y, weight=None):
    density = stats.t.logpdf(y, model.degrees_, model.predict(X), model.scale_)
    cost = model.alpha * (
        model.l1_ratio * np.abs(model.coef_).sum() + (1 - model.l1_ratio) / 2 * model.coef_ @ model.coef_
    )
    return np.average(density, weights=weight) - cost


def test_the_stack_loss_table():
    X, y, _ = stackloss()
    model, known = StudentTRegressor().fit(X, y), stackloss_fits()["student_4"]
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), known["coef"], rtol=1e-6)
    assert model.scale_ == pytest.approx(known["scale"], rel=1e-7)
    assert set(np.argsort(model.weights_)[:4] + 1) == set(stackloss_fits()["outliers"]["rows"])


@pytest.mark.parametrize(
    "options", [{}, {"degrees": None}, {"scale": 0.4}, {"degrees": None, "scale": 0.4}, {"alpha": 0.2}]
)
def test_no_direction_raises_the_likelihood_of_scipy(options):
    X, y, weight = heavy()
    model = StudentTRegressor(tol=1e-6, **options).fit(X, y, weight)
    assert model.certificate_.holds

    def loss(place):
        coef, constant = place[:3], place[3]
        scale = model.scale_ if "scale" in options else np.exp(place[4])
        degrees = np.exp(place[5]) if "degrees" in options else model.degrees_
        density = stats.t.logpdf(y, degrees, X @ coef + constant, scale)
        return model.alpha / 2 * coef @ coef - np.average(density, weights=weight)

    place = np.array([*model.coef_, model.intercept_, np.log(model.scale_), np.log(model.degrees_)])
    assert np.abs(optimize.approx_fprime(place, loss, 1e-6)).max() < 1e-5
    assert -loss(place) == pytest.approx(likelihood(model, X, y, weight), rel=1e-12)
    assert model.trace_["objective"][-1] == pytest.approx(loss(place), rel=1e-8, abs=1e-8)
    assert optimize.minimize(loss, place, method="Nelder-Mead", options={"maxiter": 300}).fun >= loss(place) - 1e-10


@pytest.mark.parametrize("degrees", [1.0, 4.0, None])
def test_the_likelihood_never_falls_and_the_trace_holds_scale_and_degrees(degrees):
    X, y, weight = heavy(degrees=1.5)
    model = StudentTRegressor(degrees=degrees).fit(X, y, weight)
    objective = model.trace_["objective"]
    assert (np.diff(objective) <= 1e-13 * np.abs(objective[:-1])).all()
    assert model.trace_["scale"][-1] > 0 and model.trace_["degrees"][-1] == model.degrees_


def test_the_degrees_of_drawn_noise_are_found():
    X, y, _ = heavy(20_000, degrees=3.0)
    model = StudentTRegressor(degrees=None).fit(X, y)
    assert model.degrees_ == pytest.approx(3, rel=0.1) and model.scale_ == pytest.approx(0.5, rel=0.05)
    normal = X @ [1.0, 2.0, 3.0] + np.random.default_rng(0).normal(size=len(y))
    assert StudentTRegressor(degrees=None).fit(X, normal).degrees_ > 50


@pytest.mark.parametrize("seed", range(20, 40))
def test_flat_likelihoods_of_degrees_are_climbed_to_their_end(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 3000))
    X = rng.normal(size=(n, 3))
    y = X @ [1, 2, 3] + (rng.normal(size=n) if seed % 2 else rng.standard_t(5, size=n))
    model = StudentTRegressor(degrees=None).fit(X, y)
    assert model.certificate_.holds and model.n_iter_ < 100


def test_many_degrees_are_least_squares_and_the_penalties_those_of_ridge_and_lasso():
    X, y, weight = heavy()
    line = LinearRegression().fit(X, y, weight)
    gauss = StudentTRegressor(degrees=1e9).fit(X, y, weight)
    np.testing.assert_allclose(gauss.coef_, line.coef_, rtol=1e-6)
    shrunk = StudentTRegressor(degrees=1e9, scale=1.0, alpha=0.3).fit(X, y, weight)
    np.testing.assert_allclose(shrunk.coef_, Ridge(0.3 * weight.sum()).fit(X, y, weight).coef_, rtol=1e-6)
    sparse_fit = StudentTRegressor(alpha=2.0, l1_ratio=1.0).fit(X, y)
    assert (sparse_fit.coef_[:1] == 0).all() and sparse_fit.certificate_.holds


def test_an_outlier_counts_for_nothing():
    X, y, _ = heavy()
    clean = StudentTRegressor(degrees=2).fit(X[1:], y[1:])
    y[0] = 1e9
    model = StudentTRegressor(degrees=2).fit(X, y)
    assert np.abs(model.coef_ - clean.coef_).max() < 0.01
    assert model.weights_[0] < 1e-15 < 0.1 < np.median(model.weights_)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-3, 1e3), shift=st.floats(-100, 100))
def test_scale_shift_and_regression_equivariance(seed, scale, shift):
    X, y, _ = heavy(60, 2, seed=seed)
    one = StudentTRegressor().fit(X, y)
    other = StudentTRegressor().fit(X, scale * y + shift + X @ [3.0, -1.0])
    np.testing.assert_allclose(other.coef_, scale * one.coef_ + [3.0, -1.0], atol=1e-6 * (1 + scale))
    assert other.scale_ == pytest.approx(scale * one.scale_, rel=1e-6)


def test_weights_are_copies_and_sparse_columns_are_columns():
    X, y, _ = heavy(80)
    weight = np.random.default_rng(1).integers(0, 3, 80)
    weighted = StudentTRegressor(degrees=None).fit(X, y, weight)
    copied = StudentTRegressor(degrees=None).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    thin = StudentTRegressor(degrees=None).fit(sparse.csr_array(X), y, weight)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-6)
    np.testing.assert_allclose(weighted.coef_, thin.coef_, rtol=1e-6)


def test_a_perfect_fit_has_the_smallest_scale():
    X = np.arange(12.0).reshape(6, 2) ** 1.5
    model = StudentTRegressor().fit(X, X @ [1.0, -2.0] + 3)
    np.testing.assert_allclose(model.coef_, [1.0, -2.0], rtol=1e-6)
    assert model.scale_ < 1e-9 and model.certificate_.holds


def test_columns_far_from_zero_are_fitted_as_well_as_others():
    """A constant term of the size of 1e8 would round away the last digits of the residuals."""
    X, y, _ = heavy()
    far = X + 1e8
    model, near = StudentTRegressor().fit(far, y), StudentTRegressor().fit(far - 1e8, y)
    assert model.certificate_.holds and model.n_iter_ < 100
    np.testing.assert_allclose(model.coef_, near.coef_, rtol=1e-8)
    assert model.scale_ == pytest.approx(near.scale_, rel=1e-8)
