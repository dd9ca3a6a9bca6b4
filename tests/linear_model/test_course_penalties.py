"""Lasso and elastic net as the course writes them, against its own coordinate loop and its priors."""

from __future__ import annotations

import numpy as np
import pytest

from learnable import ElasticNet, Lasso, LinearRegression, Ridge, enet_path, lasso_path, ridge_path


def toy(n=60, seed=0):
    """Standardised columns, some of which matter, and a centred target."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    X[:, 3] += 0.8 * X[:, 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = X @ [3.0, -2.0, 0.0, 0.0, 1.0, 0.0] + rng.standard_normal(n)
    return X, y - y.mean()


X, Y = toy()
N = len(Y)


def soft(z, threshold):
    return np.sign(z) * max(abs(z) - threshold, 0.0)


def course_coordinates(strength, share):
    """argmin |y - Xb|^2 + strength sum [(1 - share) b^2 + share |b|], one exact coordinate at a time (OPT-05)."""
    b = np.zeros(X.shape[1])
    for _ in range(10_000):
        before = b.copy()
        for j in range(len(b)):
            rho = X[:, j] @ (Y - X @ b + X[:, j] * b[j])
            b[j] = soft(rho, strength * share / 2) / (X[:, j] @ X[:, j] + strength * (1 - share))
        if np.abs(b - before).max() < 1e-13:
            break
    return b


@pytest.mark.parametrize("strength", [0.5, 20.0, 150.0, 1e4])
def test_lasso_of_the_course(strength):
    """|y - Xb|^2 + strength |b|_1 is our lasso with alpha = strength / 2n, exact zeros included (LIN-14)."""
    expected = course_coordinates(strength, 1.0)
    model = Lasso(alpha=strength / (2 * N), tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-7, atol=1e-10)
    np.testing.assert_array_equal(model.coef_ == 0, expected == 0)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("strength", [5.0, 100.0])
def test_elastic_net_of_the_course(strength, share):
    """alpha l1_ratio = strength share / 2n and alpha (1 - l1_ratio) = strength (1 - share) / n (LIN-16)."""
    absolute, squared = strength * share / (2 * N), strength * (1 - share) / N
    model = ElasticNet(alpha=absolute + squared, l1_ratio=absolute / (absolute + squared), tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.coef_, course_coordinates(strength, share), rtol=1e-7, atol=1e-10)


def test_the_ends_of_the_elastic_net_are_ridge_and_lasso():
    np.testing.assert_allclose(course_coordinates(30.0, 0.0), Ridge(30.0).fit(X, Y).coef_, rtol=1e-9)
    lasso = Lasso(alpha=30.0 / (2 * N), tol=1e-12).fit(X, Y).coef_
    np.testing.assert_allclose(course_coordinates(30.0, 1.0), lasso, rtol=1e-7, atol=1e-10)


def test_lasso_is_the_mode_of_the_posterior_under_a_laplace_prior():
    """Noise of variance s^2 and a prior Laplace(0, c) put the weight 2 s^2 / c on the absolute values (LIN-15)."""
    variance, width = 1.7, 0.05
    model = Lasso(alpha=2 * variance / width / (2 * N), fit_intercept=False, tol=1e-12).fit(X, Y)

    def minus_log_posterior(w):
        return np.sum((Y - X @ w) ** 2) / (2 * variance) + np.abs(w).sum() / width

    best, rng = minus_log_posterior(model.coef_), np.random.default_rng(1)
    assert (model.coef_ == 0).any() and (model.coef_ != 0).any()
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(200):
            assert minus_log_posterior(model.coef_ + size * rng.standard_normal(6)) > best


def test_paths_of_the_toy_problem():
    """From nothing to least squares: the lasso drops columns, ridge only shrinks them (LIN-18)."""
    exact = LinearRegression(fit_intercept=False).fit(X, Y).coef_
    alphas = np.geomspace(10, 1e-6, 40)
    for alphas_used, coefs, *_ in (
        lasso_path(X, Y, alphas=alphas),
        enet_path(X, Y, l1_ratio=0.5, alphas=alphas),
    ):
        assert (np.diff(alphas_used) < 0).all()
        assert not coefs[:, 0].any()
        np.testing.assert_allclose(coefs[:, -1], exact, rtol=1e-3, atol=1e-3)
        size = np.abs(coefs).sum(axis=0)
        assert (np.diff(size) >= -1e-6).all()
    _, ridge, _ = ridge_path(X, Y, alphas=alphas * N)
    ridge = ridge if ridge.shape[0] == len(alphas) else ridge.T
    assert (ridge != 0).all()
    norms = np.linalg.norm(ridge, axis=1)
    assert (np.sign(np.diff(norms)) == np.sign(norms[-1] - norms[0])).all()


def test_few_strong_columns_and_many_weak_ones_need_different_penalties():
    """Lasso predicts best where few columns matter, ridge where all matter alike (LIN-19)."""
    rng = np.random.default_rng(2)
    few, many = np.zeros(40), rng.choice([-0.3, 0.3], 40)
    few[:3] = [3.0, -3.0, 2.0]
    for weights, winner in ((few, "lasso"), (many, "ridge")):
        errors = {"lasso": 0.0, "ridge": 0.0}
        for _ in range(10):
            A, B = rng.standard_normal((60, 40)), rng.standard_normal((400, 40))
            y = A @ weights + rng.standard_normal(60)
            for name, fits in (
                ("lasso", [Lasso(a).fit(A, y) for a in np.geomspace(0.01, 1, 8)]),
                ("ridge", [Ridge(a).fit(A, y) for a in np.geomspace(0.1, 100, 8)]),
            ):
                errors[name] += min(np.mean((fit.predict(B) - B @ weights) ** 2) for fit in fits)
        assert min(errors, key=errors.__getitem__) == winner
