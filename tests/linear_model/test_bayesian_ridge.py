"""Evidence maximisation against the marginal density itself, a grid, and scikit-learn."""

import numpy as np
import pytest
import sklearn.linear_model as theirs
from scipy.stats import multivariate_normal

import learnable
from learnable.linear_model import ARDRegression, BayesianRidge


def table(rows=40, columns=5, noise=0.5, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns))
    return X, X[:, :2] @ [1.5, -1.0] + noise * draws.normal(size=rows)


def log_evidence(X, y, alpha, lambdas, shape=1e-6, rate=1e-6):
    """Log density of y with the weights integrated out, and the gamma priors of the precisions."""
    covariance = np.eye(len(y)) / alpha + (X / lambdas) @ X.T
    density = multivariate_normal(np.zeros(len(y)), covariance).logpdf(y)
    lambdas = np.atleast_1d(lambdas)
    return density + (shape * np.log(lambdas) - rate * lambdas).sum() + shape * np.log(alpha) - rate * alpha


@pytest.mark.parametrize("shape", [(40, 5), (12, 30)])
def test_scores_are_the_log_marginal_density(shape):
    X, y = table(*shape)
    model = BayesianRidge(fit_intercept=False, compute_score=True, tol=1e-10, max_iter=2000).fit(X, y)
    assert len(model.scores_) == model.n_iter_ + 1
    assert model.scores_[-1] == pytest.approx(log_evidence(X, y, model.alpha_, model.lambda_), abs=1e-7)
    first = log_evidence(X, y, 1 / (y.var() + np.finfo(float).eps), 1.0)
    assert model.scores_[0] == pytest.approx(first, abs=1e-7)
    np.testing.assert_allclose(model.trace_["objective"], -model.scores_[:-1])


def test_no_point_of_a_grid_has_more_evidence():
    X, y = table()
    model = BayesianRidge(fit_intercept=False, compute_score=True, tol=1e-12, max_iter=5000).fit(X, y)
    grid = [
        log_evidence(X, y, model.alpha_ * a, model.lambda_ * b)
        for a in np.geomspace(0.2, 5, 21)
        for b in np.geomspace(0.2, 5, 21)
    ]
    assert max(grid) <= model.scores_[-1] + 1e-9
    near = [
        log_evidence(X, y, model.alpha_ * a, model.lambda_ * b) for a, b in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99))
    ]
    assert max(near) < model.scores_[-1]


@pytest.mark.parametrize("shape", [(60, 5), (20, 50), (31, 30), (442, 10)])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_agrees_with_scikit_learn(shape, intercept, weighted):
    X, y = table(*shape)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else None
    options = {"fit_intercept": intercept, "compute_score": True}
    ours = BayesianRidge(**options).fit(X, y, sample_weight=weight)
    other = theirs.BayesianRidge(**options).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-10)
    assert ours.alpha_ == pytest.approx(other.alpha_, rel=1e-8)
    assert ours.lambda_ == pytest.approx(other.lambda_, rel=1e-8)
    np.testing.assert_allclose(ours.sigma_, other.sigma_, atol=1e-10)
    np.testing.assert_allclose(ours.scores_[:-1], other.scores_[:-1], rtol=1e-8)  # their last has the mean of before
    assert ours.n_iter_ == other.n_iter_
    for a, b in zip(ours.predict(X, return_std=True), other.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8)


def gradient(X, y, alpha, lambdas, step=1e-4):
    """The gradient of the log evidence by the logarithms of the precisions, by differences."""
    place = np.log(np.append(alpha, lambdas))
    moved = step * np.eye(len(place))
    at = [[log_evidence(X, y, p[0], p[1:]) for p in np.exp([place + row, place - row])] for row in moved]
    return np.array([(up - down) / (2 * step) for up, down in at])


@pytest.mark.parametrize("shape", [(40, 5), (12, 30)])
@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("cls", [BayesianRidge, ARDRegression])
@pytest.mark.filterwarnings("ignore::learnable.ConvergenceWarning")
def test_the_certificate_is_the_gradient_of_the_log_evidence(cls, shape, steps):
    X, y = table(*shape)
    model = cls(fit_intercept=False, max_iter=steps, tol=0).fit(X, y)
    left = model.lambda_ < 1e4
    X = X[:, left] if cls is ARDRegression else X
    expected = np.linalg.norm(
        gradient(X, y, model.alpha_, model.lambda_[left] if cls is ARDRegression else model.lambda_)
    )
    proof = model.certificate_
    assert proof.kind == "gradient norm" and not proof.holds
    assert proof.value == pytest.approx(expected / len(y), rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("cls", [BayesianRidge, ARDRegression])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_a_settled_fit_has_a_gradient_within_the_tolerance_in_any_units(cls, tol, scale):
    X, y = table()
    priors = dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 0.0)
    more = {"threshold_lambda": 1e4} if cls is ARDRegression else {}
    model = cls(tol=tol, max_iter=5000, **priors, **more).fit(X * scale, y * scale)
    assert model.trace_.stopped == "converged" and model.certificate_.holds
    assert model.certificate_.tolerance == tol


def test_the_mean_is_ridge_regression_with_the_estimated_alpha():
    X, y = table()
    model = BayesianRidge().fit(X, y)
    ridge = learnable.Ridge(alpha=model.lambda_ / model.alpha_).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-10)


def test_noise_is_found():
    X, y = table(rows=4000, noise=0.3)
    assert BayesianRidge().fit(X, y).alpha_ == pytest.approx(1 / 0.09, rel=0.05)


