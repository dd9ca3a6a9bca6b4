"""Decision trees: every split is optimal by brute force; trees, paths and pruning agree with scikit-learn."""

import itertools

import numpy as np
import pytest
import sklearn.tree as theirs
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import learnable
from learnable.core import DataError, ParameterError
from learnable.engines.trees.builder import RankedColumns, Sampling, grow
from learnable.engines.trees.classification_target import ClassificationTarget
from learnable.engines.trees.growth_limits import TreeLimits
from learnable.engines.trees.regression_target import RegressionTarget
from learnable.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor


def table(seed, n=60, p=3, missing=0.0, steps=None):
    """Rows with a smooth and a coarse target; `steps` rounds the columns, so that values are tied."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X @ rng.normal(size=p) + rng.normal(size=n)
    if steps is not None:
        X = np.round(X * steps)
    X[rng.random((n, p)) < missing] = np.nan
    return X, y, np.digitize(y, np.quantile(y, [0.4, 0.7])), rng.integers(1, 4, n).astype(float)


def loss(kind, y, weight):
    """The impurity of some rows times their weight."""
    if len(y) == 0:
        return 0.0
    if kind == "squared_error":
        return float(weight @ (y - np.average(y, weights=weight)) ** 2)
    if kind == "absolute_error":
        return min(float(weight @ np.abs(y - centre)) for centre in y)
    if kind == "poisson":
        mean = np.average(y, weights=weight)
        return float(weight @ (y * np.log(np.where(y > 0, y, 1) / mean))) if mean > 0 else np.inf
    share = np.bincount(y, weights=weight) / weight.sum()
    if kind == "gini":
        return float(weight.sum() * (1 - share @ share))
    return float(-weight.sum() * (share @ np.log2(np.where(share > 0, share, 1))))


def least_loss(kind, X, y, weight, fewest):
    """The minimum loss after one split of the rows by any column, with missing values on either side."""
    found = np.inf
    for column in X.T:
        gone = np.isnan(column)
        cuts = np.unique(column[~gone])
        sides = [(column <= cut) | (gone & left) for cut in cuts for left in (False, True)]
        for side in sides:
            if min(side.sum(), (~side).sum()) >= fewest:
                parts = loss(kind, y[side], weight[side]) + loss(kind, y[~side], weight[~side])
                found = min(found, parts)
    return found


KINDS = ["gini", "entropy", "squared_error", "absolute_error", "poisson"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    missing=st.sampled_from([0.0, 0.2]),
    steps=st.sampled_from([None, 2]),
    fewest=st.integers(1, 4),
)
def test_every_split_is_optimal(kind, seed, missing, steps, fewest):
    X, y, classes, weight = table(seed, 40, 3, missing, steps)
    target = {"gini": classes, "entropy": classes, "poisson": np.exp(y)}.get(kind, y)
    cls = DecisionTreeClassifier if kind in ("gini", "entropy") else DecisionTreeRegressor
    model = cls(criterion=kind, max_depth=4, min_samples_leaf=fewest).fit(X, target, weight)
    way = model.decision_path(X).toarray().astype(bool)
    tree = model.tree_
    for node in range(tree.node_count):
        here = way[:, node]
        left, right = tree.children_left[node], tree.children_right[node]
        own = loss(kind, target[here], weight[here])
        assert tree.impurity[node] * weight[here].sum() == pytest.approx(own, abs=1e-8 * (1 + own))
        best = least_loss(kind, X[here], target[here], weight[here], fewest)
        if left >= 0:
            reached = sum(loss(kind, target[way[:, side]], weight[way[:, side]]) for side in (left, right))
            assert reached <= best + 1e-9 * (1 + own)
        else:
            deep = way[here].sum(axis=1).max() == 5
            assert deep or own <= 1e-12 or not np.isfinite(best)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), leaves=st.sampled_from([None, 7]))
def test_nodes_agree_with_scikit_learn(seed, leaves):
    X, y, classes, _ = table(seed, 200, 4)
    X = X.astype(np.float32).astype(np.float64)  # the precision of scikit-learn
    weight = np.random.default_rng(seed).uniform(0.5, 1.5, 200)  # with counts, the gains of two splits can be tied
    options = {"max_depth": 3, "min_samples_leaf": 20, "max_leaf_nodes": leaves}
    for ours, other, target in (
        (DecisionTreeClassifier(**options), theirs.DecisionTreeClassifier(**options), classes),
        (DecisionTreeRegressor(**options), theirs.DecisionTreeRegressor(**options), y),
    ):
        mine, their = ours.fit(X, target, weight), other.fit(X, target, weight)
        np.testing.assert_array_equal(mine.tree_.children_left, their.tree_.children_left)
        np.testing.assert_array_equal(mine.tree_.feature, their.tree_.feature)
        np.testing.assert_allclose(mine.tree_.threshold, their.tree_.threshold)
        np.testing.assert_allclose(mine.tree_.impurity, their.tree_.impurity, atol=1e-12)
        np.testing.assert_allclose(mine.tree_.value.squeeze(), their.tree_.value.squeeze(), atol=1e-12)
        np.testing.assert_allclose(mine.feature_importances_, their.feature_importances_, atol=1e-12)
        np.testing.assert_array_equal(mine.apply(X), their.apply(X))
        assert (mine.decision_path(X) != their.decision_path(X)).nnz == 0


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), random=st.booleans())
def test_deviations_of_several_targets_count_together(seed, random):
    X, y, _, weight = table(seed, 61)
    Y = np.column_stack([y, np.exp(X[:, 0]), -y + X[:, 1] ** 2])
    ours = DecisionTreeRegressor(criterion="absolute_error", max_depth=3, min_samples_leaf=3).fit(X, Y, weight)
    other = theirs.DecisionTreeRegressor(criterion="absolute_error", max_depth=3, min_samples_leaf=3).fit(X, Y, weight)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-12)
    np.testing.assert_allclose(ours.tree_.impurity, other.tree_.impurity, atol=1e-12)
    splitter = "random" if random else "best"
    three, one = (
        DecisionTreeRegressor(criterion="absolute_error", max_depth=4, splitter=splitter, random_state=0).fit(X, target)
        for target in (np.column_stack([y, y, y]), y)
    )
    np.testing.assert_allclose(three.predict(X), np.column_stack([one.predict(X)] * 3), atol=1e-12)


@given(seed=st.integers(0, 10_000), n=st.integers(2, 60))
def test_consistent_rows_are_learned_without_error(seed, n):
    rng = np.random.default_rng(seed)
    X = np.unique(rng.integers(0, 9, (n, 2)), axis=0).astype(float)
    y = rng.integers(0, 4, len(X))
    for model in (DecisionTreeClassifier(), ExtraTreeClassifier(random_state=seed), DecisionTreeRegressor()):
        np.testing.assert_allclose(model.fit(X, y).predict(X), y, atol=1e-12)
        tree = model.tree_
        splits = int((tree.children_left >= 0).sum())
        assert tree.n_leaves == splits + 1
        assert tree.max_depth + 1 <= tree.n_leaves <= 2**tree.max_depth


@pytest.mark.parametrize("ccp_alpha", [0.0, 0.003, 0.02, 0.2])
def test_pruning_agrees_with_scikit_learn(ccp_alpha):
    X, y, _, _ = table(3, 300, 3)
    options = {
        "min_samples_leaf": 10,
        "ccp_alpha": ccp_alpha,
    }  # numeric columns and large leaves: no ties between splits
    ours, other = DecisionTreeRegressor(**options), theirs.DecisionTreeRegressor(**options)
    path, reference = (model.cost_complexity_pruning_path(X, y) for model in (ours, other))
    np.testing.assert_allclose(path.ccp_alphas, reference.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(path.impurities, reference.impurities, atol=1e-12)
    assert ours.fit(X, y).get_n_leaves() == other.fit(X, y).get_n_leaves()
    np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-12)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_predictions_satisfy_monotonic_constraints(criterion):
    X, y, _, _ = table(5, 200, 3)
    directions = [1, 0, -1]
    model = DecisionTreeRegressor(criterion=criterion, max_depth=5, monotonic_cst=directions).fit(X, y)
    for column, direction in enumerate(directions):
        grid = np.repeat(X[:40], 30, axis=0)
        grid[:, column] = np.tile(np.linspace(-3, 3, 30), 40)
        steps = np.diff(model.predict(grid).reshape(40, 30), axis=1)
        assert direction == 0 or (direction * steps >= -1e-12).all()
    if criterion == "squared_error":
        other = theirs.DecisionTreeRegressor(max_depth=5, monotonic_cst=directions).fit(X, y)
        np.testing.assert_allclose(model.predict(X), other.predict(X), rtol=1e-6)


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), levels=st.integers(2, 6), kind=st.sampled_from(["two", "numbers"]))
def test_categorical_splits_are_optimal(seed, levels, kind):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, levels, 40).astype(float)
    y = rng.integers(0, 2, 40) if kind == "two" else rng.normal(size=40) + codes % 2
    if kind == "two":
        target, measure = ClassificationTarget(y[:, None], [2], "gini"), "gini"
    else:
        target, measure = RegressionTarget(y[:, None]), "squared_error"
    columns = RankedColumns.of(codes[:, None], np.array([True]))
    sampling = Sampling.of(np.ones(40), np.zeros(1, dtype=np.uint64))
    tree = grow(target, columns, sampling, TreeLimits(max_depth=1)).tree(0)
    assume(tree.node_count == 3)
    left = tree.apply(codes[:, None]) == 1
    reached = loss(measure, y[left], np.ones(left.sum())) + loss(measure, y[~left], np.ones((~left).sum()))
    present = np.unique(codes)
    for size in range(1, len(present)):
        for group in itertools.combinations(present, size):
            side = np.isin(codes, group)
            both = loss(measure, y[side], np.ones(side.sum())) + loss(measure, y[~side], np.ones((~side).sum()))
            assert reached <= both + 1e-9


def test_random_thresholds_lie_within_the_range_of_a_node():
    X, y, classes, _ = table(7, 200, 4)
    for model, target in ((ExtraTreeClassifier(random_state=1), classes), (ExtraTreeRegressor(random_state=1), y)):
        tree = model.fit(X, target).tree_
        way = model.decision_path(X).toarray().astype(bool)
        for node in np.flatnonzero(tree.children_left >= 0):
            values = X[way[:, node], tree.feature[node]]
            assert values.min() <= tree.threshold[node] < values.max()
        assert not np.array_equal(tree.threshold, model.set_params(random_state=2).fit(X, target).tree_.threshold)


def test_max_features_limits_the_columns_tried_at_a_node():
    X, y, _, _ = table(9, 300, 8)
    roots = {DecisionTreeRegressor(max_features=1, random_state=k).fit(X, y).tree_.feature[0] for k in range(40)}
    assert len(roots) > 4
    assert DecisionTreeRegressor(max_features="sqrt").fit(X, y).max_features_ == 2


@pytest.mark.parametrize("targets", [1, 3])
def test_no_child_of_a_poisson_split_has_a_zero_sum(targets):
    for seed in range(20):  # sums depend on the order: the remainder of zeros is not zero
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 2)), np.round(np.abs(rng.normal(size=(30, targets))), 2)
        y[rng.random(y.shape) < 0.5] = 0
        for limits in ({}, {"max_leaf_nodes": 8}):
            model = DecisionTreeRegressor(criterion="poisson", **limits).fit(X, y)
            assert (model.tree_.value > 1e-9).all() and model.get_n_leaves() > 1


def test_invalid_parameters():
    X, y, classes, _ = table(1)
    with pytest.raises(ParameterError, match="monotonic_cst"):
        DecisionTreeRegressor(monotonic_cst=[1]).fit(X, y)
    with pytest.raises(ParameterError, match="for two classes"):
        DecisionTreeClassifier(monotonic_cst=[1, 0, 0]).fit(X, classes)
    with pytest.raises(DataError, match="Poisson"):
        DecisionTreeRegressor(criterion="poisson").fit(X, y)
    with pytest.raises(ParameterError, match="max_features"):
        DecisionTreeRegressor(max_features=1.5).fit(X, y)
    missing = np.where(np.arange(60)[:, None] == 5, np.nan, X)
    missing[0, 0] = np.inf
    with pytest.raises(DataError, match=r"infinity in column 0, row 0 \(1 bad value in all\)"):
        DecisionTreeRegressor().fit(missing, y)
    with pytest.raises(learnable.NotFittedError):
        DecisionTreeRegressor().get_depth()


@pytest.mark.parametrize("name", ["min_samples_leaf", "min_samples_split"])
def test_row_limits_are_integers_or_fractions(name):
    X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    with pytest.raises(learnable.ParameterError, match=f"DecisionTreeRegressor: {name} must be an integer"):
        DecisionTreeRegressor(**{name: 2.5}).fit(X, y)
    assert DecisionTreeRegressor(**{name: 1.0}).fit(X, y).get_n_leaves() <= 2


def test_a_huge_target_keeps_the_precision_of_the_others():
    y = np.array([0.1, 0.2, 0.3, 1e17])
    model = DecisionTreeRegressor().fit(np.arange(4.0)[:, None], y)
    np.testing.assert_allclose(model.predict(np.arange(4.0)[:, None]), y, rtol=1e-15)
    far = 1e10 + np.array([0.0, 1.0, 2.0, 7.0])
    np.testing.assert_array_equal(
        DecisionTreeRegressor().fit(np.arange(4.0)[:, None], far).predict([[0.0], [2.0]]), far[::2]
    )


def test_a_categorical_mask_must_match_the_columns():
    with pytest.raises(ParameterError, match="marks 2 columns, and X has 3; give a mark for each"):
        DecisionTreeClassifier(categorical_features=[True, False]).fit([[0, 1, 2], [1, 0, 2]], [0, 1])


@pytest.mark.parametrize("least", [0.0, 0.02, 0.2])
def test_friedman_mse_equals_squared_error(least):
    X, y, _, weight = table(3, 150)
    other = theirs.DecisionTreeRegressor(min_impurity_decrease=least).fit(X.astype(np.float32), y, weight)
    for name in ("squared_error", "friedman_mse"):
        model = DecisionTreeRegressor(criterion=name, min_impurity_decrease=least).fit(X, y, weight)
        assert model.get_n_leaves() == other.get_n_leaves()
        np.testing.assert_allclose(model.predict(X), other.predict(X.astype(np.float32)))


@pytest.mark.parametrize("kind", ["DecisionTreeClassifier", "RandomForestClassifier"])
def test_one_class_satisfies_any_monotonic_constraint(kind):
    model = getattr(learnable, kind)(monotonic_cst=[1, -1]).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]], ["a"] * 3)
    np.testing.assert_array_equal(model.predict_proba([[5.0, 5.0]]), [[1.0]])


@pytest.mark.parametrize("target", [0.7, 0.9, 1.0])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_growth_stops_at_a_training_score(kind, target):
    """TRE-15: the smallest tree of best-first growth whose training score reaches the target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.3 * rng.normal(size=120)
    weight = rng.uniform(0.5, 2, 120)
    y = y if kind == "numbers" else np.digitize(y, [-1, 0.5])
    cls = learnable.DecisionTreeRegressor if kind == "numbers" else learnable.DecisionTreeClassifier
    model = cls(target_score=target).fit(X, y, weight)
    leaves = model.get_n_leaves()
    assert model.score(X, y, weight) >= target - 1e-9
    same, smaller = (cls(max_leaf_nodes=n).fit(X, y, weight) for n in (leaves, leaves - 1))
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    assert smaller.score(X, y, weight) < target


def test_a_score_out_of_reach_leaves_the_whole_tree():
    X, y = [[0.0], [0.0], [1.0]], [0, 1, 1]
    assert learnable.DecisionTreeClassifier(target_score=1.0).fit(X, y).get_n_leaves() == 2
    assert learnable.DecisionTreeClassifier(target_score=0.6).fit(X, y).get_n_leaves() == 1
    assert learnable.DecisionTreeRegressor(target_score=0.5).fit(X, [1.0, 1.0, 1.0]).get_n_leaves() == 1
