"""Trees of histograms: every division is the best there is, by brute force, whatever way its sums were made."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.trees.boosting import Lesson, find_slopes
from learnable.engines.trees.feature_bundles import bundles
from learnable.engines.trees.histograms import Bins, HistogramRules, grower, tree_of
from learnable.parts.losses import Logistic, Multinomial, Squared


def grown(X, slopes, rules, *, categories=None, most=255, rows=None, copies=None, counted=False, shared=None):
    """A tree of some slopes, and what grew it."""
    known = np.arange(len(X), dtype=np.uint32)
    bins = Bins.of(X, known, None, most, categories or [0] * X.shape[1], 0)
    table = bins.table(X, None if shared is None else bundles(bins, X, known, shared))
    found = grower(table, rules, slopes.dtype == np.float32)
    return tree_of(tree := found.grow(slopes, rows, copies, counted, 0), tree["value"], rules.l2), tree, found


def table(seed, n=40, gaps=0.0):
    """Two columns of few numbers, one of categories, gradients and curvatures, and copies."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.round(rng.normal(size=(n, 2)) * 2), rng.integers(0, 5, n)])
    X[rng.random((n, 3)) < gaps] = np.nan
    copies = rng.integers(1, 3, n).astype(float)
    slopes = np.column_stack([rng.normal(size=n), rng.uniform(0.1, 1.0, n)]) * copies[:, None]
    return X, slopes, copies


def worth(slopes, rules):
    """What the best value of some rows takes from twice the loss."""
    gradient, curvature = slopes.sum(axis=0)
    pull = max(abs(gradient) - rules.l1, 0.0)
    return pull**2 / (curvature + rules.l2)


def most_worth(X, slopes, copies, rules):
    """The most that any division of the rows is worth: of numbers by a threshold, of categories by any subset."""
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
            enough = min(copies[side].sum(), copies[~side].sum()) >= rules.least_rows
            if enough and min(slopes[side, 1].sum(), slopes[~side, 1].sum()) >= rules.least_curvature:
                best = max(best, worth(slopes[side], rules) + worth(slopes[~side], rules))
    return best


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    gaps=st.sampled_from([0.0, 0.2]),
    fewest=st.sampled_from([1.0, 5.0]),
    l1=st.sampled_from([0.0, 0.3]),
    l2=st.sampled_from([0.0, 1.0]),
)
def test_every_division_is_the_best_there_is(seed, gaps, fewest, l1, l2):
    X, slopes, copies = table(seed, gaps=gaps)
    # The order of categories by gradient over curvature is the best one where leaves have no penalty and any size.
    used = 3 if l1 == l2 == 0 and fewest == 1 else 2
    X = X[:, :used]
    rules = HistogramRules(most_depth=3, least_rows=fewest, least_curvature=1e-3, l1=l1, l2=l2, category_smoothing=0.0)
    tree, found, _ = grown(X, slopes, rules, categories=[0, 0, 5][:used], copies=copies)
    way = tree.decision_path(X).toarray().astype(bool)
    for node in range(tree.node_count):
        here = way[:, node]
        own = worth(slopes[here], rules)
        assert found["gradient"][node] == pytest.approx(slopes[here, 0].sum(), abs=1e-12)
        best = most_worth(X[here], slopes[here], copies[here], rules)
        if tree.children_left[node] >= 0:
            sides = [way[:, child] for child in (tree.children_left[node], tree.children_right[node])]
            assert min(copies[side].sum() for side in sides) >= fewest
            assert sum(worth(slopes[side], rules) for side in sides) == pytest.approx(best, abs=1e-9)
            assert found["gain"][node] == pytest.approx((best - own) / 2, abs=1e-9)
        else:
            deep = way[here].sum(axis=1).max() == 4
            assert deep or best <= own + 1e-9
            value = -np.sign(slopes[here, 0].sum()) * np.sqrt(own / (slopes[here, 1].sum() + l2))
            assert tree.value[node, 0, 0] == pytest.approx(value, abs=1e-9)


def test_the_best_leaves_grow_first():
    X, slopes, _ = table(3, n=300)
    rules = HistogramRules(most_leaves=6, least_rows=5.0)
    tree, found, _ = grown(X[:, :2], slopes, rules)
    assert tree.n_leaves == 6
    whole, every, _ = grown(X[:, :2], slopes, HistogramRules(least_rows=5.0))
    frontier, taken = {0}, []
    for _ in range(5):
        node = max(frontier, key=lambda k: (every["gain"][k], -k))
        frontier |= {int(whole.children_left[node]), int(whole.children_right[node])}
        frontier -= {node}
        taken.append(every["gain"][node])
    np.testing.assert_allclose(np.sort(found["gain"])[-5:], np.sort(taken))


