"""Values that are missing only at prediction follow the child with more weight."""

import numpy as np
import pytest
import sklearn.tree

from learnable.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

MODELS = [
    DecisionTreeRegressor(max_depth=5),
    DecisionTreeRegressor(max_depth=5, criterion="absolute_error"),
    DecisionTreeRegressor(max_depth=5, splits="histogram"),
    DecisionTreeRegressor(max_depth=5, categorical_features=[0]),
    DecisionTreeRegressor(max_depth=5, monotonic_cst=[0, 1, 0]),
    DecisionTreeClassifier(max_depth=5),
    DecisionTreeClassifier(max_depth=5, criterion="entropy"),
    ExtraTreeRegressor(max_depth=5, random_state=0),
]


def table(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (n, 3)).astype(float)
    y = np.round(X[:, 0] * X[:, 1] + rng.normal(size=n) * 5) % 7
    empty = np.where(rng.random((400, 3)) < 0.5, np.nan, rng.integers(0, 9, (400, 3)))
    return X, y, rng.integers(0, 6, n), empty


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_integer_weights_are_copies_for_values_missing_at_prediction(model, seed):
    X, y, copies, empty = table(seed)
    weighted = model.clone().fit(X, y, sample_weight=copies.astype(float))
    repeated = model.clone().fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_array_equal(weighted.tree_.missing_go_to_left, repeated.tree_.missing_go_to_left)
    np.testing.assert_allclose(weighted.predict(empty), repeated.predict(empty), rtol=1e-12)


def test_without_weights_missing_values_follow_the_larger_child_as_in_scikit_learn():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 3)).astype(np.float32).astype(float), rng.normal(size=100)
    ours, other = DecisionTreeRegressor().fit(X, y), sklearn.tree.DecisionTreeRegressor(random_state=0).fit(X, y)
    inner = other.tree_.children_left >= 0
    same = inner & (ours.tree_.feature == other.tree_.feature)
    assert same.sum() > 50
    sides = [
        other.tree_.n_node_samples[children[same]]
        for children in (other.tree_.children_left, other.tree_.children_right)
    ]
    np.testing.assert_array_equal(ours.tree_.missing_go_to_left[same], sides[0] > sides[1])
