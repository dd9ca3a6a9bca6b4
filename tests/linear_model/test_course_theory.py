"""What the course says about least squares in theory, in simulations with known results."""

from __future__ import annotations

import numpy as np
import pytest

from learnable import LinearRegression, Ridge


def fitted_many_times(n: int, p: int, draws: int, noise: float = 1.0, seed: int = 0):
    """Fits on fresh Gaussian rows: errors of the coefficients, risks on the rows seen, and those of the truth there."""
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal(p)
    errors, seen, of_truth = np.empty((draws, p)), np.empty(draws), np.empty(draws)
    for k in range(draws):
        X = rng.standard_normal((n, p))
        disturbance = noise * rng.standard_normal(n)
        model = LinearRegression(fit_intercept=False).fit(X, X @ weights + disturbance)
        errors[k] = model.coef_ - weights
        seen[k] = np.mean((X @ errors[k] - disturbance) ** 2)
        of_truth[k] = np.mean(disturbance**2)
    return errors, seen, of_truth


def test_variance_of_a_prediction_on_a_fixed_design():
    """Var f(x) = sigma^2 x'(X'X)^-1 x, and the prediction is right on average (THE-10)."""
    rng = np.random.default_rng(0)
    X, weights, sigma = rng.standard_normal((40, 3)), np.array([1.0, -2.0, 0.5]), 0.7
    x = np.array([[0.3, -1.0, 2.0]])
    Y = (X @ weights)[:, None] + sigma * rng.standard_normal((40, 20_000))
    predictions = LinearRegression(fit_intercept=False).fit(X, Y).predict(x).ravel()
    variance = sigma**2 * float((x @ np.linalg.inv(X.T @ X) @ x.T).item())
    assert predictions.mean() == pytest.approx(float((x @ weights).item()), abs=4 * np.sqrt(variance / 20_000))
    assert predictions.var() == pytest.approx(variance, rel=0.05)


def test_w19_average_variance_is_noise_times_columns_over_rows():
    """sigma = 1, p = 10, n = 200: p / n = 0.05, and p / (n - p - 1) = 0.0529 for Gaussian columns (W-19, THE-10)."""
    errors, _, _ = fitted_many_times(200, 10, 2000)
    variance = np.mean(np.sum(errors**2, axis=1))  # E (x'd)^2 = |d|^2 for standard Gaussian x
    assert variance == pytest.approx(10 / (200 - 10 - 1), rel=0.03)
    assert variance == pytest.approx(0.05, abs=0.005)


def test_generalisation_gap_shrinks_as_columns_over_rows():
    """E_out - E_in = sigma^2 (2p/n + ...): the gap times n / p is nearly constant (THE-11, FRM-03)."""
    scaled = []
    for n, p in ((100, 5), (200, 5), (400, 5), (400, 20), (800, 20)):
        errors, seen, of_truth = fitted_many_times(n, p, 600, seed=n + p)
        assert seen.mean() == pytest.approx(1 - p / n, rel=0.02)
        unseen = of_truth + np.sum(errors**2, axis=1)  # the same chance on both sides leaves the gap alone
        scaled.append((unseen - seen).mean() * n / p)
    assert max(scaled) / min(scaled) < 1.15 and np.mean(scaled) == pytest.approx(2, rel=0.1)


