"""Least squares with known solutions: a chosen w, a residual orthogonal to every column, y = Xw + r."""

import numpy as np
import pytest
from scipy import sparse

from learnable.engines import matrix_products
from learnable.engines.minimise.least_squares import select_solver
from learnable.engines.minimise.least_squares.solve import least_squares, nonnegative_least_squares
from learnable.engines.minimise.linear_fit import TOLERANCES


def known(seed, n, p, condition=10.0, targets=1):
    """X with the given condition number, y with residuals of size 0.5 / condition, and the unique optimum."""
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, p + targets))]))[0][:, 1:]
    V = np.linalg.qr(rng.normal(size=(p, p)))[0]
    X = (U[:, :p] * np.geomspace(1, 1 / condition, p)) @ V.T
    w = rng.normal(size=(targets, p))
    return X + 3, X @ w.T + U[:, p:] * 0.5 / condition + 1.0, w


@pytest.mark.parametrize("condition", [10, 1e4, 1e7])
def test_known_optimum_is_found_whatever_the_condition(condition):
    X, y, w = known(0, 50, 6, condition, targets=2)
    fit = least_squares(X, y, None, True)
    np.testing.assert_allclose(fit.coef, w, rtol=0, atol=1e-14 * condition)
    np.testing.assert_allclose(fit.deviation, 0.5 / condition, rtol=1e-6)
    assert fit.proof == "backward error" and fit.error < 1e-14


def test_ill_conditioned_data_too_large_to_copy_are_refined(monkeypatch):
    X, y, w = known(1, 400, 5, 1e5)
    monkeypatch.setattr(select_solver, "MAX_CELLS_COPIED", 0)
    fit = least_squares(X, y, None, True)
    assert fit.method == "cholesky"
    np.testing.assert_allclose(fit.coef, w, rtol=0, atol=1e-14 * 1e5)


def unread(*arguments):
    raise AssertionError("the data were read again")


@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_large_data_are_read_once_with_the_accuracy_of_two_passes(monkeypatch, alpha, weighted):
    X, y, _ = known(4, 300, 5, targets=2)
    weight = np.random.default_rng(5).uniform(0.5, 2, len(X)) if weighted else None
    again = least_squares(X, y, weight, True, alpha)
    monkeypatch.setattr(select_solver, "MIN_CELLS_SPARED", 0)
    monkeypatch.setattr(matrix_products, "residual_products", unread)
    once = least_squares(X, y, weight, True, alpha)
    for name in ("coef", "intercept", "deviation", "penalty", "root_inverse"):
        np.testing.assert_allclose(getattr(once, name), getattr(again, name), rtol=1e-12, err_msg=name)
    assert once.proof == again.proof
    assert again.error < once.error < TOLERANCES[once.proof]


def exact_target():
    X, _, w = known(6, 300, 5)
    return X, X @ w.T


def nearly_collinear_columns():
    return known(7, 300, 5, condition=100)[0], np.random.default_rng(8).normal(size=(300, 1))


@pytest.mark.parametrize("data", [exact_target, nearly_collinear_columns])
def test_moments_that_lost_too_much_are_not_believed(monkeypatch, data):
    """Where next to nothing is left of the target, or columns nearly depend on each other, the data are read again."""
    monkeypatch.setattr(select_solver, "MIN_CELLS_SPARED", 0)
    monkeypatch.setattr(matrix_products, "residual_products", unread)
    with pytest.raises(AssertionError, match="read again"):
        least_squares(*data(), None, True)


@pytest.mark.parametrize("n, p", [(30, 6), (6, 30), (10, 10)])
@pytest.mark.parametrize("centre", [True, False])
def test_minimum_norm_equals_the_pseudo_inverse(n, p, centre):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(n, p)) + 1, rng.normal(size=(n, 2))
    X[:, -1] = X[:, 0] + X[:, 1]
    A, b = (X - X.mean(axis=0), y - y.mean(axis=0)) if centre else (X, y)
    fit = least_squares(X, y, None, centre)
    np.testing.assert_allclose(fit.coef, (np.linalg.pinv(A) @ b).T, atol=1e-10)
    assert fit.rank == np.linalg.matrix_rank(A)


@pytest.mark.parametrize("n, p", [(40, 5), (5, 40)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_ridge_equals_its_formula_in_primal_and_dual(n, p, form):
    rng = np.random.default_rng(3)
    X, y, s = rng.normal(size=(n, p)), rng.normal(size=(n, 1)), rng.uniform(0.5, 2, n)
    mean_x, mean_y = np.average(X, axis=0, weights=s), np.average(y, axis=0, weights=s)
    A, b = X - mean_x, y - mean_y
    expected = np.linalg.solve(A.T @ (A * s[:, None]) + 0.7 * np.eye(p), A.T @ (b * s[:, None]))
    fit = least_squares(form(X), y, s, True, 0.7)
    np.testing.assert_allclose(fit.coef.T, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fit.intercept, mean_y - mean_x @ expected, rtol=1e-9)
    hat = A @ np.linalg.solve(A.T @ (A * s[:, None]) + 0.7 * np.eye(p), A.T * s)
    assert fit.freedom == pytest.approx(np.trace(hat))


def test_large_sparse_data_go_through_products_alone(monkeypatch):
    rng = np.random.default_rng(4)
    X = sparse.random_array((60, 20), density=0.3, rng=rng, format="csr")
    y = rng.normal(size=(60, 1))
    expected = least_squares(X.toarray(), y, None, True, 0.1)
    monkeypatch.setattr(select_solver, "MAX_GRAM", 5)
    fit = least_squares(X, y, None, True, 0.1)
    assert fit.method == "lsmr"
    np.testing.assert_allclose(fit.coef, expected.coef, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("power", [-500, 500])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_extreme_scales_give_the_scaled_solution(power, alpha):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=(30, 1))
    expected = least_squares(X, y, None, True, alpha)
    fit = least_squares(np.ldexp(X, power), np.ldexp(y, power), None, True, np.ldexp(alpha, 2 * power))
    np.testing.assert_allclose(fit.coef, expected.coef, rtol=1e-12)
    np.testing.assert_allclose(fit.intercept, np.ldexp(expected.intercept, power), rtol=1e-9)


def test_nonnegative_optimum_built_from_its_conditions():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(40, 5))
    w, pull = np.array([1.0, 0, 2, 0, 0.5]), np.array([0, -1.0, 0, -2, 0])
    G = X.T @ X
    residual = X @ np.linalg.solve(G, pull)  # X'r = pull: zero where w > 0, negative where w = 0
    fit = nonnegative_least_squares(X, (X @ w + residual)[:, None], None, False)
    np.testing.assert_allclose(fit.coef[0], w, atol=1e-12)


@pytest.mark.parametrize("unit", [2.0**-90, 2.0**90])
def test_products_alone_find_the_solution_in_any_unit(unit):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=(30, 1))
    plain = least_squares(X, y, None, True, 0.0, "iterative")
    for fit in (
        least_squares(X * unit, y * unit, None, True, 0.0, "iterative"),
        least_squares(X, y, np.full(30, unit**2), True, 0.0, "iterative"),
    ):
        np.testing.assert_allclose(fit.coef, plain.coef, rtol=1e-9)
        assert fit.error < 1e-9
