"""A target of one column: predictions have the shape of scikit-learn's."""

import numpy as np
import pytest
import sklearn.linear_model as theirs

import learnable.linear_model as ours

NAMES = ["Lars", "Lasso", "LassoLars", "LinearRegression", "OrthogonalMatchingPursuit", "Ridge", "RidgeCV"]


@pytest.mark.parametrize("name", NAMES)
def test_predictions_have_the_shape_of_scikit_learns(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, :1] + 0.1 * rng.normal(size=(40, 1))
    mine, their = getattr(ours, name)().fit(X, y), getattr(theirs, name)().fit(X, y)
    assert mine.predict(X).shape == their.predict(X).shape
    assert mine.coef_.shape == their.coef_.shape
    assert np.isfinite(mine.score(X, y))