def test_levels_grow_whole_and_weak_divisions_are_taken_back():
    X, slopes, _ = table(4, n=200)
    by_level, found, _ = grown(X[:, :2], slopes, HistogramRules(most_depth=4, by_level=True, l2=1.0))
    depth = by_level.depth()
    assert (np.diff(depth) >= 0).all(), "nodes are numbered level by level"
    price = float(np.median(found["gain"][found["gain"] > 0]))
    pruned, after, _ = grown(X[:, :2], slopes, HistogramRules(most_depth=4, l2=1.0, prune_gain=price))
    stopped, before, _ = grown(X[:, :2], slopes, HistogramRules(most_depth=4, l2=1.0, least_gain=price))
    assert stopped.n_leaves <= pruned.n_leaves < by_level.n_leaves
    inner = np.flatnonzero(pruned.children_left >= 0)
    both_leaves = (pruned.children_left[pruned.children_left[inner]] < 0) & (
        pruned.children_left[pruned.children_right[inner]] < 0
    )
    assert (after["gain"][inner[both_leaves]] > price).all() and (before["gain"][before["left"] >= 0] > price).all()
    np.testing.assert_allclose(pruned.predict(X).sum(), (after["value"] * after["rows"])[after["left"] < 0].sum())


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), n=st.integers(300, 2000), most=st.sampled_from([8, 128]), copied=st.booleans())
def test_bins_end_at_quantiles(seed, n, most, copied):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 1))
    rows, weight = np.arange(n, dtype=np.uint32), rng.integers(1, 4, n).astype(float) if copied else None
    edges = Bins.of(X, rows, weight, most, [0], 0).edges[0]
    values = X[:, 0] if weight is None else np.repeat(X[:, 0], weight.astype(int))
    shares = np.arange(1, most) / most  # exact for powers of two, so that NumPy sees where a share ends just so
    requested = np.unique(np.quantile(values, shares, method="averaged_inverted_cdf"))
    np.testing.assert_allclose(edges, requested[requested < values.max()], rtol=1e-12)
    few = Bins.of(np.round(X), rows, weight, 255, [0], 0).edges[0]
    levels = np.unique(np.round(X))
    np.testing.assert_allclose(few, (levels[1:] + levels[:-1]) / 2)


def test_entries_are_in_the_bin_of_their_number():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    bins = Bins.of(X, np.arange(5000, dtype=np.uint32), None, 255, [0, 0, 0], 0)
    stored = bins.table(X)
    for j, edges in enumerate(bins.edges):
        requested = np.where(np.isnan(X[:, j]), len(edges) + 1, np.searchsorted(edges, X[:, j].astype(np.float64)))
        np.testing.assert_array_equal(stored.column(j), requested)
    assert stored.has_missing() == [True] * 3