def test_small_coefficients_are_settled_too():
    """The tolerance is relative where coefficients are small, so a change of units does not end the fit early."""
    X, y = table()
    options = {"alpha_1": 0, "alpha_2": 0, "lambda_1": 0, "lambda_2": 0, "max_iter": 3000}
    one = BayesianRidge(tol=1e-10, **options, lambda_init=1.0).fit(X, y)
    small = BayesianRidge(tol=1e-10, **options, lambda_init=1e12).fit(X, y * 1e-6)
    np.testing.assert_allclose(small.coef_, one.coef_ * 1e-6, rtol=1e-6)


def test_deviation_of_predictions_covers():
    """Nine in ten new targets lie within 1.645 predicted standard deviations."""
    X, y = table(rows=30, columns=8, seed=5)
    model = BayesianRidge().fit(X, y)
    new_X, new_y = table(rows=4000, columns=8, seed=6)
    mean, deviation = model.predict(new_X, return_std=True)
    assert 0.8 < (np.abs(new_y - mean) < 1.645 * deviation).mean() < 0.97


@pytest.mark.parametrize("shape", [(60, 5), (442, 10), (31, 30), (200, 40)])
@pytest.mark.parametrize("intercept", [True, False])
def test_relevance_agrees_with_scikit_learn(shape, intercept):
    X, y = table(*shape)
    ours = ARDRegression(fit_intercept=intercept, compute_score=True).fit(X, y)
    other = theirs.ARDRegression(fit_intercept=intercept, compute_score=True).fit(X, y)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-9)
    np.testing.assert_allclose(ours.lambda_, other.lambda_, rtol=1e-7)
    np.testing.assert_allclose(ours.sigma_, other.sigma_, atol=1e-9)
    np.testing.assert_allclose(ours.scores_, other.scores_, rtol=1e-8)
    assert ours.n_iter_ == other.n_iter_
    for a, b in zip(ours.predict(X, return_std=True), other.predict(X, return_std=True), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7)


def test_relevance_drops_the_columns_that_do_not_matter():
    X, y = table(rows=200, columns=12)
    model = ARDRegression().fit(X, y)
    assert np.flatnonzero(model.coef_).tolist()[:2] == [0, 1]
    assert np.abs(model.coef_[2:]).max() < 0.1
    assert model.sigma_.shape == (np.count_nonzero(model.lambda_ < 1e4),) * 2


def test_relevance_is_a_maximum_of_the_evidence():
    X, y = table(rows=80, columns=3, noise=1.0)
    model = ARDRegression(fit_intercept=False, tol=1e-13, max_iter=10**5, threshold_lambda=np.inf).fit(X, y)
    here = log_evidence(X, y, model.alpha_, model.lambda_)
    for j in range(3):
        for factor in (0.97, 1.03):
            lambdas = model.lambda_.copy()
            lambdas[j] *= factor
            assert log_evidence(X, y, model.alpha_, lambdas) <= here + 1e-9
    assert log_evidence(X, y, model.alpha_ * 1.03, model.lambda_) < here


def test_relevance_is_the_same_by_rows_and_by_columns():
    X, y = table(rows=30, columns=29)
    by_columns = ARDRegression(fit_intercept=False).fit(X, y)
    with_nothing = np.column_stack([X, np.zeros((30, 2))])
    by_rows = ARDRegression(fit_intercept=False).fit(with_nothing, y)
    assert by_rows.n_iter_ == by_columns.n_iter_
    np.testing.assert_allclose(by_rows.coef_[:29], by_columns.coef_, atol=1e-8)


def test_relevance_with_weights_as_copies():
    X, y = table(rows=25)
    copies = np.arange(25) % 3
    weighted = ARDRegression().fit(X, y, sample_weight=copies)
    repeated = ARDRegression().fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)
    assert weighted.alpha_ == pytest.approx(repeated.alpha_, rel=1e-9)


def test_relevance_by_rows_agrees_with_singular_values(monkeypatch):
    X, y = table(rows=20, columns=35)
    by_rows = ARDRegression(tol=10.0).fit(X, y)
    monkeypatch.setattr("learnable.linear_model.ard_regression.MAX_CONDITION_OF_NORMAL_EQUATIONS", 0.0)
    by_singular_values = ARDRegression(tol=10.0).fit(X, y)
    np.testing.assert_allclose(by_rows.coef_, by_singular_values.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(by_rows.sigma_, by_singular_values.sigma_, rtol=1e-7, atol=1e-9)
    assert by_rows.trace_["objective"] == pytest.approx(by_singular_values.trace_["objective"], rel=1e-9)


@pytest.mark.parametrize("shape", [(40, 5), (12, 30)])
def test_the_covariance_is_the_inverse_of_the_precision(shape):
    X, y = table(*shape)
    model = BayesianRidge().fit(X, y)
    centred = X - X.mean(axis=0)
    precision = model.alpha_ * centred.T @ centred + model.lambda_ * np.eye(shape[1])
    np.testing.assert_allclose(model.sigma_ @ precision, np.eye(shape[1]), atol=1e-8)


@pytest.mark.parametrize("cls", [BayesianRidge, ARDRegression])
@pytest.mark.parametrize("name", ["X", "y"])
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_data_with_an_infinite_variance_are_refused(cls, name, scale):
    X, y = table()
    with pytest.raises(learnable.DataError, match=f"{cls.__name__}: the largest entry of {name}"):
        cls().fit(X * scale if name == "X" else X, y * scale if name == "y" else y)
