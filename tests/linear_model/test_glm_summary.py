"""The coefficient tables of generalised linear models against those of statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import sparse

from learnable.core import NotFittedError
from learnable.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor

from .test_glm import amounts, counts

LOG = sm.families.links.Log


@pytest.mark.parametrize(
    "model, data, family",
    [
        (PoissonRegressor(alpha=0), counts(), sm.families.Poisson()),
        (PoissonRegressor(alpha=0, fit_intercept=False), counts(), sm.families.Poisson()),
        (GammaRegressor(alpha=0), amounts(), sm.families.Gamma(LOG())),
        (TweedieRegressor(alpha=0), amounts(), sm.families.Gaussian()),
        (TweedieRegressor(power=1.5, alpha=0), amounts(), sm.families.Tweedie(LOG(), 1.5)),
        (TweedieRegressor(power=3, alpha=0), amounts(), sm.families.InverseGaussian(LOG())),
    ],
)
@pytest.mark.parametrize("weighted", [True, False])
def test_the_table_is_that_of_statsmodels(model, data, family, weighted):
    X, y, weight = data
    weight = weight if weighted else None
    design = sm.add_constant(X) if model.fit_intercept else X
    theirs = sm.GLM(y, design, family, freq_weights=weight).fit(tol=1e-13, maxiter=300)
    ours = model.clone().set_params(tol=1e-6).fit(X, y, weight).summary(level=0.9)
    low, high = theirs.conf_int(0.1).T
    for column, requested in (
        ("coef", theirs.params), ("std_err", theirs.bse), ("z", theirs.tvalues), ("p", theirs.pvalues),
        ("low", low), ("high", high),
    ):  # fmt: skip
        np.testing.assert_allclose(ours.table[column], requested, rtol=1e-5, atol=1e-7)
    assert ours.deviance == pytest.approx(theirs.deviance, rel=1e-7)
    assert ours.pearson_chi2 == pytest.approx(theirs.pearson_chi2, rel=1e-5)
    assert ours.dispersion == pytest.approx(theirs.scale, rel=1e-5)
    assert ours.degrees_of_freedom == theirs.df_resid
    if model.fit_intercept:
        assert ours.null_deviance == pytest.approx(theirs.null_deviance, rel=1e-7)
    if isinstance(family, (sm.families.Poisson, sm.families.Gamma)):
        assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-8)
        assert ours.aic == pytest.approx(theirs.aic, rel=1e-8)
        assert ours.bic == pytest.approx(theirs.bic_llf, rel=1e-2 if weighted else 1e-8)


def test_the_gaussian_family_is_least_squares():
    X, y, _ = amounts()
    ours, theirs = TweedieRegressor(alpha=0).fit(X, y).summary(), sm.OLS(y, sm.add_constant(X)).fit()
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-10)
    assert ours.d_squared == pytest.approx(theirs.rsquared, rel=1e-9)


def test_a_penalised_fit_says_that_p_values_do_not_apply():
    X, y, _ = counts()
    summary = PoissonRegressor().fit(X, y).summary()
    assert set(summary.table) == {"name", "coef"}
    assert "do not apply" in str(summary) and "do not apply" in summary._repr_html_()


def test_columns_that_are_not_independent_have_no_standard_errors():
    X, y, _ = counts()
    summary = PoissonRegressor(alpha=0).fit(np.column_stack([X, X[:, 0]]), y).summary()
    assert "std_err" not in summary.table and "not independent" in str(summary)
    once = PoissonRegressor(alpha=0).fit(X, y).summary()
    assert summary.degrees_of_freedom == once.degrees_of_freedom
    assert (summary.aic, summary.bic) == pytest.approx((once.aic, once.bic), rel=1e-6)


def test_only_the_column_that_does_not_vary_lacks_a_standard_error():
    X, y, _ = counts()
    still = np.insert(X, 1, 3.0, axis=1)
    summary, without = (PoissonRegressor(alpha=0, tol=1e-8).fit(each, y).summary() for each in (still, X))
    varying = [place for place in range(len(summary.table["coef"])) if place != 2]
    np.testing.assert_allclose(summary.table["std_err"][varying], without.table["std_err"], rtol=1e-8)
    assert np.isnan(summary.table["std_err"][2]) and summary.aic == pytest.approx(without.aic)
    assert "because constant: x1." in str(summary)


def test_it_prints_in_the_form_of_the_course_and_needs_a_fit():
    X, y, _ = counts()
    text = str(PoissonRegressor(alpha=0).fit(X, y).summary())
    assert "P>|z|" in text and "[0.025" in text and "null deviance" in text
    with pytest.raises(NotFittedError):
        PoissonRegressor().summary()


def test_the_table_of_sparse_columns_far_from_zero_is_that_of_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = rng.poisson(np.exp(0.3 * X[:, 0] + 0.5 * X[:, 1]))
    X[:, 1] += 1e7
    model = PoissonRegressor(alpha=0, tol=1e-8)
    ours, requested = model.fit(sparse.csr_array(X), y).summary(), model.clone().fit(X, y).summary()
    np.testing.assert_allclose(ours.table["std_err"], requested.table["std_err"], rtol=1e-6)
    assert ours.aic == pytest.approx(requested.aic)
