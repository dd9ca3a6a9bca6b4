"""The path of an absolute penalty, where it begins, and the published table of heart disease."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression as SkLogistic
from sklearn.svm import l1_min_c as reference

from learnable import LogisticRegression, l1_min_c, logistic_path
from learnable.core.errors import DataError, ParameterError
from tests import references


def sample(n=120, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] - X[:, 1] + rng.normal(size=n) > 0.3).astype(int)


def test_a_path_is_a_fit_at_each_C():
    X, y = sample()
    _, coefs, intercepts = logistic_path(X, y, Cs=[3.0, 0.02, 0.3])
    for c, C in enumerate((3.0, 0.02, 0.3)):
        model = LogisticRegression(C=C, l1_ratio=1.0).fit(X, y)
        assert_allclose(coefs[:, c], model.coef_[0], atol=1e-4)
        assert intercepts[c] == pytest.approx(model.intercept_[0], abs=1e-4)


def test_the_path_starts_where_the_first_coefficient_leaves_zero():
    X, y = sample()
    Cs, coefs, _ = logistic_path(X, y, Cs=30)
    assert not coefs[:, 0].any()
    assert np.count_nonzero(LogisticRegression(C=1.001 * Cs[0], l1_ratio=1.0).fit(X, y).coef_) == 1
    assert np.count_nonzero(coefs[:, -1]) == 6


def test_wrong_input_is_refused():
    X, y = sample()
    with pytest.raises(ParameterError, match="above 0"):
        logistic_path(X, y, Cs=[0.0])
    for wrong in ({"l1_ratio": 5.0}, {"tol": -1.0}, {"max_iter": 0}, {"Cs": 0}, {"Cs": -3}, {"Cs": []}, {"Cs": 2.5}):
        with pytest.raises(ParameterError, match=f"logistic_path: {next(iter(wrong))} must be"):
            logistic_path(X, y, **wrong)
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
    X, y, names = references.heart_disease()
    used = [names.index(name) for name in ("sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age")]
    assert (X.shape, y.sum()) == ((462, 9), 160)
    summary = LogisticRegression(C=np.inf).fit(X[:, used], y).summary()
    coef = [-4.1296, 0.0058, 0.0795, 0.1848, 0.9392, -0.0345, 0.0006, 0.0425]
    error = [0.9642, 0.0056, 0.0262, 0.0574, 0.2249, 0.0291, 0.0045, 0.0102]
    z = [-4.283, 1.023, 3.034, 3.218, 4.177, -1.187, 0.136, 4.181]
    assert_allclose(summary.table["coef"], coef, atol=6e-5)
    assert_allclose(summary.table["std_err"], error, atol=6e-5)
    assert_allclose(summary.table["z"], z, atol=6e-4)
    assert summary.log_likelihood == pytest.approx(-241.587, abs=5e-4)


@pytest.mark.parametrize("seed", [1, 13, 23])
def test_a_penalty_that_leaves_one_column_is_solved_to_the_end(seed):
    """The model of a step may look solved while its constant and weight are still far off."""
    rng = np.random.default_rng(seed)
    y = (rng.random(150) < 0.2).astype(int)
    X = rng.normal(size=(150, 12))
    X[:, 0] -= 2 * y
    X[:, 1] += 1.5 * y
    model = LogisticRegression(l1_ratio=1.0, C=0.03).fit(X, y)
    assert model.certificate_.holds and model.trace_.stopped == "converged"
    theirs = SkLogistic(l1_ratio=1.0, C=0.03, solver="saga", tol=1e-8, max_iter=20_000).fit(X, y)
    assert_allclose(model.coef_, theirs.coef_, atol=1e-5)
