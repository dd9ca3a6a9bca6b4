"""Paths of columns that differ in size by any factor: every condition of optimality, computed from scratch."""

import numpy as np
import pytest

from learnable import Lars, LarsCV, Lasso, LassoLars, LassoLarsCV, LassoLarsIC, OrthogonalMatchingPursuit, lars_path

FACTORS = [1e-100, 1e-13, 1e12, 1e14, 1e20, 1e140]
SHAPES = [(40, 6), (8, 12)]


def problem(shape, factor, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape)
    y = X @ rng.normal(size=shape[1]) + rng.normal(size=shape[0])
    X[:, 1] *= factor
    return X, y


def breach(X, y, coef, alpha):
    """By how much a lasso's conditions are broken, for each column relative to its length times that of the target."""
    X, y = X.astype(np.longdouble), y.astype(np.longdouble)
    X, y = X - X.mean(axis=0), y - y.mean()
    product = X.T @ (y - X @ coef.astype(np.longdouble)) / len(y)
    off = np.where(coef == 0, np.maximum(np.abs(product) - alpha, 0), np.abs(product - alpha * np.sign(coef)))
    lengths = np.sqrt((X**2).sum(axis=0)) * np.sqrt((y**2).sum()) / len(y)
    return float((off / lengths).max())


@pytest.mark.parametrize("precompute", [False, True])
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_knot_of_a_lasso_path_is_optimal(shape, factor, precompute):
    for seed in range(2):
        X, y = problem(shape, factor, seed)
        model = LassoLars(alpha=1e-3, precompute=precompute).fit(X, y)
        assert model.certificate_.holds
        assert model.alphas_[-1] == pytest.approx(1e-3, rel=1e-12)
        for alpha, coef in zip(model.alphas_, model.coef_path_.T, strict=True):
            assert breach(X, y, coef, alpha) < 1e-11


@pytest.mark.parametrize("factor", [1e-13, 1e13])
def test_the_end_is_that_of_coordinate_descent(factor):
    X, y = problem((40, 6), factor)
    other = Lasso(alpha=1e-3, tol=1e-13, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(LassoLars(alpha=1e-3).fit(X, y).coef_, other.coef_, rtol=1e-6)


@pytest.mark.parametrize("factor", FACTORS)
def test_the_last_knot_with_all_columns_is_least_squares(factor):
    X, y = problem((40, 6), factor)
    plain = np.linalg.lstsq(np.column_stack([X / ([1, factor] + 4 * [1]), np.ones(40)]), y)[0][:6]
    requested = plain / ([1, factor] + 4 * [1])
    for model in (Lars(n_nonzero_coefs=6), LassoLars(alpha=0.0), OrthogonalMatchingPursuit(n_nonzero_coefs=6)):
        model.fit(X, y)
        np.testing.assert_allclose(model.coef_, requested, rtol=1e-9)
        assert model.certificate_.holds
    _, active, coefs = lars_path(X - X.mean(axis=0), y - y.mean())
    assert len(active) == 6
    np.testing.assert_allclose(coefs[:, -1], requested, rtol=1e-6)


@pytest.mark.parametrize("factor", [1e13, 1e100])
def test_choosing_a_knot_goes_down_the_whole_path(factor):
    X, y = problem((40, 6), factor)
    chosen = LassoLarsIC().fit(X, y)
    assert chosen.alphas_[-1] == 0
    assert breach(X, y, chosen.coef_, chosen.alpha_) < 1e-11
    for cls in (LarsCV, LassoLarsCV):
        model = cls(cv=3).fit(X, y)
        assert model.certificate_.holds
        assert model.score(X, y) > 0.8


def test_positive_coefficients_stay_so_on_a_column_of_any_size():
    for factor in FACTORS:
        X, y = problem((40, 6), factor)
        model = LassoLars(alpha=1e-3, positive=True).fit(X, y)
        assert (model.coef_ >= 0).all() and model.certificate_.holds


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e300, 1e306])
@pytest.mark.parametrize("gram", [True, False])
def test_a_path_does_not_depend_on_the_unit_of_weights(size, gram):
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(20, 3)), rng.normal(size=20), rng.integers(1, 4, 20).astype(float)
    plain = lars_path(X, y, Gram=gram, method="lasso", sample_weight=weight)
    other = lars_path(X, y, Gram=gram, method="lasso", sample_weight=size * weight)
    assert plain[1] == other[1]
    for one, two in zip(plain[::2], other[::2], strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-10, atol=1e-14)
