"""Two classes with unit weights are counted in integers: the same trees as with a weight of two."""

import numpy as np
import pytest

from learnable.ensemble import ExtraTreesClassifier
from learnable.tree import DecisionTreeClassifier, ExtraTreeClassifier

KINDS = [
    (DecisionTreeClassifier, {}),
    (DecisionTreeClassifier, {"splits": "histogram"}),
    (DecisionTreeClassifier, {"max_features": 2, "max_depth": 4}),
    (DecisionTreeClassifier, {"max_leaf_nodes": 9}),
    (ExtraTreeClassifier, {}),
    (ExtraTreeClassifier, {"max_features": None, "min_samples_leaf": 3}),
    (ExtraTreesClassifier, {"n_estimators": 3, "max_features": 5}),
]


def table(seed, rows, dtype, missing):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, 6)).round(seed % 3).astype(dtype)
    y = (X[:, 0] + X[:, 1] ** 2 + draws.normal(size=rows) > 0.5).astype(int)
    y[:2] = 0, 1
    if missing:
        X[draws.random(X.shape) < 0.1] = np.nan
    return X, y


def trees_of(model):
    return [tree.tree_ for tree in getattr(model, "estimators_", [model])]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("missing", [False, True])
def test_the_same_trees_as_with_a_weight_of_two(kind, dtype, missing):
    make, options = kind
    for seed, rows in enumerate((2, 3, 7, 40, 300, 1500)):
        X, y = table(seed, rows, dtype, missing)
        one = trees_of(make(random_state=seed, **options).fit(X, y))
        two = trees_of(make(random_state=seed, **options).fit(X, y, sample_weight=np.full(rows, 2.0)))
        assert len(one) == len(two)
        for found, expected in zip(one, two, strict=True):
            for part in (
                "children_left",
                "children_right",
                "feature",
                "threshold",
                "n_node_samples",
                "impurity",
                "value",
            ):
                assert np.array_equal(getattr(found, part), getattr(expected, part)), part
            assert np.array_equal(2 * found.weighted_n_node_samples, expected.weighted_n_node_samples)


def test_thresholds_between_two_adjacent_floats():
    """A row goes left if its value is at most the threshold, also if that lies between two adjacent floats."""
    draws = np.random.default_rng(0)
    step = np.spacing(np.float32(1))
    X = np.float32(1) + draws.integers(0, 4, (64, 4)).astype(np.float32) * step
    y = draws.integers(0, 2, 64)
    tree = ExtraTreeClassifier(random_state=0, max_features=None).fit(X, y).tree_
    for node in np.flatnonzero(tree.children_left >= 0):
        rows = tree.decision_path(X)[:, [node]].toarray()[:, 0] > 0
        left = X[rows, tree.feature[node]].astype(np.float64) <= tree.threshold[node]
        assert left.sum() == tree.n_node_samples[tree.children_left[node]]
