"""Weighted least squares: its formula, another program, and what its weights mean."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.sparse import csr_array

from learnable import DataError, LinearRegression, WeightedLeastSquares

RNG = np.random.default_rng(5)
X = RNG.standard_normal((40, 3))
V = RNG.uniform(0.1, 9.0, 40)
Y = X @ [1.0, -2.0, 0.5] + 3 + np.sqrt(V) * RNG.standard_normal(40)


def test_it_is_its_formula():
    """argmin (y - Xb)'W(y - Xb) = (X'WX)^-1 X'Wy (LIN-27)."""
    expected = np.linalg.solve(X.T / V @ X, X.T / V @ Y)
    model = WeightedLeastSquares(fit_intercept=False).fit(X, Y, variance=V)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-10)


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200])
def test_the_table_is_that_of_statsmodels_in_any_unit_of_the_variance(unit):
    other = sm.WLS(Y, sm.add_constant(X), weights=1 / V).fit()
    summary = WeightedLeastSquares().fit(X, Y, variance=V * unit).summary()
    np.testing.assert_allclose(summary.table["coef"], other.params, rtol=1e-10)
    np.testing.assert_allclose(summary.table["std_err"], other.bse, rtol=1e-10)
    np.testing.assert_allclose(summary.table["p"], other.pvalues, rtol=1e-8)
    np.testing.assert_allclose([summary.r_squared, summary.f], [other.rsquared, other.fvalue], rtol=1e-9)
    np.testing.assert_allclose([summary.log_likelihood, summary.aic], [other.llf, other.aic], rtol=1e-10)


def test_sample_weights_count_rows_beside_the_variance():
    count = RNG.integers(0, 4, 40)
    rows = np.repeat(np.arange(40), count)
    weighted = WeightedLeastSquares().fit(X, Y, sample_weight=count, variance=V)
    copied = WeightedLeastSquares().fit(X[rows], Y[rows], variance=V[rows])
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-10)
    np.testing.assert_allclose(weighted.summary().table["std_err"], copied.summary().table["std_err"], rtol=1e-10)
    assert weighted.summary().log_likelihood == pytest.approx(copied.summary().log_likelihood)


def test_without_variances_it_is_least_squares_and_sparse_data_do():
    np.testing.assert_array_equal(WeightedLeastSquares().fit(X, Y).coef_, LinearRegression().fit(X, Y).coef_)
    sparse = WeightedLeastSquares().fit(csr_array(X), Y, variance=V)
    np.testing.assert_allclose(sparse.coef_, WeightedLeastSquares().fit(X, Y, variance=V).coef_, rtol=1e-10)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan])
def test_a_variance_that_is_none_is_refused_by_row(bad):
    with pytest.raises(DataError, match=r"WeightedLeastSquares: .*row 3"):
        WeightedLeastSquares().fit(X, Y, variance=np.where(np.arange(40) == 3, bad, V))
    with pytest.raises(DataError, match="WeightedLeastSquares"):
        WeightedLeastSquares().fit(X, Y, variance=V[:5])