def large(n=70_000):
    """Many rows of numbers, with gradients that depend on them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    X[:, 3] = np.round(X[:, 3])
    y = X[:, 0] * X[:, 1] + X[:, 3] + rng.normal(size=n)
    return X, np.column_stack([-y, np.ones(n)])


def test_single_precision_changes_little_and_threads_nothing():
    X, slopes = large()
    rules = HistogramRules(most_leaves=12, least_rows=20.0)
    wide, _, _ = grown(X, slopes, rules, counted=True)
    seen = []
    for count in (1, 2, 3):
        with learnable.threads(count):
            narrow, found, kept = grown(X, slopes.astype(np.float32), rules, counted=True)
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


def test_more_bins_than_a_byte_holds():
    X, slopes = large(3000)
    rules = HistogramRules(most_leaves=8, least_rows=20.0)
    tree, _, _ = grown(X, slopes, rules, most=5000, counted=True)
    exact = learnable.DecisionTreeRegressor(max_leaf_nodes=8, min_samples_leaf=20).fit(X, -slopes[:, 0]).tree_
    np.testing.assert_allclose(np.sort(tree.value[tree.children_left < 0].ravel()),
                               np.sort(exact.value[exact.children_left < 0].ravel()))  # fmt: skip
    codes = np.random.default_rng(1).integers(0, 700, (3000, 1)).astype(float)
    many, _, kept = grown(codes, slopes, rules, categories=[700], counted=True)
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
    slopes = np.column_stack([-(X[:, 0] - X[:, 4] + rng.normal(size=n)), rng.uniform(0.5, 1, n)])
    rules = HistogramRules(most_leaves=15, least_rows=10.0)
    alone, _, _ = grown(X, slopes, rules)
    together, found, kept = grown(X, slopes, rules, shared=0.0)
    assert [len(b) for b in bundles(Bins.of(X, np.arange(n, dtype=np.uint32), None, 255, [0] * 12, 0), X,
                                    np.arange(n, dtype=np.uint32), 0.0)] == [3] * 4  # fmt: skip
    for name in ("children_left", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(together, name), getattr(alone, name))
    score = np.zeros(n)
    kept.add_elsewhere(found["value"], None, score)
    np.testing.assert_array_equal(score, together.predict(X)[:, 0, 0])


def test_columns_that_must_not_meet_do_not():
    X, slopes = large(4000)
    rules = HistogramRules(most_leaves=31, least_rows=20.0, groups=[[0, 1], [2, 3, 4]])
    tree, _, _ = grown(X, slopes, rules, counted=True)
    way = tree.decision_path(X).toarray().astype(bool)
    met = {frozenset(tree.feature[row & (tree.children_left >= 0)].tolist()) for row in way}
    assert all(one <= {0, 1} or one <= {2, 3, 4} for one in met)


@given(seed=st.integers(0, 1000), direction=st.sampled_from([1, -1]))
@settings(max_examples=10)
def test_values_follow_the_direction_asked_for(seed, direction):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 2))
    slopes = np.column_stack([np.sin(3 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=400), np.ones(400)])
    rules = HistogramRules(most_leaves=20, least_rows=5.0, direction=[direction, 0])
    tree, _, _ = grown(X, slopes, rules, counted=True)
    line = np.column_stack([np.linspace(-3, 3, 60), np.full(60, rng.normal())])
    assert (direction * np.diff(tree.predict(line)[:, 0, 0]) >= 0).all()


@given(seed=st.integers(0, 1000), wide=st.booleans(), weighted=st.booleans(), part=st.booleans())
@settings(max_examples=20)
def test_slopes_are_those_of_the_losses(seed, wide, weighted, part):
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
        slopes = np.zeros((*z.shape, 2), dtype=np.float64 if wide else np.float32)
        total = find_slopes(loss, Lesson(y, weight, rows, None), z, slopes)
        flat = z[0] if len(z) == 1 else z.T
        gradient = (loss.gradient(y, flat).T * counted).reshape(z.shape)
        bend = loss.curvature(y, flat)
        bend = bend if bend.ndim == 1 else np.diagonal(bend, axis1=1, axis2=2).T
        tolerance = {"rtol": 1e-10, "atol": 1e-14} if wide else {"rtol": 1e-5, "atol": 1e-7}
        np.testing.assert_allclose(slopes[:, here, 0], gradient[:, here], **tolerance)
        np.testing.assert_allclose(slopes[:, here, 1], (bend * counted).reshape(z.shape)[:, here], **tolerance)
        assert total == pytest.approx(float((loss.value(y, flat) * counted)[here].sum()), rel=1e-10)


@pytest.mark.parametrize("most", [255, 300])
def test_slopes_are_narrow_beside_bytes_alone(most):
    X, _ = large(2000)
    table = Bins.of(X, np.arange(2000, dtype=np.uint32), None, most, [0] * 5, 0).table(X)
    assert not grower(table, HistogramRules(), False).narrow
    assert grower(table, HistogramRules(), True).narrow == (most == 255)


def test_many_rows_with_many_bins():
    X = np.arange(50_000, dtype=np.float64)[:, None]
    y = (X[:, 0] >= 25_050).astype(float)  # where one of 1000 bins ends, and none of 255
    made = partial(learnable.HistGradientBoostingRegressor, max_iter=2, learning_rate=1.0, early_stopping=False)
    error = {bins: 1 - made(max_bins=bins).fit(X, y).score(X, y) for bins in (255, 1000)}
    assert error[1000] < 1e-12 < 1e-3 < error[255]


def test_wrong_arguments_are_refused():
    X, slopes = large(100)
    bins = Bins.of(X, np.arange(100, dtype=np.uint32), None, 255, [0] * 5, 0)
    kept = grower(bins.table(X), HistogramRules(), False)
    with pytest.raises(ValueError, match="slopes for each row"):
        kept.grow(slopes[:50].copy(), None, None, False, 0)
    with pytest.raises(ValueError, match="row is not there"):
        kept.grow(slopes, np.array([100], dtype=np.uint32), None, False, 0)
    with pytest.raises(ValueError, match="direction"):
        grower(bins.table(X), HistogramRules(direction=[1]), False)
    with pytest.raises(ValueError, match="value for each node"):
        kept.add(np.zeros(99), np.zeros(100))
    with pytest.raises(ValueError, match="squared, logistic or multinomial"):
        kernels.loss_slopes("hinge", X[:, 0].copy(), X[:, :1].T.copy(), None, None, np.zeros((1, 100, 2)))
