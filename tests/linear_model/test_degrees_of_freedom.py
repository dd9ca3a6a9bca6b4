"""Degrees of freedom against the trace of the hat matrix and against the covariance they are defined by."""

import numpy as np
import pytest
import sklearn.linear_model as theirs

import learnable
from learnable.linear_model import (
    BayesianRidge,
    Lars,
    LassoLars,
    LinearRegression,
    OrthogonalMatchingPursuit,
    PrincipalComponentRegression,
    Ridge,
    StagewiseRegressor,
    effective_degrees_of_freedom,
)


def table(rows=40, columns=5, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns)) + 1
    return X, X @ draws.normal(size=columns) + draws.normal(size=rows)


def hat_trace(model, X):
    """The trace of the matrix that turns targets into predictions, by unit targets; for linear fits only."""
    base = model.fit(X, np.zeros(len(X))).predict(X)
    return sum(model.fit(X, unit).predict(X)[i] - base[i] for i, unit in enumerate(np.eye(len(X))))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(40, 5), (8, 20)])
def test_linear_fits_have_the_trace_of_their_hat_matrix(intercept, shape):
    X, y = table(*shape)
    for model in (
        LinearRegression(fit_intercept=intercept),
        Ridge(alpha=3.0, fit_intercept=intercept),
        PrincipalComponentRegression(2, fit_intercept=intercept),
    ):
        assert effective_degrees_of_freedom(model, X, y) == pytest.approx(hat_trace(model, X), rel=1e-6)


def test_least_squares_counts_its_coefficients():
    X, y = table()
    assert effective_degrees_of_freedom(LinearRegression(), X, y) == 6
    assert effective_degrees_of_freedom(LinearRegression(fit_intercept=False), X, y) == 5
    assert effective_degrees_of_freedom(LinearRegression(), np.column_stack([X, X]), y) == 6


def test_ridge_is_the_sum_over_singular_values():
    X, y = table()
    d = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    for alpha in (0.0, 1.0, 100.0):
        expected = 1 + (d**2 / (d**2 + alpha)).sum()
        assert effective_degrees_of_freedom(Ridge(alpha=alpha), X, y) == pytest.approx(expected, rel=1e-12)


def test_lasso_counts_what_is_not_zero():
    X, y = table()
    for alpha in (0.01, 0.3, 10.0):
        model = LassoLars(alpha=alpha)
        expected = 1 + np.count_nonzero(LassoLars(alpha=alpha).fit(X, y).coef_)
        assert effective_degrees_of_freedom(model, X, y) == expected
    assert effective_degrees_of_freedom(theirs.Lasso(alpha=0.3), X, y) == effective_degrees_of_freedom(
        LassoLars(0.3), X, y
    )


def test_elastic_net_shrinks_what_is_not_zero():
    X, y = table()
    model = theirs.ElasticNet(alpha=0.2, l1_ratio=0.5, tol=1e-12, max_iter=10**5)
    active = X[:, model.fit(X, y).coef_ != 0]
    d = np.linalg.svd(active - active.mean(axis=0), compute_uv=False)
    expected = 1 + (d**2 / (d**2 + 0.2 * 0.5 * len(y))).sum()
    assert effective_degrees_of_freedom(model, X, y) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("model", [LinearRegression(positive=True), Ridge(alpha=3.0, positive=True, tol=1e-12)])
def test_coefficients_held_at_zero_do_not_count(model):
    X, y = table()
    y = y - 5 * X[:, 0]
    moves = [model.clone().fit(X, y + step).predict(X) for step in 1e-6 * np.eye(len(y))]
    derivative_trace = (np.array(moves) - model.clone().fit(X, y).predict(X)).trace() / 1e-6
    assert (model.fit(X, y).coef_ == 0).any()
    assert effective_degrees_of_freedom(model, X, y) == pytest.approx(derivative_trace, rel=1e-5)


@pytest.mark.parametrize("model", [LinearRegression(), Ridge(alpha=5.0), Ridge(alpha=5.0, fit_intercept=False)])
def test_the_covariance_of_a_linear_fit_is_its_trace(model):
    X, y = table()
    value, error = effective_degrees_of_freedom(
        model, X, y, method="monte_carlo", n_draws=400, random_state=0, return_std=True
    )
    exact = effective_degrees_of_freedom(model, X, y)
    assert error < 0.3
    assert abs(value - exact) < 4 * error


def test_the_covariance_of_the_lasso_is_its_mean_count():
    """Zou, Hastie and Tibshirani: the expected number of coefficients that are not zero, over draws of the target."""
    X, y = table(rows=60, columns=8)
    model = LassoLars(alpha=0.25)
    centre = LassoLars(alpha=0.25).fit(X, y).predict(X)
    draws = np.random.default_rng(1)
    counts = [1 + np.count_nonzero(model.fit(X, centre + draws.normal(size=60)).coef_) for _ in range(400)]
    value, error = effective_degrees_of_freedom(
        model, X, y, method="monte_carlo", n_draws=800, noise=1.0, random_state=0, return_std=True
    )
    assert abs(value - np.mean(counts)) < 4 * (error + np.std(counts) / 20)


@pytest.mark.parametrize(
    "model",
    [
        OrthogonalMatchingPursuit(n_nonzero_coefs=2),
        StagewiseRegressor(n_steps=50),
        BayesianRidge(),
        Lars(n_nonzero_coefs=2),
    ],
)
def test_any_estimator_has_degrees_of_freedom(model):
    X, y = table()
    value, error = effective_degrees_of_freedom(model, X, y, n_draws=60, random_state=0, return_std=True)
    assert 1 < value < 8
    assert error > 0
    assert value == effective_degrees_of_freedom(model, X, y, n_draws=60, random_state=0)


def test_choosing_costs_more_than_the_chosen_columns():
    """Two columns chosen out of twenty by looking at the target cost more than two given columns."""
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(50, 20)), draws.normal(size=50)
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=2)
    value, error = effective_degrees_of_freedom(model, X, y, n_draws=200, noise=1.0, random_state=0, return_std=True)
    assert value - 3 * error > 3


def test_a_chosen_number_of_components_has_no_formula():
    X, y = table()
    with pytest.raises(learnable.ParameterError, match="formula"):
        effective_degrees_of_freedom(PrincipalComponentRegression("cv"), X, y, method="exact")
    with pytest.raises(learnable.ParameterError, match="method"):
        effective_degrees_of_freedom(Ridge(), X, y, method="guess")
    with pytest.raises(learnable.ParameterError, match="n_draws"):
        effective_degrees_of_freedom(Lars(), X, y, n_draws=1)


def test_the_steps_of_a_pipeline_of_theirs_stay_unfitted():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    scale = StandardScaler()
    effective_degrees_of_freedom(make_pipeline(scale, theirs.Ridge()), *table(), n_draws=2, random_state=0)
    assert not hasattr(scale, "mean_")
