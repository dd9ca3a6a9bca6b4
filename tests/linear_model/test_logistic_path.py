"""The path of an absolute penalty, where it begins, and the published table of heart disease."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import l1_min_c as reference

from learnable import LogisticRegression, l1_min_c, logistic_path
from learnable.core.errors import DataError, ParameterError


def sample(n=120, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] - X[:, 1] + rng.normal(size=n) > 0.3).astype(int)


def test_a_path_is_a_fit_at_each_strength():
    X, y = sample()
    _, coefs, intercepts = logistic_path(X, y, Cs=[3.0, 0.02, 0.3])
    for c, C in enumerate((3.0, 0.02, 0.3)):
        model = LogisticRegression(C=C, l1_ratio=1.0).fit(X, y)
        assert_allclose(coefs[:, c], model.coef_[0], atol=1e-4)
        assert intercepts[c] == pytest.approx(model.intercept_[0], abs=1e-4)


def test_it_begins_where_the_first_coefficient_leaves_zero():
    X, y = sample()
    Cs, coefs, _ = logistic_path(X, y, Cs=30)
    assert not coefs[:, 0].any()
    assert np.count_nonzero(LogisticRegression(C=1.001 * Cs[0], l1_ratio=1.0).fit(X, y).coef_) == 1
    assert np.count_nonzero(coefs[:, -1]) == 6


def test_wrong_input_is_refused():
    X, y = sample()
    with pytest.raises(ParameterError, match="above 0"):
        logistic_path(X, y, Cs=[0.0])
    with pytest.raises(ParameterError, match="two classes"):
        logistic_path(X, np.arange(len(y)) % 3)


@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_c_is_that_of_scikit_learn(loss, classes, fit_intercept):
    X, _ = sample()
    y = np.arange(len(X)) % classes
    options = {"loss": loss, "fit_intercept": fit_intercept, "intercept_scaling": 3.0}
    assert l1_min_c(X, y, **options) == pytest.approx(reference(X, y, **options))


def test_least_c_is_the_edge_for_liblinear():
    X, y = sample()
    edge = l1_min_c(X, y, loss="log")
    below = LogisticRegression(C=0.99 * edge, l1_ratio=1.0, solver="liblinear").fit(X, y)
    above = LogisticRegression(C=1.05 * edge, l1_ratio=1.0, solver="liblinear").fit(X, y)
    assert not below.coef_.any()
    assert above.coef_.any() or above.intercept_.any()


def test_least_c_of_columns_that_say_nothing_is_refused():
    with pytest.raises(DataError, match="no column"):
        l1_min_c([[0.0], [0.0]], [0, 1], fit_intercept=False)


def test_w26_heart_disease_table():
    """The data may not be shipped: the published table if a variable names their file, else one of that size."""
    if "SAHEART_CSV" in os.environ:
        check_heart_disease(Path(os.environ["SAHEART_CSV"]))
    else:
        check_table_of_that_size()


def check_table_of_that_size():
    import statsmodels.api as sm

    X, y = sample(n=462, p=7, seed=1)
    table = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y).summary().table
    reference = sm.Logit(y, sm.add_constant(X)).fit(disp=0)
    for ours, theirs in (("coef", reference.params), ("std_err", reference.bse), ("z", reference.tvalues)):
        assert_allclose(table[ours], theirs, rtol=1e-6)


def check_heart_disease(path):
    with path.open() as file:
        rows = list(csv.DictReader(file))
    names = ["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]
    X = [[float(row[name] == "Present") if name == "famhist" else float(row[name]) for name in names] for row in rows]
    table = LogisticRegression(C=np.inf).fit(X, [int(row["chd"]) for row in rows]).summary()
    coef = [-4.1296, 0.0058, 0.0795, 0.1848, 0.9392, -0.0345, 0.0006, 0.0425]
    error = [0.9642, 0.0056, 0.0262, 0.0574, 0.2249, 0.0291, 0.0045, 0.0102]
    z = [-4.2830, 1.0227, 3.0336, 3.2185, 4.1765, -1.1868, 0.1361, 4.1808]
    assert_allclose(table.table["coef"], coef, atol=6e-5)
    assert_allclose(table.table["std_err"], error, atol=6e-5)
    assert_allclose(table.table["z"], z, atol=6e-4)
    assert table.log_likelihood == pytest.approx(-241.587, abs=5e-4)
