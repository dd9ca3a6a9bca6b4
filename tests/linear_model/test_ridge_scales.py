"""Ridge regression of columns that differ in size by any factor, against solutions in rational numbers."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from learnable import (
    LinearRegression,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    effective_degrees_of_freedom,
    ridge_path,
)
from learnable.core import ConvergenceWarning
from learnable.engines.minimise.least_squares.refinement import refine_and_certify
from learnable.engines.minimise.least_squares.solve import least_squares
from learnable.engines.minimise.least_squares.symmetric_systems import UncheckedSolution
from learnable.engines.minimise.linear_fit import TOLERANCES
from learnable.engines.sufficient_statistics import Marginals

FACTORS = [1e-140, 1e9, 1e20, 1e120, 1e140, 1e160]
SHAPES = [(15, 4), (6, 8)]


def rational_ridge(X, y, alpha):
    """Coefficients and constant for one target, by elimination without rounding."""
    rows = [[Fraction(float(value)) for value in row] for row in X]
    target = [Fraction(float(value)) for value in y]
    means, mean = [sum(column) / len(y) for column in zip(*rows, strict=True)], sum(target) / len(y)
    columns = [
        [value - middle for value in column] for column, middle in zip(zip(*rows, strict=True), means, strict=True)
    ]
    system = [
        [sum(a * b for a, b in zip(first, second, strict=True)) for second in columns]
        + [sum(a * (b - mean) for a, b in zip(first, target, strict=True))]
        for first in columns
    ]
    for j in range(len(columns)):
        system[j][j] += Fraction(alpha)
    for j, row in enumerate(system):
        row[:] = [value / row[j] for value in row]
        for other in system:
            if other is not row:
                other[:] = [a - other[j] * b for a, b in zip(other, row, strict=True)]
    coef = [row[-1] for row in system]
    constant = mean - sum(a * b for a, b in zip(means, coef, strict=True))
    return np.array([float(value) for value in coef]), float(constant)


def problem(shape, factor):
    rng = np.random.default_rng(7)
    X = rng.normal(size=shape)
    y = X @ rng.normal(size=shape[1]) + rng.normal(size=shape[0])
    X[:, 1] *= factor
    return X, y


@pytest.mark.parametrize("solver", ["auto", "svd", "lsqr"])
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_column_of_another_size_changes_nothing_for_the_others(shape, factor, solver):
    X, y = problem(shape, factor)
    coef, constant = rational_ridge(X, y, 1.0)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ConvergenceWarning)
        model = Ridge(1.0, solver=solver).fit(X, y)
    assert model.certificate_.holds == (not warned) and all('set solver="auto"' in str(one.message) for one in warned)
    if solver == "auto" or model.certificate_.holds:
        np.testing.assert_allclose(model.coef_, coef, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, constant, rtol=1e-9)
    assert solver != "auto" or model.certificate_.holds


@pytest.mark.parametrize("factor", [1e20, 1e140])
@pytest.mark.parametrize("shape", SHAPES)
def test_sparse_data_and_an_alpha_per_target_agree(shape, factor):
    X, y = problem(shape, factor)
    targets, alphas = np.column_stack([y, y[::-1]]), [1.0, 30.0]
    requested = [rational_ridge(X, target, alpha)[0] for target, alpha in zip(targets.T, alphas, strict=True)]
    for data in (X, sparse.csr_array(X)):
        model = Ridge(alphas).fit(data, targets)
        np.testing.assert_allclose(model.coef_, requested, rtol=1e-9)
        assert model.certificate_.holds


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("shape", SHAPES)
def test_leaving_one_out_is_exact_for_columns_of_any_size(shape, factor):
    X, y = problem(shape, factor)
    alphas = [0.1, 10.0]
    model = RidgeCV(alphas, store_cv_results=True).fit(X, y)
    requested = np.array([[left_out(X, y, row, alpha) ** 2 for alpha in alphas] for row in range(len(y))])
    np.testing.assert_allclose(model.cv_results_, requested, rtol=1e-5)
    np.testing.assert_allclose(model.coef_, rational_ridge(X, y, model.alpha_)[0], rtol=1e-9)
    assert model.certificate_.holds


def left_out(X, y, row, alpha):
    coef, constant = rational_ridge(np.delete(X, row, 0), np.delete(y, row), alpha)
    return y[row] - sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(X[row], coef, strict=True)) - constant


@pytest.mark.parametrize("factor", [1e9, 1e140])
def test_folds_do_not_depend_on_the_size_of_a_column(factor):
    X, y = problem((15, 4), 1.0)
    large = X * np.array([1.0, factor, 1.0, 1.0])
    weak = [1e-14, 1e-13]  # felt by no column of either
    plain, scaled = (RidgeCV(weak, cv=3).fit(data, y) for data in (X, large))
    np.testing.assert_allclose(scaled.best_score_, plain.best_score_, rtol=1e-6)


@pytest.mark.parametrize("factor", [1e9, 1e140])
def test_ridge_classifiers_do_not_depend_on_the_size_of_a_column(factor):
    X, y = problem((15, 4), factor)
    labels = y > np.median(y)
    coef, constant = rational_ridge(X, np.where(labels, 1.0, -1.0), 1.0)
    for model in (RidgeClassifier(1.0), RidgeClassifierCV([1.0]), RidgeClassifierCV([1.0], cv=3)):
        model.fit(X, labels)
        np.testing.assert_allclose(model.coef_, coef, rtol=1e-9)
        np.testing.assert_allclose(model.intercept_[0], constant, rtol=1e-9)
        assert model.certificate_.holds


def test_ridge_path_does_not_depend_on_the_size_of_a_column():
    X, y = problem((15, 4), 1e120)
    _, coefs, _ = ridge_path(X, y, alphas=[1.0])
    np.testing.assert_allclose(coefs[:, 0], rational_ridge(X, y, 1.0)[0], rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("factor", [1e-10, 1e10])
def test_a_wrong_coefficient_of_a_small_column_is_detected(alpha, factor):
    X, y = problem((15, 4), factor)
    right = least_squares(X, y[:, None], None, True, alpha)
    small = 1 if factor < 1 else 0
    assert right.error < 1e-12
    for wrong in (0.0, 1.01):
        coef = right.coef.T * np.where(np.arange(4) == small, wrong, 1.0)[:, None]
        given = UncheckedSolution(coef, None, 4, 1.0, 4.0, "given", final=True)
        assert refine_and_certify(given, Marginals.of(X, y[:, None]), X, y[:, None], None, alpha).error > 1e-8


INTERPOLATED = {
    "far from zero": (1e6 + np.random.default_rng(0).normal(size=(5, 8)), 1e-12),
    "rows of every size": (np.random.default_rng(1).normal(size=(5, 8)) * 10.0 ** np.arange(0, 10, 2)[:, None], 1e-12),
    "columns of every size": (np.random.default_rng(2).normal(size=(5, 8)) * 10.0 ** np.linspace(-150, 150, 8), 1e-300),
}


@pytest.mark.parametrize("case", INTERPOLATED)
def test_only_right_solutions_are_certified_where_the_objective_is_rounding(case):
    X, alpha = INTERPOLATED[case]
    y = np.random.default_rng(3).normal(size=5)
    model = Ridge(alpha).fit(X, y)
    coef, _ = rational_ridge(X, y, alpha)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-6 * np.abs(coef).max())
    assert model.certificate_.holds
    assert model.certificate_.kind == "share of the target"
    unit = np.abs(X).max(axis=0)
    needed = np.argmax(np.abs(coef) * unit)
    for wrong in (0.0, 1 + 1e-6):
        given = UncheckedSolution(
            (model.coef_ * unit)[:, None] * np.where(np.arange(8) == needed, wrong, 1.0)[:, None],
            None,
            4,
            1.0,
            4.0,
            "given",
            final=True,
        )
        Z = X / unit
        fit = refine_and_certify(given, Marginals.of(Z, y[:, None]), Z, y[:, None], None, alpha / unit[:, None] ** 2)
        assert fit.error > TOLERANCES[fit.proof]


def test_coefficients_below_the_range_of_floats_are_rightly_zero():
    X, y = problem((6, 8), 1.0)
    model = Ridge(1e300).fit(1e-150 * X, y)
    assert not model.coef_.any()
    assert model.certificate_.holds


@pytest.mark.parametrize("factor", [1e20, 1e140])
def test_positive_coefficients_of_columns_of_any_size(factor):
    X, _ = problem((15, 4), factor)
    y = X @ ([1.0, 2.0 / factor, 0.5, 0.3]) + 0.01 * np.random.default_rng(0).normal(size=15)
    coef, _ = rational_ridge(X, y, 0.5)
    model = Ridge(0.5, positive=True).fit(X, y)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-9)
    assert model.certificate_.holds


def powers(rows, degree):
    """Powers of a number from 1 to 10: columns of different size that nearly are combinations of each other."""
    x = np.linspace(1, 10, rows)
    return np.vander(x, degree + 1)[:, :-1], np.sin(x)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("shape", [(8, 11), (11, 11), (14, 12)])
def test_powers_of_a_number_are_fitted(shape, alpha):
    X, y = powers(*shape)
    coef, constant = rational_ridge(X, y, alpha)
    requested = X @ coef + constant
    for solver in ("auto", "svd"):
        model = Ridge(alpha, solver=solver).fit(X, y)
        np.testing.assert_allclose(model.predict(X), requested, atol=1e-7)
        assert model.certificate_.value < 1e-6
    intercept, path = ridge_path(X, y, alphas=[alpha])[2], ridge_path(X, y, alphas=[alpha])[1]
    np.testing.assert_allclose(X @ path[:, 0] + intercept, requested, atol=1e-6)


@pytest.mark.parametrize("reach", [4, 8, 10, 12])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
@pytest.mark.parametrize("shape", [(4, 6), (8, 12)])
def test_columns_of_every_size_are_fitted(shape, offset, reach):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = (rng.normal(size=shape) + offset) * 10 ** np.linspace(0, reach, shape[1])
        y = rng.normal(size=shape[0])
        for alpha in (0.01, 1.0):
            coef, _ = rational_ridge(X, y, alpha)
            model = Ridge(alpha).fit(X, y)
            np.testing.assert_allclose((X - X.mean(axis=0)) @ (model.coef_ - coef), 0, atol=1e-6)


def test_right_solutions_of_wide_data_are_certified():
    rng = np.random.default_rng(0)
    X, y = rng.lognormal(6, 3, size=(60, 500)), rng.normal(size=60)
    assert all(Ridge(alpha).fit(X, y).certificate_.holds for alpha in (1e-3, 1.0, 1e3))
    assert Ridge(1e-10).fit(rng.normal(size=(20, 50)), y[:20]).certificate_.holds


@pytest.mark.parametrize("degree", [7, 9, 12])
def test_degrees_of_freedom_of_powers(degree):
    X, y = powers(14, degree)
    singular = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    freedom = 1 + float((singular**2 / (singular**2 + 1e-3)).sum())
    assert effective_degrees_of_freedom(Ridge(1e-3), X, y) == pytest.approx(freedom, rel=1e-6)
    assert effective_degrees_of_freedom(LinearRegression(), X, y) == degree + 1


@pytest.mark.parametrize("seed", range(6))
def test_columns_without_a_residual_are_certified_by_their_penalty(seed):
    rng = np.random.default_rng(seed)
    X, y, alpha = rng.normal(size=(4, 7)) * 10 ** np.linspace(0, 6, 7), rng.normal(size=4), 1e-4
    coef, _ = rational_ridge(X, y, alpha)
    model = Ridge(alpha).fit(X, y)
    assert np.linalg.norm(model.coef_ - coef) <= 1e-6 * np.linalg.norm(coef) or not model.certificate_.holds


@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "lsqr"])
@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e100])
def test_weights_of_any_size_beside_a_penalty(solver, size):
    X, y = problem((30, 4), 1.0)
    model = Ridge(1.0, solver=solver).fit(X, y, sample_weight=np.full(30, size))
    expected = size * (X - X.mean(axis=0)).T @ (y - y.mean()) if size < 1 else Ridge(0.0).fit(X, y).coef_
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-9)
    assert model.certificate_.holds
