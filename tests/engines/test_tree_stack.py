"""Packed trees: each row reaches the same leaf as in each tree, and values are summed in the order of the trees."""

import copy
import pickle

import numpy as np
import pytest

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.trees.builder import RankedColumns, Sampling, grow
from learnable.engines.trees.growth_limits import TreeLimits
from learnable.engines.trees.regression_target import RegressionTarget
from learnable.engines.trees.tree_stack import TreeStack


def grow_tree(seed, n=300, p=4, leaves=0, missing=0.1, kinds=None):
    """A tree over columns with missing values; `kinds` marks the categorical ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    kinds = np.zeros(p, dtype=bool) if kinds is None else kinds
    X[:, kinds] = rng.integers(0, 90, (n, int(kinds.sum())))
    y = np.sin(X).sum(axis=1) + 0.1 * rng.normal(size=n)
    X[rng.random((n, p)) < missing] = np.nan
    sampling = Sampling.of(np.ones(n), np.zeros(1, dtype=np.uint64))
    limits = TreeLimits(max_leaf_nodes=leaves)
    return grow(RegressionTarget(y[:, None]), RankedColumns.of(X, kinds), sampling, limits).tree(0)


def rows(seed, n, p, dtype, kinds=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if kinds is not None:
        X[:, kinds] = rng.integers(-2, 140, (n, int(kinds.sum())))
    X[rng.random((n, p)) < 0.2] = np.nan
    X[rng.random((n, p)) < 0.02] = np.inf
    return X.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 7, 8, 33, 400])
@pytest.mark.parametrize("leaves", [2, 32, 33, 0])
def test_rows_reach_the_same_leaf_as_in_each_tree(leaves, n, dtype):
    kinds = np.array([False, False, False, True])
    for sets in (None, kinds):
        trees = [grow_tree(seed, leaves=leaves, kinds=sets) for seed in range(5)]
        X = rows(n, n, 4, dtype, sets)
        stack = TreeStack.of(trees)
        np.testing.assert_array_equal(stack.leaves(X), np.stack([tree.apply(X) for tree in trees], axis=1))
        expected = sum(tree.predict(X)[:, 0, 0] for tree in trees)
        np.testing.assert_array_equal(stack.sums(X)[:, 0], expected)
        np.testing.assert_array_equal(stack.sums(np.asfortranarray(X), 3, 2)[:, 0], trees[2].predict(X)[:, 0, 0])


def test_thresholds_are_never_rounded_past_a_value():
    tree = grow_tree(0, missing=0.0)
    X = np.repeat(tree.threshold[tree.feature >= 0][:, None], 4, axis=1).astype(np.float32)
    around = np.concatenate([X, np.nextafter(X, np.float32(9)), np.nextafter(X, np.float32(-9))])
    np.testing.assert_array_equal(TreeStack.of([tree]).leaves(around)[:, 0], tree.apply(around.astype(np.float64)))


def test_trees_add_to_their_outputs_and_vector_leaves_to_all():
    trees = [grow_tree(seed, leaves=9) for seed in range(6)]
    X = rows(0, 50, 4, np.float64)
    several = TreeStack.of(trees, [0, 1, 2, 0, 1, 2]).sums(X)
    for k in range(3):
        np.testing.assert_array_equal(several[:, k], trees[k].predict(X)[:, 0, 0] + trees[k + 3].predict(X)[:, 0, 0])
    model = learnable.DecisionTreeClassifier().fit(np.nan_to_num(X), np.arange(50) % 3)
    np.testing.assert_array_equal(TreeStack.of([model.tree_]).sums(X), model.tree_.predict(X)[:, 0])


def test_bits_do_not_depend_on_threads_or_copies():
    trees = [grow_tree(seed, leaves=leaves) for seed in range(20) for leaves in (12, 0)]
    X = rows(1, 3000, 4, np.float64)
    stack = TreeStack.of(trees)
    expected = stack.sums(X)
    for threads in (1, 2, 3):
        with learnable.threads(threads):
            np.testing.assert_array_equal(stack.sums(X), expected)
    for again in (pickle.loads(pickle.dumps(stack)), copy.deepcopy(stack)):
        np.testing.assert_array_equal(again.sums(X), expected)


def test_invalid_trees_are_rejected():
    stack = TreeStack.of([grow_tree(0, leaves=4)])
    X = rows(0, 10, 4, np.float64)
    for name, wrong in (("left", 99), ("left", 0), ("feature", -1)):
        broken = copy.deepcopy(stack)
        getattr(broken, name)[0] = wrong
        with pytest.raises(ValueError, match=r"node|circle|column"):
            broken.sums(X)
    with pytest.raises(ValueError, match="column"):
        stack.sums(X[:, :1])
    with pytest.raises(ValueError, match="trees"):
        stack.sums(X, 2)
    with pytest.raises(ValueError, match="begin"):
        kernels.TreeStack(stack.start[:1], *(getattr(stack, name) for name in list(vars(stack))[1:10]))
