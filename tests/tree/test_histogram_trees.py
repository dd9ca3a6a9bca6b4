"""Histogram splits: the exact trees of binned columns, and of the columns where every value has its own bin."""

import numpy as np
import pytest
import sklearn.tree as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.core import ParameterError
from learnable.ensemble import RandomForestClassifier, RandomForestRegressor
from learnable.tree import DecisionTreeClassifier, DecisionTreeRegressor

KINDS = ["gini", "entropy", "squared_error", "friedman_mse", "absolute_error", "poisson"]


def table(seed, n, steps, missing=0.0):
    """Rounded rows, and targets of all kinds with integer weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X @ rng.normal(size=3) + rng.normal(size=n)
    X = np.round(X * steps) / steps
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, rng.integers(1, 4, n).astype(float)


def fitted(kind, X, y, weight, **settings):
    """A fitted tree of a kind, and its targets."""
    if kind in ("gini", "entropy"):
        return DecisionTreeClassifier(criterion=kind, **settings).fit(X, np.digitize(y, [-0.5, 0.7]), weight)
    return DecisionTreeRegressor(criterion=kind, **settings).fit(X, np.exp(y) if kind == "poisson" else y, weight)


def assert_same_splits(one, other):
    """Two trees split the same rows in the same way."""
    np.testing.assert_array_equal(one.tree_.feature, other.tree_.feature)
    np.testing.assert_array_equal(one.tree_.n_node_samples, other.tree_.n_node_samples)
    np.testing.assert_allclose(one.tree_.value, other.tree_.value, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6)
@given(seed=st.integers(0, 10_000), missing=st.sampled_from([0.0, 0.2]), fewest=st.sampled_from([1, 7]))
def test_one_bin_per_value_gives_the_exact_tree(kind, seed, missing, fewest):
    X, y, weight = table(seed, 400, 4, missing)
    limits = {"max_depth": 5, "min_samples_leaf": fewest}
    binned = fitted(kind, X, y, weight, splits="histogram", **limits)
    assert_same_splits(binned, fitted(kind, X, y, weight, **limits))
    counts = np.asarray(binned.decision_path(X).sum(axis=0)).ravel()
    np.testing.assert_array_equal(counts, binned.tree_.n_node_samples)


def in_bins(X, most):
    """Distinct values replaced by the index of their equal-frequency bin."""
    return (X.argsort(axis=0).argsort(axis=0) * most // len(X)).astype(float)


@pytest.mark.parametrize("kind", ["gini", "squared_error", "poisson"])
@pytest.mark.parametrize("most", [8, 300])
def test_few_bins_give_the_exact_tree_of_binned_columns(kind, most):
    X, y, _ = table(0, 1500, 1e9)
    binned = fitted(kind, X, y, None, splits="histogram", max_bins=most, max_depth=7, min_samples_leaf=3)
    assert_same_splits(binned, fitted(kind, in_bins(X, most), y, None, max_depth=7, min_samples_leaf=3))


def test_weights_are_copies_in_bins():
    X, y, weight = table(3, 500, 1e9)
    often = np.repeat(np.arange(500), weight.astype(int))
    for make in (DecisionTreeRegressor, lambda **more: RandomForestRegressor(5, random_state=0, **more)):
        one = make(splits="histogram", max_bins=20, max_depth=6).fit(X, y, weight)
        other = make(splits="histogram", max_bins=20, max_depth=6).fit(X[often], y[often])
        np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9)


def test_categories_and_monotonic_constraints_with_bins():
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.integers(0, 300, 3000), rng.normal(size=3000)]).astype(float)
    y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=3000)
    options = {"categorical_features": [0], "max_depth": 6}
    binned = DecisionTreeRegressor(splits="histogram", **options).fit(X, y)
    np.testing.assert_allclose(binned.score(X, y), DecisionTreeRegressor(**options).fit(X, y).score(X, y), atol=5e-3)
    rising = DecisionTreeRegressor(splits="histogram", monotonic_cst=[0, 1], max_depth=8).fit(X, y)
    line = np.column_stack([np.full(200, 7.0), np.linspace(-3, 3, 200)])
    assert (np.diff(rising.predict(line)) >= 0).all()


@pytest.mark.parametrize("splits", ["exact", "histogram"])
def test_large_trees_have_the_same_bits_on_any_number_of_threads(splits):
    X, y, weight = table(5, 6000, 1e9)
    X[:, 2] = np.digitize(X[:, 2], np.arange(-2, 2, 0.5))
    grown = []
    for threads in (1, 3):
        with learnable.threads(threads):
            options = {"splits": splits, "categorical_features": [2]}
            grown.append(DecisionTreeRegressor(**options).fit(X, y, weight).tree_)
    for part in ("children_left", "children_right", "feature", "threshold", "value", "set_start", "set_words"):
        np.testing.assert_array_equal(getattr(grown[0], part), getattr(grown[1], part))


def test_large_trees_agree_with_scikit_learn():
    X, y, weight = table(6, 6000, 1e9)
    limits = {"max_depth": 9, "min_samples_leaf": 15}
    ours = DecisionTreeRegressor(**limits).fit(X, y, weight).tree_
    peer = theirs.DecisionTreeRegressor(random_state=0, **limits).fit(X, y, weight).tree_
    np.testing.assert_array_equal(ours.children_left, peer.children_left)
    np.testing.assert_array_equal(ours.children_right, peer.children_right)
    np.testing.assert_array_equal(ours.feature, peer.feature)
    np.testing.assert_allclose(ours.threshold, peer.threshold, rtol=1e-6)


def test_histogram_forests_are_as_accurate():
    X, y, _ = table(7, 3000, 1e9)
    exact, binned = (
        RandomForestClassifier(30, random_state=0, splits=splits, max_bins=64).fit(X[:2000], y[:2000] > 0)
        for splits in ("exact", "histogram")
    )
    assert binned.score(X[2000:], y[2000:] > 0) > exact.score(X[2000:], y[2000:] > 0) - 0.02
    assert binned.estimators_[0].splits == "histogram"


def test_random_thresholds_need_exact_splits():
    with pytest.raises(ParameterError, match="not from bins"):
        DecisionTreeClassifier(splitter="random", splits="histogram").fit([[0.0], [1.0]], [0, 1])
