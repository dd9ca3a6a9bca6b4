"""Linear support vector regression against a linear programme, scikit-learn, and itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import LinearConstraint, minimize
from sklearn.svm import LinearSVR as TheirSVR

from learnable.svm import LinearSVR

LOSSES = ["epsilon_insensitive", "squared_epsilon_insensitive"]
TIGHT = {"tol": 1e-10, "max_iter": 100_000}


def problem(seed=0, n=80, p=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X @ rng.normal(size=p) + 0.7 + 0.5 * rng.standard_t(3, n)


def objective(model, X, y, loss, C=1.0, epsilon=0.1):
    w, b = model.coef_, np.ravel(model.intercept_)[0]
    out = np.maximum(0, np.abs(y - X @ w - b) - epsilon)
    return (w @ w + b * b) / 2 + C * np.sum(out ** (2 if loss.startswith("squared") else 1))


def programme(X, y, loss, C, epsilon):
    """The least objective, by a general solver on weights and slacks on either side."""
    n, q = X.shape[0], X.shape[1] + 1
    A, power = np.column_stack([X, np.ones(n)]), 2 if loss.startswith("squared") else 1

    def value(v):
        return v[:q] @ v[:q] / 2 + C * np.sum(v[q:] ** power)

    def gradient(v):
        return np.concatenate([v[:q], C * power * v[q:] ** (power - 1)])

    rows = [
        LinearConstraint(np.column_stack([A, np.eye(n)]), y - epsilon, np.inf),
        LinearConstraint(np.column_stack([-A, np.eye(n)]), -y - epsilon, np.inf),
    ]
    start = np.concatenate([np.zeros(q), np.abs(y)])
    bounds = [(None, None)] * q + [(0, None)] * n
    options = {"ftol": 1e-12, "maxiter": 500}
    return minimize(value, start, jac=gradient, method="SLSQP", constraints=rows, bounds=bounds, options=options).fun


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", ["newton", "dual"])
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_the_optimum_is_that_of_a_general_programme(loss, solver, epsilon):
    X, y = problem(n=30, p=2)
    model = LinearSVR(loss=loss, epsilon=epsilon, solver=solver, random_state=0, **TIGHT).fit(X, y)
    assert_allclose(objective(model, X, y, loss, 1.0, epsilon), programme(X, y, loss, 1.0, epsilon), rtol=1e-6)
    assert model.certificate_.holds


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-6, 0.1, 100.0])
def test_at_least_as_good_as_scikit_learn(loss, C):
    X, y = problem(1)
    ours = LinearSVR(loss=loss, C=C, epsilon=0.1, **TIGHT).fit(X, y)
    theirs = TheirSVR(loss=loss, C=C, epsilon=0.1, tol=1e-9, max_iter=2_000_000, random_state=0, dual=True).fit(X, y)
    assert objective(ours, X, y, loss, C) <= objective(theirs, X, y, loss, C) * (1 + 1e-9)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_count_copies(loss):
    X, y = problem(2, n=40)
    count = np.random.default_rng(2).integers(0, 4, 40)
    options = {"loss": loss, "epsilon": 0.1, **TIGHT}
    weighted = LinearSVR(**options).fit(X, y, sample_weight=count)
    copied = LinearSVR(**options).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    assert_allclose(weighted.coef_, copied.coef_, atol=1e-7)


def test_a_wide_tube_holds_everything():
    X, y = problem(3)
    model = LinearSVR(epsilon=1e3).fit(X, y)
    assert (model.coef_ == 0).all() and model.certificate_.value == 0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("unit", [1e-120, 1e120])
def test_the_unit_of_the_target_does_not_matter(loss, unit):
    X, y = problem(4)
    cost = unit if loss == "epsilon_insensitive" else 1.0  # C sum |r| against |w|^2: C has a unit too
    plain = LinearSVR(loss=loss, epsilon=0.1, tol=1e-8).fit(X, y)
    scaled = LinearSVR(loss=loss, epsilon=0.1 * unit, C=cost, tol=1e-8).fit(X, y * unit)
    assert_allclose(scaled.coef_ / unit, plain.coef_, rtol=1e-3)


def test_sparse_and_dense_agree_and_more_columns_than_rows_too():
    X, y = problem(5, n=30, p=60)
    X[np.abs(X) < 0.7] = 0
    dense, thin = LinearSVR(**TIGHT).fit(X, y), LinearSVR(random_state=0, **TIGHT).fit(sparse.csr_array(X), y)
    by_rows = LinearSVR(solver="dual", random_state=0, **TIGHT).fit(X, y)
    assert_allclose(dense.coef_, thin.coef_, atol=1e-5)
    assert_allclose(dense.coef_, by_rows.coef_, atol=1e-5)