def test_least_squares_has_the_smallest_empirical_risk():
    """No other line has a smaller mean squared error on the rows seen (FRM-03)."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30, 2))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2

    def risk(w: np.ndarray, b: float) -> float:
        return float(np.mean((X @ w + b - y) ** 2))

    model = LinearRegression().fit(X, y)
    best = risk(model.coef_, model.intercept_)
    for _ in range(500):
        step = rng.standard_normal(3) * rng.choice([1e-3, 0.1, 1.0])
        assert risk(model.coef_ + step[:2], model.intercept_ + step[2]) > best


def test_empirical_risk_estimates_the_expected_risk():
    """With P(x, y) known the risk of a fit is an integral: fresh rows estimate it, the rows seen flatter (FRM-03)."""
    rng = np.random.default_rng(4)

    def sample(n: int) -> tuple[np.ndarray, np.ndarray]:
        x = rng.uniform(0, 1, (n, 1))
        return x, x[:, 0] ** 2 + 0.1 * rng.standard_normal(n)

    differences = []
    for _ in range(200):
        X, y = sample(12)
        model = LinearRegression().fit(X, y)
        a, b = float(model.coef_[0]), float(model.intercept_)
        # the integral of (x^2 - ax - b)^2 over [0, 1], plus the noise
        expected = 1 / 5 - a / 2 + (a**2 - 2 * b) / 3 + a * b + b**2 + 0.01
        differences.append(expected - np.mean((model.predict(X) - y) ** 2))
    fresh, truth = sample(200_000)
    assert np.mean((model.predict(fresh) - truth) ** 2) == pytest.approx(expected, rel=0.02)
    assert np.mean(differences) > 5 * np.std(differences) / np.sqrt(200)


def test_polynomial_terms_classify_by_sign_and_by_the_largest_score():
    """Least squares on targets -1, 1 classifies by sign, on one-hot targets by the largest (LIN-13)."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    kind = np.array([0, 1, 1, 0])  # exclusive or
    P = np.column_stack([X, X[:, 0] * X[:, 1]])
    np.testing.assert_array_equal(np.sign(LinearRegression().fit(P, 2 * kind - 1).predict(P)), 2 * kind - 1)
    np.testing.assert_array_equal(LinearRegression().fit(P, np.eye(2)[kind]).predict(P).argmax(axis=1), kind)
    flat = LinearRegression().fit(X, 2 * kind - 1).predict(X)
    np.testing.assert_allclose(flat, 0, atol=1e-12)  # without the product no side is better than the other
    rng = np.random.default_rng(5)
    Z = rng.uniform(-1, 1, (400, 2))
    ring = np.digitize(np.hypot(*Z.T), [0.5, 0.9])  # three classes, one around the other
    Q = np.column_stack([Z, Z**2, Z.prod(axis=1), (Z**2).prod(axis=1), Z**4])
    for model in (LinearRegression(), Ridge(1e-3)):
        assert np.mean(model.fit(Q, np.eye(3)[ring]).predict(Q).argmax(axis=1) == ring) > 0.85
    assert np.mean(LinearRegression().fit(Z, np.eye(3)[ring]).predict(Z).argmax(axis=1) == ring) < 0.6
    ridge = Ridge(0.5, fit_intercept=False).fit(Q, np.eye(3)[ring])
    expected = np.linalg.solve(Q.T @ Q + 0.5 * np.eye(Q.shape[1]), Q.T @ np.eye(3)[ring])
    np.testing.assert_allclose(ridge.coef_, expected.T, rtol=1e-8)


@pytest.mark.parametrize("strength", [0.0, 0.7, 30.0])
def test_centring_and_scaling_can_be_undone(strength):
    """Centre y, centre and scale X, shrink, and map back to raw columns: the same predictions (PRE-10)."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 3)) * [1, 20, 0.05] + [5, -100, 0]
    y = X @ [1.0, 0.1, -8.0] + 3 + rng.standard_normal(50)
    mean, scale = X.mean(axis=0), X.std(axis=0)
    Z = (X - mean) / scale
    inside = np.linalg.solve(Z.T @ Z + strength * np.eye(3), Z.T @ (y - y.mean()))
    coef, intercept = inside / scale, y.mean() - mean / scale @ inside
    scaled = Ridge(strength).fit(Z, y)
    np.testing.assert_allclose(scaled.coef_ / scale, coef, rtol=1e-8)
    assert scaled.intercept_ - mean / scale @ scaled.coef_ == pytest.approx(intercept)
    centred = Ridge(strength, fit_intercept=False).fit(X - mean, y - y.mean())
    raw = Ridge(strength).fit(X, y)
    np.testing.assert_allclose(raw.coef_, centred.coef_, rtol=1e-8)
    assert raw.intercept_ == pytest.approx(y.mean() - mean @ raw.coef_)


def test_weighted_least_squares_is_its_formula():
    """argmin (z - Xb)'W(z - Xb) = (X'WX)^-1 X'Wz (LIN-27)."""
    rng = np.random.default_rng(3)
    X, z, w = rng.standard_normal((25, 3)), rng.standard_normal(25), rng.uniform(0.1, 4, 25)
    expected = np.linalg.solve(X.T * w @ X, X.T * w @ z)
    model = LinearRegression(fit_intercept=False).fit(X, z, sample_weight=w)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-10)
    root = np.sqrt(w)
    turned = LinearRegression(fit_intercept=False).fit(X * root[:, None], z * root)
    np.testing.assert_allclose(turned.coef_, expected, rtol=1e-10)
