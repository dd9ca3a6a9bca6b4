"""Minimum-norm solutions against rational arithmetic: columns differ in size by any factor."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from learnable import LinearRegression, Ridge


def product(first, second):
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*second, strict=True)] for row in first
    ]


def transposed(matrix):
    return [list(row) for row in zip(*matrix, strict=True)]


def reduced(matrix):
    """The rows of the reduced echelon form that are not zero, and the columns in which they begin."""
    rows, begins = [list(row) for row in matrix], []
    for column in range(len(rows[0])):
        top = len(begins)
        pivot = next((row for row in rows[top:] if row[column] != 0), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows.insert(top, [value / pivot[column] for value in pivot])
        for k, row in enumerate(rows):
            if k != top and row[column] != 0:
                rows[k] = [a - row[column] * b for a, b in zip(row, rows[top], strict=True)]
        begins.append(column)
    return rows[: len(begins)], begins


def solved(matrix, right):
    rows, _ = reduced([row + side for row, side in zip(matrix, right, strict=True)])
    return [row[len(matrix) :] for row in rows]


def smallest(X, y, centre):
    """With the centred data A = C F, independent columns C times rows F:  w = F'(F F')^-1 (C'C)^-1 C'y."""
    rows = [[Fraction(float(value)) for value in row] for row in X]
    target = [[Fraction(float(value))] for value in y]
    if centre:
        means = [sum(column) / len(y) for column in zip(*rows, strict=True)]
        rows = [[value - mean for value, mean in zip(row, means, strict=True)] for row in rows]
        middle = sum(value for (value,) in target) / len(y)
        target = [[value - middle] for (value,) in target]
    F, begins = reduced(rows)
    C = [[row[j] for j in begins] for row in rows]
    inner = solved(product(transposed(C), C), product(transposed(C), target))
    coef = product(transposed(F), solved(product(F, transposed(F)), inner))
    return [value for (value,) in coef]


def drawn(rows, columns, seed=0):
    """Numbers of few digits, so that sums and small multiples of them are exact."""
    return np.random.default_rng(seed).integers(-999, 1000, size=(rows, columns)) / 256.0


def dependent(factor):
    X = drawn(12, 3)
    return np.column_stack([X[:, 0], 3 * X[:, 0], X[:, 1], X[:, 2] * factor])


def beside(factor, count=1):
    X = drawn(5, 9)
    X[:, 9 - count :] *= factor
    return X


CASES = {
    "wide, a faint column that is not needed": beside(2.0**-415),
    "wide, a huge column": beside(2.0**530),
    "wide, faint columns that are needed": beside(2.0**-415, 7),
    "wide, columns of three sizes": beside(2.0**-400, 7) * np.r_[np.ones(6), np.full(3, 2.0**-300)],
    "wide, needed and in range": beside(2.0**-300, 7),
    "wide, every size": beside(1.0) * 2.0 ** np.linspace(330, 440, 9).round(),
    "tall, dependent beside a huge column": dependent(2.0**530),
    "tall, dependent beside a faint column": dependent(2.0**-300),
    "tall, dependent beside a small column": dependent(2.0**-40),
    "tall, dependent beside a very small column": dependent(2.0**-70),
}


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_the_minimum_norm_solution_in_the_units_given(case, centre):
    X, y = CASES[case], drawn(len(CASES[case]), 1, seed=1)[:, 0]
    exact = smallest(X, y, centre)
    size = np.array([float(value) for value in exact])
    for model in (
        LinearRegression(fit_intercept=centre).fit(X, y),
        LinearRegression(fit_intercept=centre).fit(sparse.csr_array(X), y),
        Ridge(0.0, fit_intercept=centre).fit(X, y),
    ):
        parts = (model.coef_ - size) / np.abs(size).max()
        assert np.abs(parts).max() < 1e-9
        fitted = (model.coef_ - size) * np.abs(X).max(axis=0)
        assert np.abs(fitted).max() < 1e-7 * np.abs(y).max()
        assert model.certificate_.holds


@pytest.mark.parametrize("offset", [1e6, 1e7])
def test_a_constant_column_beside_dependent_ones_far_from_zero(offset):
    A = offset + drawn(40, 3)
    X = np.column_stack([np.ones(40), A, A.sum(axis=1)])
    y = A[:, 0] - A[:, 1] + drawn(40, 1, seed=1)[:, 0] / 100
    exact = np.array([float(value) for value in smallest(X, y, False)])
    found = LinearRegression(fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(found.coef_, exact, rtol=1e-6, atol=1e-6)


def test_gaussian_features_that_vanish_are_ignored():
    rng = np.random.default_rng(0)
    X = np.exp(-(np.linspace(0, 40, 9) ** 2) / 2 * rng.uniform(0.9, 1.1, (5, 9)))
    y = rng.normal(size=5)
    exact = np.array([float(value) for value in smallest(X, y, True)])
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, exact, atol=1e-6 * np.abs(exact).max())
    assert (model.coef_[5:] == 0).all()


def test_many_faint_columns_that_are_needed_are_all_used():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(40, 3)), 1e-100 * rng.normal(size=(40, 60))])
    y = rng.normal(size=40)
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)
    assert model.rank_ == 39
    assert model.certificate_.holds


@pytest.mark.parametrize("seed", range(12))
def test_columns_of_many_sizes_some_of_which_depend_on_others(seed):
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(3, 9), rng.integers(4, 9)
    X = rng.integers(-99, 100, size=(rows, columns)) / 16.0
    X[:, -1], X[:, -2] = X[:, 0] + X[:, 1], 2 * X[:, 0]
    X = X * 2.0 ** rng.choice([0, 0, 0, 40, -40, 100, -100, -420, 450], size=columns)
    y = rng.integers(-99, 100, size=rows) / 16.0
    exact = np.array([float(value) for value in smallest(X, y, True)])
    model = LinearRegression().fit(X, y)
    assert np.abs(model.coef_ - exact).max() <= 1e-7 * np.abs(exact).max()
    assert (np.abs(model.coef_ - exact) * np.abs(X).max(axis=0)).max() <= 1e-6 * np.abs(y).max()
    assert model.certificate_.holds
