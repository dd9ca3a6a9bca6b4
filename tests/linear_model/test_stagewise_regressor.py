"""Forward stagewise regression against the plain loop, and against least angles as its steps shrink."""

import numpy as np
import pytest

import learnable
from learnable.linear_model import LassoLars, StagewiseRegressor


def table(rows=50, columns=5, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, columns)) * draws.uniform(0.5, 3, columns)
    return X, X @ draws.normal(size=columns) + draws.normal(size=rows)


def standardised(X, y):
    X = (X - X.mean(axis=0)) / np.linalg.norm(X - X.mean(axis=0), axis=0)
    return X, (y - y.mean()) / np.linalg.norm(y - y.mean())


def plain_loop(X, y, step, count):
    w = np.zeros(X.shape[1])
    for _ in range(count):
        product = X.T @ (y - X @ w)
        j = np.argmax(np.abs(product))
        w[j] += step * np.sign(product[j])
    return w


@pytest.mark.parametrize("shape", [(50, 5), (15, 40)])
def test_is_the_plain_loop(shape):
    X, y = table(*shape)
    Z, t = standardised(X, y)
    model = StagewiseRegressor(step_size=0.02, n_steps=60).fit(X, y)
    scale = np.linalg.norm(y - y.mean()) / np.linalg.norm(X - X.mean(axis=0), axis=0)
    np.testing.assert_allclose(model.coef_, plain_loop(Z, t, 0.02, 60) * scale, atol=1e-12)
    unscaled = StagewiseRegressor(step_size=0.02, n_steps=60, scale=False).fit(Z, t)
    np.testing.assert_allclose(unscaled.coef_, plain_loop(Z, t, 0.02, 60), atol=1e-12)


def test_small_steps_follow_the_lasso_where_it_never_turns_back():
    draws = np.random.default_rng(1)
    Z, t = standardised(draws.normal(size=(200, 6)), draws.normal(size=200))
    t = Z @ [0.7, -0.5, 0.4, 0.2, -0.1, 0.05] + 0.3 * t
    t = (t - t.mean()) / np.linalg.norm(t - t.mean())
    lasso = LassoLars(alpha=0.0).fit(Z, t)
    sizes = np.abs(lasso.coef_path_).sum(axis=0)
    assert (np.diff(np.abs(lasso.coef_path_), axis=1) >= -1e-12).all()
    differences = []
    for step in (1e-2, 1e-3, 1e-4):
        model = StagewiseRegressor(step_size=step, n_steps=10**6).fit(Z, t)
        path = model.coef_path_
        length = np.abs(path).sum(axis=0)
        requested = np.array([np.interp(length, sizes, row) for row in lasso.coef_path_])
        differences.append(np.abs(path - requested)[:, length <= sizes[-1]].max())
    assert differences[0] < 2e-2
    assert differences[1] < 2e-3
    assert differences[2] < 2e-4


def test_many_steps_end_near_least_squares():
    X, y = table()
    model = StagewiseRegressor(step_size=1e-4, n_steps=10**6).fit(X, y)
    assert model.trace_.stopped == "converged"
    assert model.n_iter_ < 10**6
    np.testing.assert_allclose(model.coef_, learnable.LinearRegression().fit(X, y).coef_, rtol=2e-3)


def test_every_step_brings_the_prediction_closer():
    X, y = table()
    model = StagewiseRegressor(step_size=0.05, n_steps=500).fit(X, y)
    errors = ((y[:, None] - y.mean() - (X - X.mean(axis=0)) @ model.coef_path_) ** 2).sum(axis=0)
    assert (np.diff(errors) < 0).all()
    np.testing.assert_allclose(model.coef_path_[:, -1], model.coef_, rtol=1e-12)
    assert model.coef_path_.shape == (5, model.n_iter_ + 1)
    assert model.trace_["objective"][-1] == pytest.approx(errors[-1] / 2 / len(y))


def test_fewer_steps_shrink_more():
    X, y = table()
    sizes = [np.abs(StagewiseRegressor(n_steps=k).fit(X, y).coef_).sum() for k in (1, 10, 100)]
    assert sizes == sorted(sizes)
    assert np.count_nonzero(StagewiseRegressor(n_steps=1).fit(X, y).coef_) == 1


def test_units_do_not_matter():
    X, y = table()
    one = StagewiseRegressor(n_steps=80).fit(X, y)
    other = StagewiseRegressor(n_steps=80).fit(X * [1, 10, 0.1, 2, 5], 100 * y + 3)
    np.testing.assert_array_equal(other.moves_, one.moves_)
    np.testing.assert_allclose(other.coef_, 100 * one.coef_ / [1, 10, 0.1, 2, 5], rtol=1e-10)
