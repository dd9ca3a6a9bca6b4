"""Parameters that are counts or fractions accept numbers of any type and size, also beyond those of compiled code."""

import numpy as np
import pytest

from learnable import ParameterError
from learnable.ensemble import (
    BaggingRegressor,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestRegressor,
    RegularizedBoostingRegressor,
)
from learnable.inspection import permutation_importance
from learnable.model_selection import cross_val_score
from learnable.preprocessing import OneHotEncoder
from learnable.tree import DecisionTreeClassifier, DecisionTreeRegressor, ObliqueTreeClassifier

X = np.random.default_rng(0).normal(size=(100, 4))
y = X[:, 0] + X[:, 1] ** 2


@pytest.mark.parametrize("share", [np.float16, np.float32, np.float64])
def test_fractions_in_any_precision(share):
    half = share(0.5)
    assert DecisionTreeRegressor(max_features=half).fit(X, y).max_features_ == 2
    assert DecisionTreeRegressor(min_samples_leaf=half).fit(X, y).get_n_leaves() == 2
    assert len(RandomForestRegressor(2, max_samples=half).fit(X, y).estimators_samples_[0]) == 50
    assert len(BaggingRegressor(max_samples=half).fit(X, y).estimators_samples_[0]) == 50
    assert IsolationForest(n_estimators=2, max_samples=half).fit(X).max_samples_ == 50
    tree = DecisionTreeRegressor(max_depth=2).fit(X, y)
    few = permutation_importance(tree, X, y, max_samples=half, random_state=0, n_repeats=2)
    same = permutation_importance(tree, X, y, max_samples=0.5, random_state=0, n_repeats=2)
    np.testing.assert_array_equal(few.importances, same.importances)


@pytest.mark.parametrize("whole", [int, np.int32, np.uint64])
def test_integers_of_any_type(whole):
    model = HistGradientBoostingRegressor(early_stopping=True, random_state=0, max_iter=3)
    held = [model.set_params(validation_fraction=n).fit(X, y).validation_score_ for n in (whole(10), 0.1)]
    np.testing.assert_array_equal(*held)
    words = np.array([["a"], ["a"], ["b"]])
    assert OneHotEncoder(min_frequency=whole(2)).fit(words).infrequent_categories_[0].tolist() == ["b"]
    classes = np.repeat([0, 1, 2], [34, 33, 33])
    scores = [cross_val_score(DecisionTreeClassifier(random_state=0), X, classes, cv=k) for k in (3, whole(3))]
    np.testing.assert_array_equal(*scores)


HUGE = 2**63 - 1  # the largest that a parameter may be
LIMITS = [
    (DecisionTreeRegressor(max_depth=HUGE), DecisionTreeRegressor()),
    (DecisionTreeRegressor(max_leaf_nodes=HUGE), DecisionTreeRegressor(max_leaf_nodes=10**6)),
    (DecisionTreeRegressor(min_samples_leaf=HUGE), DecisionTreeRegressor(min_samples_leaf=100)),
    (DecisionTreeRegressor(min_samples_split=HUGE), DecisionTreeRegressor(min_samples_split=101)),
    (ObliqueTreeClassifier(max_depth=HUGE), ObliqueTreeClassifier()),
    (RandomForestRegressor(2, max_depth=HUGE, random_state=0), RandomForestRegressor(2, random_state=0)),
    (
        RandomForestRegressor(2, top_features=HUGE, random_state=0),
        RandomForestRegressor(2, top_features=4, random_state=0),
    ),
    (
        HistGradientBoostingRegressor(max_depth=HUGE, max_leaf_nodes=HUGE),
        HistGradientBoostingRegressor(max_leaf_nodes=None),
    ),
    (RegularizedBoostingRegressor(max_depth=HUGE, max_leaves=HUGE), RegularizedBoostingRegressor(max_depth=None)),
]


@pytest.mark.parametrize(("huge", "without"), LIMITS, ids=lambda model: type(model).__name__)
def test_limits_beyond_all_rows_have_no_effect(huge, without):
    target = y > 1 if isinstance(huge, ObliqueTreeClassifier) else y
    np.testing.assert_array_equal(huge.fit(X, target).predict(X), without.fit(X, target).predict(X))


@pytest.mark.parametrize("ensemble", [RandomForestRegressor, BaggingRegressor])
def test_too_many_draws_are_rejected(ensemble):
    with pytest.raises(ParameterError, match="max_samples must be"):
        ensemble(max_samples=2**53 + 1).fit(X, y)  # larger counts are not exact in floats
