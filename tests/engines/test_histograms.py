"""Histogram trees: every split is optimal by brute force, however its sums were computed."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.trees.boosting import TrainingSet, compute_grad_hess
from learnable.engines.trees.feature_bundles import bundle_features
from learnable.engines.trees.growth_limits import TreeLimits
from learnable.engines.trees.histograms import Bins, HistogramConfig, histogram_grower, tree_from_arrays
from learnable.parts.losses import Logistic, Multinomial, Squared


def grow_tree(X, grad_hess, config, *, categories=None, most=255, rows=None, copies=None, counted=False, shared=None):
    """A tree grown from gradients and Hessians, its arrays and its grower."""
    known = np.arange(len(X), dtype=np.uint32)
    bins = Bins.of(X, known, None, most, categories or [0] * X.shape[1], 0)
    table = bins.table(X, None if shared is None else bundle_features(bins, X, known, shared))
    found = histogram_grower(table, config, grad_hess.dtype == np.float32)
    return (
        tree_from_arrays(tree := found.grow(grad_hess, rows, copies, counted, 0), tree["value"], config.l2),
        tree,
        found,
    )


def table(seed, n=40, missing=0.0):
    """Two columns with few values, a categorical one, gradients and Hessians, and counts of copies."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.round(rng.normal(size=(n, 2)) * 2), rng.integers(0, 5, n)])
    X[rng.random((n, 3)) < missing] = np.nan
    copies = rng.integers(1, 3, n).astype(float)
    grad_hess = np.column_stack([rng.normal(size=n), rng.uniform(0.1, 1.0, n)]) * copies[:, None]
    return X, grad_hess, copies


def gain_of(grad_hess, config):
    """Twice the loss reduction of the best leaf value of some rows."""
    gradient, curvature = grad_hess.sum(axis=0)
    pull = max(abs(gradient) - config.l1, 0.0)
    return pull**2 / (curvature + config.l2)


def best_gain(X, grad_hess, copies, config):
    """The best gain of any split of the rows: by a threshold, or by any subset of categories."""
    best = -np.inf
    for j, column in enumerate(X.T):
        gone, values = np.isnan(column), np.unique(column[~np.isnan(column)])
        if j < 2:
            sides = [column <= cut for cut in values]
        else:
            sizes = range(1, len(values) + 1)
            sides = [np.isin(column, some) for size in sizes for some in itertools.combinations(values, size)]
        for side, left in itertools.product(sides, (False, True)):
            side = side | (gone & left)
            enough = min(copies[side].sum(), copies[~side].sum()) >= config.limits.min_samples_leaf
            if enough and min(grad_hess[side, 1].sum(), grad_hess[~side, 1].sum()) >= config.limits.min_weight_leaf:
                best = max(best, gain_of(grad_hess[side], config) + gain_of(grad_hess[~side], config))
    return best


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    missing=st.sampled_from([0.0, 0.2]),
    fewest=st.sampled_from([1.0, 5.0]),
    l1=st.sampled_from([0.0, 0.3]),
    l2=st.sampled_from([0.0, 1.0]),
)
def test_every_split_is_optimal(seed, missing, fewest, l1, l2):
    X, grad_hess, copies = table(seed, missing=missing)
    # Ordering categories by gradient over Hessian is optimal for leaves without penalty and of any size.
    used = 3 if l1 == l2 == 0 and fewest == 1 else 2
    X = X[:, :used]
    config = HistogramConfig(
        TreeLimits(3, min_samples_leaf=fewest, min_weight_leaf=1e-3), l1=l1, l2=l2, category_smoothing=0.0
    )
    tree, found, _ = grow_tree(X, grad_hess, config, categories=[0, 0, 5][:used], copies=copies)
    way = tree.decision_path(X).toarray().astype(bool)
    for node in range(tree.node_count):
        here = way[:, node]
        own = gain_of(grad_hess[here], config)
        assert found["gradient"][node] == pytest.approx(grad_hess[here, 0].sum(), abs=1e-12)
        best = best_gain(X[here], grad_hess[here], copies[here], config)
        if tree.children_left[node] >= 0:
            sides = [way[:, child] for child in (tree.children_left[node], tree.children_right[node])]
            assert min(copies[side].sum() for side in sides) >= fewest
            assert sum(gain_of(grad_hess[side], config) for side in sides) == pytest.approx(best, abs=1e-9)
            assert found["gain"][node] == pytest.approx((best - own) / 2, abs=1e-9)
        else:
            deep = way[here].sum(axis=1).max() == 4
            assert deep or best <= own + 1e-9
            value = -np.sign(grad_hess[here, 0].sum()) * np.sqrt(own / (grad_hess[here, 1].sum() + l2))
            assert tree.value[node, 0, 0] == pytest.approx(value, abs=1e-9)


