"""Least squares and ridge regression against exact rational solutions, where double precision is at its limit."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from learnable import LinearRegression, Ridge, RidgeCV, ridge_path
from learnable.core import ConvergenceWarning
from learnable.engines.minimise.least_squares import select_solver
from learnable.engines.minimise.least_squares.solve import least_squares
from tests.references.exact import dot, solve


class Exact:
    """The solution for one target, with an intercept: coefficients, intercept, objective and leave-one-out errors."""

    def __init__(self, X, y, alpha):
        self.rows, self.target = [[Fraction(float(v)) for v in row] for row in X], [Fraction(float(v)) for v in y]
        means = [sum(column) / len(y) for column in zip(*self.rows, strict=True)]
        mean, self.alpha = sum(self.target) / len(y), Fraction(alpha)
        centred = [[a - b for a, b in zip(row, means, strict=True)] for row in self.rows]
        columns, rest = list(zip(*centred, strict=True)), [value - mean for value in self.target]
        gram = [[dot(a, b) + self.alpha * (a is b) for b in columns] for a in columns]
        solved = solve(gram, [[dot(a, rest), *a] for a in columns])
        self.w = [row[0] for row in solved]
        self.b = mean - dot(means, self.w)
        self.coef, self.constant = np.array(self.w, dtype=float), float(self.b)
        kept = [
            1 - Fraction(1, len(y)) - dot(row, (s[1 + i] for s in solved)) for i, row in enumerate(centred)
        ]  # what is left of a row when it is predicted by all others, too
        residuals = (value - dot(row, self.w) for row, value in zip(centred, rest, strict=True))
        self.left_out = np.array([float(r / k) for r, k in zip(residuals, kept, strict=True)])

    def excess(self, coef, constant):
        """The share of the objective that these coefficients leave to be saved."""
        best = self._objective(self.w, self.b)
        given = self._objective([Fraction(float(v)) for v in coef], Fraction(float(constant)))
        return float(given / best - 1)

    def _objective(self, w, b):
        squares = (value - dot(row, w) - b for row, value in zip(self.rows, self.target, strict=True))
        return sum(r * r for r in squares) + self.alpha * dot(w, w)


def normal(rows, columns, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, X @ rng.normal(size=columns) + rng.normal(size=rows)


@pytest.mark.parametrize("reach", [0, 9])
@pytest.mark.parametrize("alpha", [1e-12, 1e-6, 1.0])
@pytest.mark.parametrize("shape", [(6, 6), (5, 8)])
def test_leave_one_out_of_wide_data_for_any_alpha(shape, alpha, reach):
    X, y = normal(*shape)
    X *= 10 ** np.linspace(0, reach, shape[1])
    found = RidgeCV([alpha], store_cv_results=True).fit(X, y).cv_results_[:, 0]
    np.testing.assert_allclose(found, Exact(X, y, alpha).left_out ** 2, rtol=1e-8)


def one_row_far_off(size):
    X, y = normal(10, 2)
    X[0] = size
    return X, y


def one_row_of_its_kind():
    X, y = normal(12, 3)
    X[:, 0] = np.arange(12) == 4
    return X, y


@pytest.mark.parametrize(
    ("data", "alpha", "precision"),
    [
        ((1e7 * normal(6, 5)[0], normal(6, 5)[1]), 0.1, 1e-9),
        (one_row_far_off(1e5), 1.0, 1e-9),
        (one_row_far_off(1e8), 1.0, 1e-5),
        (one_row_of_its_kind(), 1e-14, 1e-9),
        (normal(6, 5), 1e-13, 1e-9),
        ((one_row_far_off(1e7)[0][:, :1], normal(10, 2)[1]), 10.0, 1e-7),
        ((one_row_far_off(1e7)[0][:, [0, 0]], normal(10, 2)[1]), 0.1, 1e-6),
        ((one_row_far_off(1e7)[0][:, [0, 1, 1]], normal(10, 2)[1]), 1e-20, 1e-6),
    ],
)
def test_rows_that_decide_their_own_fit_are_left_out_too(data, alpha, precision):
    X, y = data
    found = RidgeCV([alpha], store_cv_results=True).fit(X, y).cv_results_[:, 0]
    expected = Exact(X, y, alpha).left_out ** 2
    np.testing.assert_allclose(found, expected, rtol=precision)
    np.testing.assert_allclose(RidgeCV([alpha]).fit(X, y).best_score_, -expected.mean(), rtol=precision)


@pytest.mark.parametrize("size", [1e9, 1e11])
@pytest.mark.parametrize("weights", [None, [1, 2, 1, 1, 3, 1, 1, 1, 1, 1]])
def test_such_rows_are_left_out_of_data_too_large_to_copy(monkeypatch, size, weights):
    X, y = normal(10, 2)
    X[0, 0], X[4, 1] = size, 30 * size
    rows = np.repeat(np.arange(10), 1 if weights is None else weights)
    first = np.unique(rows, return_index=True)[1]
    expected = Exact(X[rows], y[rows], 1.0).left_out[first] ** 2
    monkeypatch.setattr(select_solver, "MAX_CELLS_COPIED", 0)
    model = RidgeCV([1.0], store_cv_results=True).fit(X, y, weights)
    np.testing.assert_allclose(model.cv_results_[:, 0], expected, rtol=1e-6, atol=1e-20)
    score = RidgeCV([1.0]).fit(X, y, weights).best_score_
    np.testing.assert_allclose(score, -np.average(expected, weights=weights), rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6, 1e9])
def test_columns_that_depend_on_each_other_do_so_far_from_zero(offset):
    X, y = normal(300, 3)
    X = X + offset
    found = LinearRegression().fit(np.c_[X, X.sum(axis=1)], y)
    assert found.rank_ == 3
    plain = LinearRegression().fit(X, y).coef_
    np.testing.assert_allclose(found.coef_[:3] + found.coef_[3], plain, rtol=1e-5)
    assert np.abs(found.coef_).max() < 2 * np.abs(plain).max()


@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_so_they_do_where_there_are_more_columns_than_rows(offset):
    X, y = normal(10, 2)
    X = X + offset
    wide = np.hstack([X, 3 * X, X / 7, X * 0.3048, X / 9.81, X * 1.1, X.sum(axis=1, keepdims=True)])
    found = LinearRegression().fit(wide, y)
    assert found.rank_ == 2 and np.abs(found.coef_).max() < 10
    np.testing.assert_allclose(found.predict(wide), LinearRegression().fit(X, y).predict(X), rtol=1e-6)


@pytest.mark.parametrize("size", [1e-8, 1e-20, 1e-40])
@pytest.mark.parametrize("alpha", [0.0, 1e-300])
def test_no_certificate_holds_where_a_column_that_is_needed_was_lost(alpha, size):
    columns, y = normal(6, 3)
    a, b, c = columns.T
    X = np.c_[a, 2 * a, a - b, b, 3 * b, a + b, 2 * a + b, c * size]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ConvergenceWarning)
        found = Ridge(alpha).fit(X, y) if alpha else LinearRegression().fit(X, y)
    assert found.certificate_.holds == (not warned)
    off = np.abs(found.predict(X) - LinearRegression().fit(columns, y).predict(columns)).max()
    assert off < 1e-6 or not found.certificate_.holds


@pytest.mark.parametrize("power", [-500, 500])
@pytest.mark.parametrize("columns", [[0, 1, 2, 3, 4, 5, 6, 7], [0, 0, 1]])
def test_the_minimum_norm_solution_is_so_in_any_unit(columns, power):
    X, y = normal(5 if len(columns) > 5 else 20, 8)
    X = X[:, columns] * (1 + np.arange(len(columns)))
    found = LinearRegression().fit(X * 2.0**power, y).coef_ * 2.0**power
    np.testing.assert_allclose(found, LinearRegression().fit(X, y).coef_, rtol=1e-9)


@pytest.mark.parametrize("alpha", [1e-6, 1.0])
@pytest.mark.parametrize("shape", [(12, 4), (6, 6), (5, 8)])
def test_columns_far_from_zero_are_fitted_as_those_near_it(shape, alpha):
    X, y = normal(*shape)
    for offset in (1e6, 1e8):
        far = X + offset
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # no constant is accurate enough for some
            model, requested = Ridge(alpha).fit(far, y), Exact(far, y, alpha)
        np.testing.assert_allclose(model.coef_, requested.coef, rtol=1e-11)
        np.testing.assert_allclose(ridge_path(far, y, alphas=[alpha])[1][:, 0], requested.coef, rtol=1e-8)
        assert model.certificate_.holds or requested.excess(model.coef_, model.intercept_) > 1e-12


@pytest.mark.parametrize("value", [1.0, 1e8, 1e12])
@pytest.mark.parametrize("alpha", [0.0, 1e-6, 1.0])
@pytest.mark.parametrize("shape", [(12, 4), (6, 6), (5, 8)])
def test_a_column_that_does_not_vary_takes_nothing(shape, alpha, value):
    X, y = normal(*shape)
    X[:, 1] = value
    model = (Ridge(alpha) if alpha else LinearRegression()).fit(X, y)
    without = (Ridge(alpha) if alpha else LinearRegression()).fit(np.delete(X, 1, axis=1), y)
    assert abs(model.coef_[1]) * value < 1e-12
    np.testing.assert_allclose(np.delete(model.coef_, 1), without.coef_, rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, without.intercept_, rtol=1e-10)
    assert model.certificate_.holds


@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("shape", [(14, 5), (14, 9), (14, 12), (11, 11), (8, 11)])
def test_certificates_of_polynomials_hold_if_the_solution_is_right(shape, alpha):
    x = np.linspace(1, 10, shape[0])
    X, y = np.vander(x, shape[1] + 1)[:, :-1], np.sin(x)
    model = Ridge(alpha).fit(X, y)
    assert Exact(X, y, alpha).excess(model.coef_, model.intercept_) < 1e-10
    assert model.certificate_.holds


def test_degrees_of_freedom_of_repeated_columns_beside_a_penalised_one():
    rng = np.random.default_rng(0)
    large, small = rng.normal(size=(2, 12))
    X = np.column_stack([1e12 * large, 1e12 * large, 1e-3 * small])
    rest = X[:, 2] - X[:, 2].mean()
    along = large - large.mean()
    rest = rest - along * (along @ rest) / (along @ along)
    fit = least_squares(X, rng.normal(size=(12, 1)), None, True, 1e-6)
    assert fit.freedom == pytest.approx(1 + rest @ rest / (rest @ rest + 1e-6), rel=1e-6)


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_solutions_of_large_sparse_data_are_as_accurate_and_certified(monkeypatch, factor, alpha):
    monkeypatch.setattr(select_solver, "MAX_GRAM", 5)
    rng = np.random.default_rng(0)
    X = sparse.random_array((40, 12), density=0.3, rng=rng, format="csr") * factor
    y = X @ rng.normal(size=12) / factor + rng.normal(size=40)
    for rows in (40, 10):
        model, requested = Ridge(alpha).fit(X[:rows], y[:rows]), Exact(X[:rows].toarray(), y[:rows], alpha)
        assert model.method_ == "lsmr" and model.certificate_.holds
        assert np.linalg.norm(model.coef_ - requested.coef) < 1e-8 * np.linalg.norm(requested.coef)


@pytest.mark.parametrize("size", [1e-10, 1e-20, 1e-100])
@pytest.mark.parametrize("alpha", [1e-12, 1.0])
def test_positive_coefficients_of_small_columns_are_not_lost(size, alpha):
    """Columns that are orthogonal but for rounding, each with its own solution x'y / (x'x + alpha)."""
    X = np.linalg.qr(np.column_stack([np.ones(15), normal(15, 3)[0]]))[0][:, 1:]
    y = X @ [1.0, 2.0, 0.5]
    X[:, 1] *= size
    model = Ridge(alpha, positive=True).fit(X, y)
    requested = [1 / (1 + alpha), 2 * size / (size**2 + alpha), 0.5 / (1 + alpha)]
    np.testing.assert_allclose(model.coef_, requested, rtol=1e-7)
    assert model.certificate_.holds


@pytest.mark.parametrize("years", [np.arange(2000.0, 2011.0), np.linspace(1990.0, 2020.0, 40)])
def test_powers_of_years_are_not_taken_for_dependent(years):
    y = np.sin(years / 3)
    found = LinearRegression().fit(np.stack([years**k for k in range(1, 5)], axis=1), y)
    near = np.polynomial.Polynomial.fit(years, y, 4)(years)
    assert found.rank_ == 4
    assert ((found.predict(np.stack([years**k for k in range(1, 5)], axis=1)) - near) ** 2).sum() < 1e-4 * (
        near**2
    ).sum()
