"""Coefficient tables of several classes against statsmodels, and of what has no such table."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from learnable import LogisticRegression, LogisticRegressionCV, load, save


def several_classes(n=300, p=4, classes=3, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 50.0
    z = (X - 50) @ rng.normal(size=(p, classes)) + rng.gumbel(size=(n, classes))
    return X, np.array(["low", "mid", "top"])[z.argmax(axis=1)], rng.integers(1, 4, n)


@pytest.mark.parametrize("intercept", [True, False])
def test_classes_are_compared_with_the_first_as_in_statsmodels(intercept):
    import statsmodels.api as sm

    X, y, _ = several_classes()
    table = LogisticRegression(C=np.inf, tol=1e-9, fit_intercept=intercept).fit(X, y).summary()
    code = np.searchsorted(["low", "mid", "top"], y)
    reference = sm.MNLogit(code, sm.add_constant(X) if intercept else X).fit(disp=0, maxiter=200)
    assert_allclose(table.table["coef"], reference.params.T.ravel(), rtol=1e-6)
    assert_allclose(table.table["std_err"], reference.bse.T.ravel(), rtol=1e-6)
    assert_allclose(table.table["p"], reference.pvalues.T.ravel(), rtol=1e-5, atol=1e-12)
    assert table.log_likelihood == pytest.approx(reference.llf, rel=1e-10)
    assert table.aic == pytest.approx(reference.aic, rel=1e-10)
    assert table.bic == pytest.approx(reference.bic, rel=1e-10)
    if intercept:
        assert table.null_log_likelihood == pytest.approx(reference.llnull, rel=1e-6)
        assert table.table["name"][:2] == ["mid: const", "mid: x0"]
    assert "log-odds of each class against low" in str(table)


def test_weights_are_copies_in_the_table(tmp_path):
    X, y, count = several_classes()
    weighted = LogisticRegression(C=np.inf, tol=1e-9).fit(X, y, sample_weight=count)
    copied = LogisticRegression(C=np.inf, tol=1e-9).fit(np.repeat(X, count, axis=0), np.repeat(y, count)).summary()
    assert_allclose(weighted.summary().table["std_err"], copied.table["std_err"], rtol=1e-9)
    assert weighted.summary().bic == pytest.approx(copied.bic)
    save(weighted, tmp_path / "model")
    assert str(load(tmp_path / "model").summary()) == str(weighted.summary())


@pytest.mark.parametrize("solver", ["lbfgs", "liblinear"])
def test_one_versus_rest_is_a_table_of_two_classes(solver):
    X, y, _ = several_classes()
    several = LogisticRegression(C=np.inf, tol=1e-9, strategy="ovr", solver=solver).fit(X, y).summary()
    alone = LogisticRegression(C=np.inf, tol=1e-9, solver=solver).fit(X, y == "mid").summary()
    for column in ("coef", "std_err", "odds_ratio"):
        assert_allclose(np.asarray(several.table[column])[5:10], alone.table[column], rtol=1e-5)
    assert "against the rest" in str(several)


def test_a_constant_column_repeated_columns_and_a_penalty_have_no_standard_errors():
    X, y, _ = several_classes()
    one = LogisticRegression(C=np.inf, tol=1e-9).fit(np.column_stack([X, np.ones(len(X))]), y).summary()
    assert np.isnan(one.table["std_err"]).tolist() == ([False] * 5 + [True]) * 2
    assert "mid: x4, top: x4" in str(one)
    assert one.bic == pytest.approx(LogisticRegression(C=np.inf, tol=1e-9).fit(X, y).summary().bic)
    twice = LogisticRegression(C=np.inf).fit(np.column_stack([X, X[:, 0]]), y).summary()
    assert "not independent" in str(twice) and "std_err" not in twice.table
    assert twice.bic == pytest.approx(one.bic, rel=1e-6), "the second copy identifies no coefficient"
    doubled, single = (
        LogisticRegression(C=np.inf, tol=1e-9).fit(table, y == y[0]).summary()
        for table in (np.column_stack([X, X[:, 0] - X[:, 1], np.ones(len(X))]), X)
    )
    assert (doubled.aic, doubled.bic) == pytest.approx((single.aic, single.bic), rel=1e-6)
    for model in (LogisticRegression(), LogisticRegressionCV(Cs=2, cv=2)):
        shrunk = model.fit(X - 50, y).summary()
        assert "shrunk" in str(shrunk) and len(shrunk.table["coef"]) == 10


def test_numbers_of_very_many_digits_are_written_with_a_power_of_ten():
    X, y, _ = several_classes()
    table = LogisticRegression(C=1e4).fit(X, y).summary()
    assert max(len(line) for line in str(table).splitlines()) < 120
