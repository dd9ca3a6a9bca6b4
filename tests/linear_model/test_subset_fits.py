"""Least squares on many subsets at once against NumPy, one subset after the other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from learnable.linear_model import LinearRegression
from learnable.linear_model._robust.subset_least_squares import subset_fits

RNG = np.random.default_rng(0)
X = RNG.standard_normal((50, 4)) * [1.0, 1e-3, 1e3, 1.0] + [0.0, 1.0, 0.0, 1e4]
Y = RNG.standard_normal((50, 2))


def subsets(size, count=60):
    return np.array([RNG.choice(50, size, replace=False) for _ in range(count)])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("extra", [0, 1, 7])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_each_is_the_least_squares_of_its_rows(intercept, extra, make):
    chosen = subsets(4 + intercept + extra)
    coef, constant = subset_fits(make(X), Y, chosen, intercept)
    assert coef.shape == (60, 2, 4) and constant.shape == (60, 2)
    for rows, w, b in zip(chosen, coef, constant, strict=True):
        exact = LinearRegression(fit_intercept=intercept).fit(X[rows], Y[rows])
        np.testing.assert_allclose(X[rows] @ w.T + b, exact.predict(X[rows]), rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(w, exact.coef_, rtol=1e-5, atol=1e-6 * np.abs(exact.coef_).max())


@pytest.mark.parametrize("extra", [0, 3])
def test_dependent_columns_have_the_minimum_norm_solution(extra):
    doubled = np.column_stack([X[:, 0], X[:, 0], X[:, 3]])
    coef, constant = subset_fits(doubled, Y[:, 0], subsets(4 + extra), True)
    np.testing.assert_allclose(coef[:, 0, 0], coef[:, 0, 1], rtol=1e-6, atol=1e-9)
    assert np.abs(coef[:, 0, 0]).max() < 1e4 and np.isfinite(constant).all()


@pytest.mark.parametrize("extra", [0, 3])
@pytest.mark.parametrize("third", [X[:, 0], np.full(50, 0.1), (np.arange(50) % 9 == 0).astype(float)])
def test_rows_off_every_hyperplane_have_least_squares_errors(extra, third):
    dependent, chosen = np.column_stack([X[:, 0], X[:, 3], third]), subsets(4 + extra)
    coef, constant = subset_fits(dependent, Y[:, 0], chosen, True)
    for rows, w, b in zip(chosen, coef, constant, strict=True):
        exact = LinearRegression().fit(dependent[rows], Y[rows, 0]).predict(dependent[rows])
        np.testing.assert_allclose(dependent[rows] @ w[0] + b[0], exact, rtol=1e-6, atol=1e-6)


def test_constant_columns_and_targets_are_exact():
    flat = np.column_stack([np.full(50, 0.1), X[:, 0]])
    coef, constant = subset_fits(flat, np.full(50, 0.3), subsets(3), True)
    assert (coef == 0).all() and (constant == 0.3).all()
    coef, _ = subset_fits(flat, Y[:, 0], subsets(3), True)
    assert (coef[:, 0, 0] == 0).all()


def test_equal_rows_are_as_good_as_one():
    same = np.array([[3, 3, 3, 8, 8]])
    coef, constant = subset_fits(X[:, :1], Y[:, 0], same, True)
    line = np.polyfit(X[[3, 8], 0], Y[[3, 8], 0], 1)
    np.testing.assert_allclose([coef[0, 0, 0], constant[0, 0]], line, rtol=1e-9)


@pytest.mark.parametrize(("x_scale", "y_scale"), [(1e150, 1.0), (1e-150, 1e150), (1.0, 1e-150), (1e150, 1e-150)])
def test_scales_do_not_matter(x_scale, y_scale):
    chosen = subsets(5)
    coef, constant = subset_fits(X, Y, chosen, True)
    scaled, shifted = subset_fits(X * x_scale, Y * y_scale, chosen, True)
    np.testing.assert_allclose(scaled * x_scale / y_scale, coef, rtol=1e-6)
    np.testing.assert_allclose(shifted / y_scale, constant, rtol=1e-6)
