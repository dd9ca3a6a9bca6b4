"""Partial dependence of sums of trees without rows is that of rows, wherever columns are independent."""

import itertools

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.inspection

import learnable
from learnable import partial_dependence


def crossed():
    """Every combination of a few values of three columns: these are independent."""
    X = np.array(list(itertools.product(range(4), range(3), range(3))), dtype=float)
    return X, X[:, 0] * X[:, 1] - X[:, 2] ** 2 + 20 + 0.1 * np.random.default_rng(0).normal(size=len(X))


@pytest.mark.parametrize(
    "name", ["GradientBoosting", "HistGradientBoosting", "RegularizedBoosting", "RandomForest", "ExtraTrees"]
)
@pytest.mark.parametrize("kind", ["Regressor", "Classifier"])
@pytest.mark.parametrize("columns", [[0], [2, 0]])
def test_both_methods_agree_and_start_with_the_intercept(name, kind, columns):
    X, y = crossed()
    model = getattr(learnable, name + kind)(random_state=0)
    few = {"min_samples_leaf": 2} if "Hist" in name else {"bootstrap": False} if "Random" in name else {}
    model.set_params(**{"max_iter" if "Hist" in name else "n_estimators": 6}, **few)
    how = {} if kind == "Regressor" else {"response_method": "decision_function"}
    model.fit(X, y if kind == "Regressor" else y > 20)
    if kind == "Classifier" and not hasattr(model, "decision_function"):
        with pytest.raises(learnable.ParameterError, match="'recursion' needs a sum of trees"):
            partial_dependence(model, X, columns, method="recursion")
        return
    by_rows, by_nodes, by_itself = (
        partial_dependence(model, X, columns, method=way, **how).average for way in ("brute", "recursion", "auto")
    )
    np.testing.assert_allclose(by_nodes, by_rows, atol=1e-12)
    np.testing.assert_array_equal(by_itself, by_nodes)


def test_the_recursion_of_scikit_learn_is_lower_by_the_constant():
    X, y = crossed()
    ours = learnable.GradientBoostingRegressor(n_estimators=6).fit(X, y)
    other = sklearn.ensemble.GradientBoostingRegressor(n_estimators=6).fit(X, y)
    theirs = sklearn.inspection.partial_dependence(other, X, [0, 2], method="recursion").average
    found = partial_dependence(ours, X, [0, 2]).average
    np.testing.assert_allclose(found - theirs, ours.baseline_[0], rtol=1e-12)
