"""Targets of trees are kept in float64, whatever the precision of X."""

import numpy as np
import pytest

import learnable

X = np.array([[0.0], [1.0], [2.0]], dtype=np.float32)
EXACT = {
    "DecisionTreeRegressor": {},
    "ExtraTreeRegressor": {},
    "RandomForestRegressor": {"n_estimators": 3, "bootstrap": False},
    "ExtraTreesRegressor": {"n_estimators": 3},
    "GradientBoostingRegressor": {"n_estimators": 50, "learning_rate": 1.0},
    "HistGradientBoostingRegressor": {"min_samples_leaf": 1, "learning_rate": 1.0},
    "RegularizedBoostingRegressor": {"learning_rate": 1.0, "reg_lambda": 0.0, "min_child_weight": 0.0},
    "AdaBoostRegressor": {"random_state": 0},
    "BaggingRegressor": {"n_estimators": 2, "bootstrap": False},
    "AdditiveModel": {},
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("y", [[16777217.0, 1.0, 2.0], [1e150, 3e150, 1e150]])
def test_float32_rows_have_float64_targets(name, y):
    predicted = getattr(learnable, name)(**EXACT[name]).fit(X, y).predict(X)
    assert predicted.dtype == np.float64
    np.testing.assert_allclose(predicted, y, rtol=1e-9)
