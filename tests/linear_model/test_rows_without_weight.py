"""A row of weight zero is ignored: it may hold any number, however large."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import learnable.linear_model as linear_model

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 3)) + 1
Y = np.abs(X @ [1.0, 2.0, -1.0] + RNG.normal(size=24)) + 0.1
NAMES = [
    "LinearRegression", "Ridge", "Lasso", "ElasticNet", "Lars", "LassoLars", "LassoLarsIC", "OrthogonalMatchingPursuit",
    "BayesianRidge", "ARDRegression", "HuberRegressor", "QuantileRegressor", "PoissonRegressor", "TweedieRegressor",
    "StudentTRegressor", "LogCoshRegressor", "PrincipalComponentRegression", "StagewiseRegressor",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_a_row_of_weight_zero_may_hold_any_number(name, size):
    weight = (np.arange(24) % 4 > 0).astype(float)
    others = np.where(weight[:, None] > 0, X, size)
    model = getattr(linear_model, name)().fit(others, np.where(weight > 0, Y, size), sample_weight=weight)
    alone = getattr(linear_model, name)().fit(X[weight > 0], Y[weight > 0])
    assert_allclose(model.predict(X), alone.predict(X), rtol=1e-7)