def test_best_first_growth():
    X, grad_hess, _ = table(3, n=300)
    config = HistogramConfig(TreeLimits(max_leaf_nodes=6, min_samples_leaf=5.0))
    tree, found, _ = grow_tree(X[:, :2], grad_hess, config)
    assert tree.n_leaves == 6
    whole, every, _ = grow_tree(X[:, :2], grad_hess, HistogramConfig(TreeLimits(min_samples_leaf=5.0)))
    frontier, taken = {0}, []
    for _ in range(5):
        node = max(frontier, key=lambda k: (every["gain"][k], -k))
        frontier |= {int(whole.children_left[node]), int(whole.children_right[node])}
        frontier -= {node}
        taken.append(every["gain"][node])
    np.testing.assert_allclose(np.sort(found["gain"])[-5:], np.sort(taken))


def test_depthwise_growth_and_post_pruning():
    X, grad_hess, _ = table(4, n=200)
    by_level, found, _ = grow_tree(X[:, :2], grad_hess, HistogramConfig(TreeLimits(4), by_level=True, l2=1.0))
    depth = by_level.depth()
    assert (np.diff(depth) >= 0).all(), "nodes are numbered level by level"
    min_gain = float(np.median(found["gain"][found["gain"] > 0]))
    pruned, after, _ = grow_tree(X[:, :2], grad_hess, HistogramConfig(TreeLimits(4), l2=1.0, prune_gain=min_gain))
    stopped, before, _ = grow_tree(X[:, :2], grad_hess, HistogramConfig(TreeLimits(4, min_gain=min_gain), l2=1.0))
    assert stopped.n_leaves <= pruned.n_leaves < by_level.n_leaves
    inner = np.flatnonzero(pruned.children_left >= 0)
    both_leaves = (pruned.children_left[pruned.children_left[inner]] < 0) & (
        pruned.children_left[pruned.children_right[inner]] < 0
    )
    assert (after["gain"][inner[both_leaves]] > min_gain).all() and (
        before["gain"][before["left"] >= 0] > min_gain
    ).all()
    np.testing.assert_allclose(pruned.predict(X).sum(), (after["value"] * after["rows"])[after["left"] < 0].sum())


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), n=st.integers(300, 2000), most=st.sampled_from([8, 128]), copied=st.booleans())
def test_bins_end_at_quantiles(seed, n, most, copied):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 1))
    rows, weight = np.arange(n, dtype=np.uint32), rng.integers(1, 4, n).astype(float) if copied else None
    edges = Bins.of(X, rows, weight, most, [0], 0).edges[0]
    values = X[:, 0] if weight is None else np.repeat(X[:, 0], weight.astype(int))
    shares = np.arange(1, most) / most  # exact for powers of two, so that NumPy finds the same quantiles
    expected = np.unique(np.quantile(values, shares, method="averaged_inverted_cdf"))
    np.testing.assert_allclose(edges, expected[expected < values.max()], rtol=1e-12)
    few = Bins.of(np.round(X), rows, weight, 255, [0], 0).edges[0]
    levels = np.unique(np.round(X))
    np.testing.assert_allclose(few, (levels[1:] + levels[:-1]) / 2)


def test_entries_are_in_the_bin_of_their_value():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    bins = Bins.of(X, np.arange(5000, dtype=np.uint32), None, 255, [0, 0, 0], 0)
    stored = bins.table(X)
    for j, edges in enumerate(bins.edges):
        expected = np.where(np.isnan(X[:, j]), len(edges) + 1, np.searchsorted(edges, X[:, j].astype(np.float64)))
        np.testing.assert_array_equal(stored.column(j), expected)
    assert stored.has_missing() == [True] * 3


