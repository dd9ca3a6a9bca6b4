"""Factorisation machines against their definition, a full quadratic model and the gradient of their objective."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from learnable.linear_model import FactorizationMachineClassifier, FactorizationMachineRegressor

pytestmark = pytest.mark.filterwarnings("ignore:.*iteration limit")  # few rounds are enough for many of these


def naive_scores(X, constant, w, V):
    """The sum over pairs, written out."""
    products = V @ V.T
    pairs = [(j, k) for j in range(len(w)) for k in range(j + 1, len(w))]
    return constant + X @ w + sum(products[j, k] * X[:, j] * X[:, k] for j, k in pairs)


def problem(seed=0, n=150, p=5, k=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    w, V = rng.normal(size=p), rng.normal(size=(p, k)) / np.sqrt(k)
    return X, naive_scores(X, 0.5, w, V)


def objective(X, y, constant, w, V, alphas, logistic):
    z = naive_scores(X, constant, w, V)
    cost = np.logaddexp(0, -y * z) if logistic else (y - z) ** 2 / 2
    return cost.mean() + (alphas[0] * constant**2 + alphas[1] * w @ w + alphas[2] * (V**2).sum()) / len(y)


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_scores_are_sums_over_pairs(as_matrix):
    X, y = problem()
    X[np.abs(X) < 0.5] = 0
    model = FactorizationMachineRegressor(3, max_iter=5, tol=0.0, random_state=0).fit(as_matrix(X), y)
    expected = naive_scores(X, model.intercept_, model.coef_, model.factors_)
    assert_allclose(model.predict(as_matrix(X)), expected, rtol=1e-10, atol=1e-10)


def test_products_of_columns_are_learned():
    X, y = problem(1)
    model = FactorizationMachineRegressor(
        3, alpha_linear=0, alpha_factors=1e-6, max_iter=3000, tol=1e-10, random_state=0
    )
    assert model.fit(X, y).score(X, y) > 0.9999
    train, test = np.arange(100), np.arange(100, 150)
    assert model.fit(X[train], y[train]).score(X[test], y[test]) > 0.99


def test_as_many_factors_as_columns_give_any_products():
    """The fit of all pairs by least squares is reached."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 4))
    pairs = np.column_stack([X[:, j] * X[:, k] for j in range(4) for k in range(j + 1, 4)])
    y = X @ rng.normal(size=4) + pairs @ rng.normal(size=6) + 0.1 * rng.normal(size=200)
    full = np.column_stack([np.ones(200), X, pairs])
    rest = y - full @ np.linalg.lstsq(full, y, rcond=None)[0]
    model = FactorizationMachineRegressor(4, alpha_linear=0, alpha_factors=0, max_iter=5000, tol=1e-12, random_state=0)
    errors = y - model.fit(X, y).predict(X)
    assert_allclose(errors @ errors, rest @ rest, rtol=1e-3)


@pytest.mark.parametrize("logistic", [False, True])
def test_sweeps_end_where_the_gradient_is_zero_and_never_rise(logistic):
    X, z = problem(3)
    y = np.where(z > 0, 1.0, -1.0) if logistic else z
    alphas = (0.1, 0.5, 0.5)
    options = dict(zip(("alpha_constant", "alpha_linear", "alpha_factors"), alphas, strict=True))
    kind = FactorizationMachineClassifier if logistic else FactorizationMachineRegressor
    model = kind(2, max_iter=20_000, tol=1e-13, random_state=0, **options).fit(X, y.astype(int) if logistic else y)
    assert (np.diff(model.trace_["objective"]) <= 1e-12).all()
    constant, w, V = np.ravel(model.intercept_)[0], model.coef_.reshape(5), model.factors_.reshape(5, 2)
    flat, h = np.concatenate([[constant], w, V.ravel()]), 1e-5

    def value(v):
        return objective(X, y, v[0], v[1:6], v[6:].reshape(5, 2), alphas, logistic)

    gradient = [(value(flat + h * e) - value(flat - h * e)) / (2 * h) for e in np.eye(len(flat))]
    assert_allclose(gradient, 0, atol=2e-5)
    assert_allclose(value(flat), model.trace_["objective"][-1], rtol=1e-9)


@pytest.mark.parametrize("solver", ["als", "sgd"])
def test_exclusive_or_is_learned(solver):
    X = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]] * 20)
    y = np.array(["same", "other", "other", "same"] * 20)
    model = FactorizationMachineClassifier(2, solver=solver, alpha_factors=1e-3, tol=1e-5, random_state=0).fit(X, y)
    assert (model.predict(X) == y).all()
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_steps_come_near_the_sweeps():
    X, y = problem(4)
    swept, stepped = (
        FactorizationMachineRegressor(2, solver=solver, max_iter=2000, tol=1e-5, random_state=0).fit(X, y)
        for solver in ("als", "sgd")
    )
    assert stepped.trace_["objective"][-1] <= 1.5 * swept.trace_["objective"][-1] + 0.05
    assert stepped.score(X, y) > 0.95


def test_weights_count_copies_in_sweeps():
    X, y = problem(5, n=40)
    count = np.random.default_rng(5).integers(0, 4, 40)
    options = {"max_iter": 50, "tol": 0.0, "random_state": 0}
    weighted = FactorizationMachineRegressor(2, **options).fit(X, y, sample_weight=count)
    copied = FactorizationMachineRegressor(2, **options).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    assert_allclose(weighted.predict(X), copied.predict(X), rtol=1e-6, atol=1e-6)


def test_three_classes_have_a_machine_each():
    X, z = problem(6)
    y = np.digitize(z, np.quantile(z, [0.33, 0.66]))
    model = FactorizationMachineClassifier(2, random_state=0).fit(X, y)
    assert model.factors_.shape == (3, 5, 2) and model.score(X, y) > 0.75
