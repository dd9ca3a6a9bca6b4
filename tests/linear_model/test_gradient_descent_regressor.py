"""The course's gradient descent: loops and vectors agree, and rates crawl, converge or diverge as they should."""

import numpy as np
import pytest

from learnable import GradientDescentRegressor, LinearRegression, Ridge
from learnable.core import ConvergenceWarning, DataError, ParameterError


def line(n=30, seed=0):
    """Enrolment against income, in the shape of the course's example: one column of large numbers."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(500, 40_000, n)
    return x, 20 + 0.0015 * x + rng.normal(size=n)


def course_loop(x, y, rate, epochs):
    """a and b of y = a x + b by summed derivatives of half the squared error, row by row (LIN-01)."""
    a = b = 0.0
    errors = []
    for _ in range(epochs):
        by_a = by_b = 0.0
        for i in range(len(x)):
            error = a * x[i] + b - y[i]
            by_a += error * x[i]
            by_b += error
        a, b = a - rate * by_a, b - rate * by_b
        errors.append(np.sqrt(np.mean((a * x + b - y) ** 2)))
    return a, b, errors


def course_vectors(x, y, rate, epochs):
    a = b = 0.0
    for _ in range(epochs):
        error = a * x + b - y
        a, b = a - rate * error @ x, b - rate * error.sum()
    return a, b


def test_loop_and_vectors_and_estimator_agree():
    x, y = line()
    rate, epochs = 1e-11, 5
    a, b, errors = course_loop(x, y, rate, epochs)
    np.testing.assert_allclose(course_vectors(x, y, rate, epochs), (a, b), rtol=1e-12)
    model = GradientDescentRegressor(learning_rate=rate * len(x), max_iter=epochs, tol=None).fit(x[:, None], y)
    np.testing.assert_allclose([model.coef_[0], model.intercept_], [a, b], rtol=1e-12)
    np.testing.assert_allclose(model.trace_["rmse"], errors, rtol=1e-12)
    assert (np.diff(model.trace_["rmse"]) < 0).all()


def standardised(seed=0, n=200, p=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1, 2, 0.5, 1]
    return X, X @ rng.normal(size=p) - 1 + 0.3 * rng.normal(size=n)


X, Y = standardised()
EXACT = LinearRegression().fit(X, Y)


def test_the_optimum_is_that_of_the_closed_form():
    model = GradientDescentRegressor(tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(model.coef_, EXACT.coef_, rtol=1e-8)
    assert model.intercept_ == pytest.approx(EXACT.intercept_, rel=1e-8)
    assert model.trace_.stopped == "converged"
    assert model.certificate_.holds
    assert model.certificate_.value <= 1e-10


def test_shrunk_optimum_is_that_of_ridge():
    model = GradientDescentRegressor(penalty="l2", alpha=0.2, tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(model.coef_, Ridge(alpha=0.2 * len(Y)).fit(X, Y).coef_, rtol=1e-7)


def bound(X):
    """2 over the top eigenvalue of the mean outer product, constant included."""
    Z = np.column_stack([X, np.ones(len(X))])
    return 2 / np.linalg.eigvalsh(Z.T @ Z / len(Z))[-1]


def test_a_rate_too_small_crawls():
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        slow = GradientDescentRegressor(learning_rate=1e-5 * bound(X), max_iter=100).fit(X, Y)
    assert slow.trace_.stopped == "limit"
    assert not slow.certificate_.holds
    assert slow.trace_["objective"][-1] > 0.99 * slow.trace_["objective"][0]
    assert (np.diff(slow.trace_["objective"]) < 0).all()


def test_a_rate_too_large_diverges_and_the_bound_is_named():
    with pytest.warns(ConvergenceWarning, match=f"learning_rate=.*largest stable rate is about {bound(X):.3g}"):
        wild = GradientDescentRegressor(learning_rate=1.1 * bound(X)).fit(X, Y)
    assert wild.trace_.stopped == "diverged"
    assert not wild.certificate_.holds
    assert "largest stable rate" in wild.certificate_.sentence
    assert wild.trace_["objective"][-1] > 1e9 * wild.trace_["objective"][0]
    assert np.isfinite(wild.coef_).all()


def test_divergence_is_seen_even_in_a_few_epochs():
    with pytest.warns(ConvergenceWarning, match="too long"):
        wild = GradientDescentRegressor(learning_rate=3 * bound(X), max_iter=3).fit(X, Y)
    assert wild.n_iter_ == 3
    assert wild.trace_.stopped == "diverged"


def test_just_below_the_bound_it_converges():
    model = GradientDescentRegressor(learning_rate=0.98 * bound(X), max_iter=5000).fit(X, Y)
    np.testing.assert_allclose(model.coef_, EXACT.coef_, atol=1e-4)


@pytest.mark.parametrize("batch_size", [1, 16])
def test_batches_come_close_and_falling_rates_come_closer(batch_size):
    noisy = GradientDescentRegressor(batch_size=batch_size, max_iter=60, tol=None, random_state=0).fit(X, Y)
    calm = GradientDescentRegressor(
        batch_size=batch_size, max_iter=60, tol=None, random_state=0, schedule="invscaling", power_t=0.4
    ).fit(X, Y)
    apart = [np.abs(model.coef_ - EXACT.coef_).max() for model in (noisy, calm)]
    assert apart[0] < 0.3
    assert apart[1] < 0.01


def test_a_batch_of_all_rows_is_batch_descent():
    whole, all_rows = (GradientDescentRegressor(batch_size=size).fit(X, Y) for size in (None, len(Y)))
    np.testing.assert_array_equal(whole.coef_, all_rows.coef_)


def test_seeds_decide_batches_and_random_starts():
    options = {"batch_size": 8, "init_scale": 0.1, "max_iter": 5, "tol": None}
    fits = [GradientDescentRegressor(**options, random_state=seed).fit(X, Y).coef_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert (fits[0] != fits[2]).any()


def test_the_path_starts_at_the_initial_weights_and_ends_at_the_last():
    start = np.array([1.0, -1.0, 0.5, 2.0])
    model = GradientDescentRegressor(coef_init=start, intercept_init=3.0, keep_path=True).fit(X, Y)
    np.testing.assert_array_equal(model.coef_path_[0], start)
    assert model.intercept_path_[0] == 3.0
    np.testing.assert_array_equal(model.coef_path_[-1], model.coef_)
    assert model.coef_path_.shape == (model.n_iter_ + 1, 4)
    with pytest.raises(ParameterError, match="coef_init must hold 4 finite numbers"):
        GradientDescentRegressor(coef_init=[1.0]).fit(X, Y)


@pytest.mark.parametrize("loss", ["huber", "log_cosh", "squared_epsilon_insensitive", "student_t"])
def test_smooth_losses_reach_a_vanishing_gradient(loss):
    model = GradientDescentRegressor(loss=loss, max_iter=5000).fit(X, Y)
    assert model.certificate_.holds
    assert model.score(X, Y) > 0.9


@pytest.mark.parametrize("loss", ["absolute_error", "epsilon_insensitive"])
def test_losses_with_a_kink_need_falling_rates(loss):
    model = GradientDescentRegressor(
        loss=loss, learning_rate=0.5, schedule="invscaling", power_t=0.7, max_iter=2000, tol=None
    ).fit(X, Y)
    assert model.score(X, Y) > 0.9
    with pytest.raises(ParameterError, match="bounded curvature"):
        GradientDescentRegressor(loss=loss).fit(X, Y)


def test_counts_are_predicted_through_the_link():
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.exp(0.5 + 0.3 * X[:, 0]))
    model = GradientDescentRegressor(loss="poisson", learning_rate=0.1, max_iter=3000).fit(X, counts)
    assert (model.predict(X) > 0).all()
    assert model.predict(X).mean() == pytest.approx(counts.mean(), rel=1e-4)
    with pytest.raises(DataError):
        model.fit(X, counts - 5.0)


def test_an_l1_penalty_zeroes_coefficients():
    model = GradientDescentRegressor(penalty="l1", alpha=1.0, max_iter=5000).fit(X, Y)
    assert (model.coef_ == 0).any()
    assert model.certificate_.holds


@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
@pytest.mark.parametrize("far", [10.0, 1e4, 1e6, 1e8])
def test_the_certificate_is_the_correlation_of_columns_far_from_zero(far):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3)) + far
    y = (X - far) @ [1.0, 2.0, -1.0] + 0.1 * rng.normal(size=200) + 3
    model = GradientDescentRegressor(max_iter=50).fit(X, y)
    left = y - model.predict(X)
    seen = np.abs(((X - X.mean(axis=0)) / X.std(axis=0)).T @ left).max() / len(y) / y.std()
    assert not model.certificate_.holds
    assert model.certificate_.value >= 0.99 * seen