def large(n=70_000):
    """Many numeric rows, with gradients that depend on them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    X[:, 3] = np.round(X[:, 3])
    y = X[:, 0] * X[:, 1] + X[:, 3] + rng.normal(size=n)
    return X, np.column_stack([-y, np.ones(n)])


def test_single_precision_changes_little_and_threads_change_nothing():
    X, grad_hess = large()
    config = HistogramConfig(TreeLimits(max_leaf_nodes=12, min_samples_leaf=20.0))
    wide, _, _ = grow_tree(X, grad_hess, config, counted=True)
    seen = []
    for count in (1, 2, 3):
        with learnable.threads(count):
            narrow, found, kept = grow_tree(X, grad_hess.astype(np.float32), config, counted=True)
            score = np.zeros(len(X))
            kept.add(found["value"], score)
            seen.append(b"".join(found[name].tobytes() for name in sorted(found)) + score.tobytes())
    assert seen[0] == seen[1] == seen[2]
    np.testing.assert_array_equal(narrow.feature, wide.feature)
    np.testing.assert_array_equal(narrow.threshold, wide.threshold)
    np.testing.assert_allclose(narrow.value, wide.value, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(score, narrow.predict(X)[:, 0, 0])
    elsewhere = np.zeros(len(X))
    kept.add_elsewhere(found["value"], None, elsewhere)
    np.testing.assert_array_equal(elsewhere, score)


def test_more_than_256_bins():
    X, grad_hess = large(3000)
    config = HistogramConfig(TreeLimits(max_leaf_nodes=8, min_samples_leaf=20.0))
    tree, _, _ = grow_tree(X, grad_hess, config, most=5000, counted=True)
    exact = learnable.DecisionTreeRegressor(max_leaf_nodes=8, min_samples_leaf=20).fit(X, -grad_hess[:, 0]).tree_
    np.testing.assert_allclose(np.sort(tree.value[tree.children_left < 0].ravel()),
                               np.sort(exact.value[exact.children_left < 0].ravel()))  # fmt: skip
    codes = np.random.default_rng(1).integers(0, 700, (3000, 1)).astype(float)
    many, _, kept = grow_tree(codes, grad_hess, config, categories=[700], counted=True)
    score = np.zeros(3000)
    kept.add(many.value[:, 0, 0].copy(), score)
    np.testing.assert_array_equal(score, many.predict(codes)[:, 0, 0])
    assert many.n_leaves == 8


def test_bundles_change_no_tree():
    rng = np.random.default_rng(2)
    n, groups = 2000, 4
    X = np.zeros((n, 3 * groups))
    for group in range(groups):
        X[np.arange(n), 3 * group + rng.integers(0, 3, n)] = rng.integers(1, 6, n)
    grad_hess = np.column_stack([-(X[:, 0] - X[:, 4] + rng.normal(size=n)), rng.uniform(0.5, 1, n)])
    config = HistogramConfig(TreeLimits(max_leaf_nodes=15, min_samples_leaf=10.0))
    alone, _, _ = grow_tree(X, grad_hess, config)
    together, found, kept = grow_tree(X, grad_hess, config, shared=0.0)
    assert [len(b) for b in bundle_features(Bins.of(X, np.arange(n, dtype=np.uint32), None, 255, [0] * 12, 0), X,
                                    np.arange(n, dtype=np.uint32), 0.0)] == [3] * 4  # fmt: skip
    for name in ("children_left", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(together, name), getattr(alone, name))
    score = np.zeros(n)
    kept.add_elsewhere(found["value"], None, score)
    np.testing.assert_array_equal(score, together.predict(X)[:, 0, 0])


def test_interaction_constraints_hold():
    X, grad_hess = large(4000)
    config = HistogramConfig(
        TreeLimits(max_leaf_nodes=31, min_samples_leaf=20.0), interaction_groups=[[0, 1], [2, 3, 4]]
    )
    tree, _, _ = grow_tree(X, grad_hess, config, counted=True)
    way = tree.decision_path(X).toarray().astype(bool)
    met = {frozenset(tree.feature[row & (tree.children_left >= 0)].tolist()) for row in way}
    assert all(one <= {0, 1} or one <= {2, 3, 4} for one in met)


@given(seed=st.integers(0, 1000), direction=st.sampled_from([1, -1]))
@settings(max_examples=10)
def test_values_satisfy_monotonic_constraints(seed, direction):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 2))
    grad_hess = np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=400), np.ones(400)])
    config = HistogramConfig(TreeLimits(max_leaf_nodes=20, min_samples_leaf=5.0), monotonic_cst=[direction, 0])
    tree, _, _ = grow_tree(X, grad_hess, config, counted=True)
    line = np.column_stack([np.linspace(-3, 3, 60), np.full(60, rng.normal())])
    assert (direction * np.diff(tree.predict(line)[:, 0, 0]) >= 0).all()


@given(seed=st.integers(0, 1000), wide=st.booleans(), weighted=st.booleans(), part=st.booleans())
@settings(max_examples=20)
def test_gradients_and_hessians_are_those_of_the_losses(seed, wide, weighted, part):
    rng = np.random.default_rng(seed)
    n = 50
    weight = rng.uniform(0, 2, n) if weighted else None
    rows = np.sort(rng.choice(n, 30, replace=False)).astype(np.uint32) if part else None
    here = slice(None) if rows is None else rows
    counted = np.ones(n) if weight is None else weight
    for loss, y, z in (
        (Squared(), rng.normal(size=n), rng.normal(size=(1, n))),
        (Logistic(), rng.integers(0, 2, n).astype(float), 5 * rng.normal(size=(1, n))),
        (Multinomial(), rng.integers(0, 4, n).astype(float), 5 * rng.normal(size=(4, n))),
    ):
        grad_hess = np.zeros((*z.shape, 2), dtype=np.float64 if wide else np.float32)
        total = compute_grad_hess(loss, TrainingSet(y, weight, rows, None), z, grad_hess)
        flat = z[0] if len(z) == 1 else z.T
        gradient = (loss.gradient(y, flat).T * counted).reshape(z.shape)
        hessian = loss.curvature(y, flat)
        hessian = hessian if hessian.ndim == 1 else np.diagonal(hessian, axis1=1, axis2=2).T
        tolerance = {"rtol": 1e-10, "atol": 1e-14} if wide else {"rtol": 1e-5, "atol": 1e-7}
        np.testing.assert_allclose(grad_hess[:, here, 0], gradient[:, here], **tolerance)
        np.testing.assert_allclose(grad_hess[:, here, 1], (hessian * counted).reshape(z.shape)[:, here], **tolerance)
        assert total == pytest.approx(float((loss.value(y, flat) * counted)[here].sum()), rel=1e-10)


@pytest.mark.parametrize("most", [255, 300])
def test_gradients_are_float32_only_with_byte_bins(most):
    X, _ = large(2000)
    table = Bins.of(X, np.arange(2000, dtype=np.uint32), None, most, [0] * 5, 0).table(X)
    assert not histogram_grower(table, HistogramConfig(), False).f32
    assert histogram_grower(table, HistogramConfig(), True).f32 == (most == 255)


def test_many_rows_with_many_bins():
    X = np.arange(50_000, dtype=np.float64)[:, None]
    y = (X[:, 0] >= 25_050).astype(float)  # where one of 1000 bins ends, and none of 255
    made = partial(learnable.HistGradientBoostingRegressor, max_iter=2, learning_rate=1.0, early_stopping=False)
    error = {bins: 1 - made(max_bins=bins).fit(X, y).score(X, y) for bins in (255, 1000)}
    assert error[1000] < 1e-12 < 1e-3 < error[255]


def test_invalid_arguments_are_rejected():
    X, grad_hess = large(100)
    bins = Bins.of(X, np.arange(100, dtype=np.uint32), None, 255, [0] * 5, 0)
    kept = histogram_grower(bins.table(X), HistogramConfig(), False)
    with pytest.raises(ValueError, match="gradient and a Hessian for each row"):
        kept.grow(grad_hess[:50].copy(), None, None, False, 0)
    with pytest.raises(ValueError, match="row is out of range"):
        kept.grow(grad_hess, np.array([100], dtype=np.uint32), None, False, 0)
    with pytest.raises(ValueError, match="direction"):
        histogram_grower(bins.table(X), HistogramConfig(monotonic_cst=[1]), False)
    with pytest.raises(ValueError, match="value for each node"):
        kept.add(np.zeros(99), np.zeros(100))
    with pytest.raises(ValueError, match="squared, logistic or multinomial"):
        kernels.loss_gradients("hinge", X[:, 0].copy(), X[:, :1].T.copy(), None, None, np.zeros((1, 100, 2)))
