"""Forests: their trees, their bootstrap samples, and accuracy compared with scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as theirs
from sklearn.datasets import load_diabetes, load_iris, make_classification

import learnable
from learnable.core import DataError, ParameterError
from learnable.engines.trees.builder import Draws
from learnable.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [RandomForestRegressor, ExtraTreesRegressor]


@pytest.fixture(scope="module")
def halves():
    X, y = make_classification(1200, 12, n_informative=6, flip_y=0.1, random_state=3)
    return X[:600], y[:600], X[600:], y[600:]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_classifiers_are_as_accurate_as_scikit_learn(cls, halves):
    X, y, more, truth = halves
    other = getattr(theirs, cls.__name__)
    ours, reference = cls(60, random_state=0).fit(X, y), other(60, random_state=0).fit(X, y)
    assert abs(ours.score(more, truth) - reference.score(more, truth)) < 0.03
    nodes = np.mean([tree.tree_.node_count for tree in reference.estimators_])
    assert ours.forest_.stack.start[-1] / 60 == pytest.approx(nodes, rel=0.05)
    np.testing.assert_allclose(ours.feature_importances_, reference.feature_importances_, atol=0.05)


@pytest.mark.parametrize("cls", REGRESSORS)
def test_regressors_are_as_accurate_as_scikit_learn(cls):
    X, y = load_diabetes(return_X_y=True)
    fits = [
        make(60, min_samples_leaf=3, random_state=0).fit(X[:300], y[:300])
        for make in (cls, getattr(theirs, cls.__name__))
    ]
    ours, other = (model.score(X[300:], y[300:]) for model in fits)
    assert abs(ours - other) < 0.04


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
def test_the_prediction_is_the_mean_of_the_trees(cls, halves):
    X, y, more, _ = halves
    model = cls(7, max_depth=4, random_state=1).fit(X, y)
    kind = "predict_proba" if cls in CLASSIFIERS else "predict"
    expected = np.mean([getattr(tree, kind)(more) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(getattr(model, kind)(more), expected, atol=1e-12)
    np.testing.assert_array_equal(model.apply(more), np.stack([tree.apply(more) for tree in model.estimators_], axis=1))
    way, first = model.decision_path(more)
    ways = [tree.decision_path(more) for tree in model.estimators_]
    assert way.shape == (600, first[-1]) and way.nnz == sum(one.nnz for one in ways)


def test_a_tree_is_grown_on_its_sample(halves):
    X, y, more, _ = halves
    forest = RandomForestClassifier(3, max_features=None, random_state=0).fit(X, y)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        assert len(rows) == len(X)
        alone = learnable.DecisionTreeClassifier().fit(X[rows], y[rows])
        np.testing.assert_allclose(tree.predict_proba(more), alone.predict_proba(more), atol=1e-12)
    assert len(np.unique(forest.estimators_samples_[0])) == pytest.approx(600 * (1 - np.exp(-1)), abs=50)
    whole = RandomForestClassifier(2, max_features=None, bootstrap=False).fit(X, y)
    alone = learnable.DecisionTreeClassifier().fit(X, y)
    np.testing.assert_allclose(whole.predict_proba(more), alone.predict_proba(more), atol=1e-12)


def test_out_of_bag_scores_use_the_trees_that_did_not_draw_a_row(halves):
    X, y, _, _ = halves
    model = RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    total, voters = np.zeros((600, 2)), np.zeros(600)
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        strange = np.setdiff1d(np.arange(600), rows)
        total[strange] += tree.predict_proba(X[strange])
        voters[strange] += 1
    np.testing.assert_allclose(model.oob_decision_function_, total / voters[:, None], atol=1e-12)
    assert model.oob_score_ == pytest.approx(np.mean(total.argmax(axis=1) == y))
    assert model.oob_curve_[-1] == model.oob_score_ and model.oob_curve_[0] < model.oob_score_
    other = theirs.RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    assert abs(model.oob_score_ - other.oob_score_) < 0.04
    named = RandomForestClassifier(30, oob_score=learnable.accuracy_score, random_state=0).fit(X, y)
    assert named.oob_score_ == model.oob_score_


def test_the_order_of_rows_does_not_matter(halves):
    X, y, more, _ = halves
    shuffle = np.random.default_rng(0).permutation(len(X))
    for cls in (RandomForestClassifier, RandomForestRegressor):
        first = cls(5, random_state=0).fit(X, y)
        second = cls(5, random_state=0).fit(X[shuffle], y[shuffle])
        np.testing.assert_allclose(first.predict(more), second.predict(more), atol=1e-9)


def test_a_warm_start_adds_trees(halves):
    X, y, more, _ = halves
    growing = RandomForestClassifier(4, warm_start=True, random_state=0).fit(X, y)
    growing.set_params(n_estimators=9).fit(X, y)
    np.testing.assert_array_equal(
        growing.predict_proba(more), RandomForestClassifier(9, random_state=0).fit(X, y).predict_proba(more)
    )
    with pytest.raises(ParameterError, match="cannot reduce n_estimators from 9 to 2"):
        growing.set_params(n_estimators=2).fit(X, y)


def test_balanced_subsample_weights_classes_per_tree():
    X, y = make_classification(900, 6, weights=[0.95], flip_y=0.02, random_state=0)
    plain = RandomForestClassifier(30, max_depth=3, random_state=0).fit(X, y)
    for how in ("balanced", "balanced_subsample"):
        even = RandomForestClassifier(30, max_depth=3, random_state=0, class_weight=how).fit(X, y)
        found = even.predict_proba(X).mean(axis=0)[1]
        assert found > 2 * plain.predict_proba(X).mean(axis=0)[1]
        other = theirs.RandomForestClassifier(30, max_depth=3, random_state=0, class_weight=how).fit(X, y)
        assert found == pytest.approx(other.predict_proba(X).mean(axis=0)[1], abs=0.04)
    weights = even.forest_.weighted_n_node_samples[even.forest_.stack.start[:-1]]
    np.testing.assert_allclose(weights, 900)


def test_tree_features_draws_columns_per_tree(halves):
    X, y, _, _ = halves
    model = RandomForestClassifier(12, tree_features=3, max_features=None, random_state=0).fit(X, y)
    used = [set(tree.tree_.feature[tree.tree_.feature >= 0]) for tree in model.estimators_]
    assert all(len(columns) <= 3 for columns in used) and len(set.union(*used)) > 6
    varied = RandomForestClassifier(12, top_features=3, bootstrap=False, random_state=0).fit(X, y)
    best = RandomForestClassifier(12, max_features=None, bootstrap=False, random_state=0).fit(X, y)
    roots = {int(tree.tree_.feature[0]) for tree in varied.estimators_}
    assert len(roots) == 3 and int(best.estimators_[0].tree_.feature[0]) in roots


def test_several_targets_constraints_missing_values_and_pruning():
    X, y = load_iris(return_X_y=True)
    both = np.stack([y, y == 1], axis=1)
    model = RandomForestClassifier(10, random_state=0).fit(X, both)
    assert [shares.shape for shares in model.predict_proba(X)] == [(150, 3), (150, 2)]
    assert model.score(X, both) > 0.95
    rising = RandomForestRegressor(10, monotonic_cst=[1, 0, 0, 0], random_state=0).fit(X[:, [2, 0, 1, 3]], X[:, 3])
    grid = np.repeat(X[:20][:, [2, 0, 1, 3]], 10, axis=0)
    grid[:, 0] = np.tile(np.linspace(1, 7, 10), 20)
    assert (np.diff(rising.predict(grid).reshape(20, 10), axis=1) >= -1e-12).all()
    with_missing = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    for cls in CLASSIFIERS:
        assert cls(20, random_state=0).fit(with_missing, y).score(with_missing, y) > 0.93
    small = RandomForestClassifier(5, ccp_alpha=0.02, random_state=0).fit(X, y)
    assert small.forest_.stack.start[-1] < RandomForestClassifier(5, random_state=0).fit(X, y).forest_.stack.start[-1]


def test_quantiles_are_weighted_quantiles_of_the_targets():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (800, 2))
    y = X[:, 0] + (1 + X[:, 1]) * rng.normal(size=800)
    model = RandomForestRegressor(30, min_samples_leaf=10, keep_targets=True, random_state=0).fit(X, y)
    query = rng.uniform(-1, 1, (50, 2))
    weight = np.zeros((50, 800))
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        count = np.bincount(rows, minlength=800)
        same = (tree.apply(query)[:, None] == tree.apply(X)[None, :]) * count
        weight += same / same.sum(axis=1, keepdims=True) / 30
    np.testing.assert_allclose(weight @ y, model.predict(query), atol=1e-10)
    order = np.argsort(y)
    below = np.cumsum(weight[:, order], axis=1)
    for level, found in zip((0.1, 0.5, 0.9), model.predict_quantiles(query, [0.1, 0.5, 0.9]).T, strict=True):
        expected = y[order][(below < level - 1e-9).sum(axis=1)]
        np.testing.assert_allclose(found, expected)
    fresh = rng.uniform(-1, 1, (400, 2))
    truth = fresh[:, 0] + (1 + fresh[:, 1]) * rng.normal(size=400)
    low, high = model.predict_quantiles(fresh, [0.05, 0.95]).T
    assert 0.8 < np.mean((truth >= low) & (truth <= high)) <= 1
    with pytest.raises(DataError, match="keep_targets"):
        RandomForestRegressor(2).fit(X, y).predict_quantiles(X)


def test_contradictory_parameters_are_rejected(halves):
    X, y, _, _ = halves
    with pytest.raises(ParameterError, match="bootstrap=True"):
        ExtraTreesClassifier(oob_score=True).fit(X, y)
    with pytest.raises(ParameterError, match="max_sample"):
        ExtraTreesClassifier(max_samples=0.5).fit(X, y)
    one = RandomForestClassifier(3, max_samples=1e-9, random_state=0).fit(X, y)
    assert all(len(rows) == 1 for rows in one.estimators_samples_)
    more = RandomForestClassifier(3, max_samples=1.5, random_state=0).fit(X, y)
    assert all(len(rows) == 900 for rows in more.estimators_samples_)
    half = RandomForestClassifier(3, max_samples=0.5, random_state=0).fit(X, y)
    assert all(len(rows) == 300 for rows in half.estimators_samples_)


@pytest.mark.parametrize("forest", [RandomForestRegressor, ExtraTreesRegressor])
def test_categorical_splits_equal_those_of_a_tree(forest, tmp_path):
    rng = np.random.default_rng(0)
    kinds = rng.choice(list("abcdefghijkl"), 300)
    frame = pd.DataFrame({"kind": kinds, "x": rng.normal(size=300)})
    y = np.where(np.isin(kinds, ["b", "f", "k"]), 2.0, -1.0)
    model = forest(5, categorical_features=["kind"], random_state=0, warm_start=True).fit(frame, y)
    np.testing.assert_allclose(model.predict(frame), y)
    assert model.feature_importances_[0] > 0.999 and all(tree.get_depth() == 1 for tree in model.estimators_)
    np.testing.assert_allclose(model.estimators_[1].predict(frame), y)
    model.set_params(n_estimators=8).fit(frame[kinds != "a"], y[kinds != "a"])  # the codes of the first fit are kept
    np.testing.assert_allclose(model.predict(frame[kinds != "a"]), y[kinds != "a"])
    learnable.save(model, tmp_path / "forest.learnable")
    np.testing.assert_array_equal(learnable.load(tmp_path / "forest.learnable").predict(frame), model.predict(frame))
    assert model.apply(frame).shape == (300, 8)


def test_integer_class_weights_are_copies():
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(90, 3)), draws.integers(0, 2, 90)
    weighted = RandomForestClassifier(10, class_weight={0: 3, 1: 1}, random_state=0).fit(X, y)
    copies = np.where(y == 0, 3, 1)
    repeated = RandomForestClassifier(10, random_state=0).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("wrong", [{"tree_features": -1}, {"tree_features": 0}, {"max_samples": -0.5}])
def test_invalid_fractions_are_rejected(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        RandomForestClassifier(2, **wrong).fit([[0.0], [1.0]], [0, 1])


def test_many_copies_of_rows_have_the_same_sampling_distribution():
    weight = np.array([1.0, 5.0, 1000.0, 40.0, 300.0])
    probability, number, samples = weight / weight.sum(), 1_000_000, 2000
    draws = Draws(6, number, np.array([5, 0, 1, 2, 4], dtype=np.uint32), np.cumsum(weight))
    counts = draws.counts(np.arange(samples, dtype=np.uint64))[:, [5, 0, 1, 2, 4, 3]]
    assert (counts.sum(axis=1) == number).all() and (counts[:, 5] == 0).all()
    spread = np.sqrt(number * probability * (1 - probability))
    assert (np.abs(counts[:, :5].mean(axis=0) - number * probability) < 4 * spread / np.sqrt(samples)).all()
    np.testing.assert_allclose(counts[:, :5].std(axis=0), spread, rtol=0.07)


@pytest.mark.parametrize("size", [5e4, 1e16, 1e300])
@pytest.mark.parametrize("model", [RandomForestRegressor(5), RandomForestClassifier(5, max_samples=0.5),
                                   learnable.BaggingRegressor(), learnable.AdaBoostRegressor(n_estimators=5),
                                   learnable.AdaBoostClassifier(n_estimators=5, resample=True)], ids=str)  # fmt: skip
def test_huge_weights_are_accepted(model, size):
    X = np.arange(20.0)[:, None]
    model = model.clone().set_params(random_state=0).fit(X, (X[:, 0] > 9).astype(int), np.full(20, size))
    assert model.predict(X[[0, 19]]).tolist() == [0, 1]


@pytest.mark.parametrize("kind", ["RandomForestClassifier", "ExtraTreesClassifier", "RandomForestRegressor"])
def test_a_stopped_forest_keeps_its_trees(kind):
    """A forest that is watched to its end is the same as one grown at once."""
    X, y = load_iris(return_X_y=True)
    settings = {"bootstrap": True, "oob_score": True, "random_state": 3}
    whole = getattr(learnable, kind)(39, **settings).fit(X, y)
    seen = []
    with learnable.threads(2), learnable.watch(lambda event: seen.append(event.row["trees"])):
        watched = getattr(learnable, kind)(39, **settings).fit(X, y)
    assert seen == [*range(2, 39, 2), 39] and watched.trace_.stopped == whole.trace_.stopped == "exact"
    np.testing.assert_array_equal(watched.apply(X), whole.apply(X))
    np.testing.assert_array_equal(watched.predict(X), whole.predict(X))
    assert watched.oob_score_ == whole.oob_score_ and watched.certificate_.holds
    stopped = getattr(learnable, kind)(39, warm_start=True, random_state=3, bootstrap=True)
    warned = pytest.warns(learnable.ConvergenceWarning, match="stopped by .* after 4 trees")
    with learnable.threads(2), learnable.watch(lambda event: event.iteration == 2), warned:
        stopped.fit(X, y)
    np.testing.assert_array_equal(stopped.apply(X), whole.apply(X)[:, :4])
    assert len(stopped) == len(stopped.estimators_) == 4 and not stopped.certificate_.holds
    np.testing.assert_array_equal(stopped.fit(X, y).apply(X), whole.apply(X))


def test_a_budget_keeps_the_trees_grown_in_time():
    X, y = load_iris(return_X_y=True)
    with learnable.budget(seconds=1.0), pytest.warns(learnable.ConvergenceWarning, match="the budget"):
        model = learnable.RandomForestClassifier(10**5, random_state=0).fit(X, y)
    assert model.trace_.stopped == "budget" and 0 < len(model) < 10**5
    first = learnable.RandomForestClassifier(len(model), random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), first.predict_proba(X))


@pytest.mark.parametrize(
    ("cls", "criterion"),
    [
        (RandomForestRegressor, "squared_error"),
        (RandomForestRegressor, "absolute_error"),
        (RandomForestRegressor, "poisson"),
        (ExtraTreesRegressor, "squared_error"),
        (RandomForestClassifier, "gini"),
        (RandomForestClassifier, "entropy"),
        (ExtraTreesClassifier, "gini"),
    ],
)
@pytest.mark.parametrize("drawn", [None, 0.4])
def test_leaves_hold_the_minimum_weight_fraction_of_the_sample(cls, criterion, drawn, halves):
    X, y = halves[:2]
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    limits = {"bootstrap": True, "max_samples": drawn, "min_weight_fraction_leaf": 0.07}
    model = cls(5, criterion=criterion, random_state=0, **limits).fit(X, y, sample_weight=weight)
    for tree in (one.tree_ for one in model.estimators_):
        leaves = tree.weighted_n_node_samples[tree.children_left < 0]
        assert len(leaves) >= 5 and leaves.min() >= 0.07 * tree.weighted_n_node_samples[0] * (1 - 1e-12)


def test_columns_tried_at_a_node():
    """ENS-04, E-013, E-112: sqrt(p) in classification; a third, all (bagging) and any other number by choice."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 16)), rng.normal(size=80)
    assert RandomForestClassifier(2).fit(X, y > 0).estimators_[0].max_features_ == 4
    assert RandomForestRegressor(2).fit(X, y).estimators_[0].max_features_ == 16
    for requested, count in ((1 / 3, 5), (1.0, 16), (None, 16), ("log2", 4), (7, 7)):
        for forest, target in ((RandomForestClassifier, y > 0), (RandomForestRegressor, y)):
            assert forest(2, max_features=requested).fit(X, target).estimators_[0].max_features_ == count
    # with one column tried, the root is split by all of them; with all tried, by the same one
    signal = (X[:, 3] > 0).astype(int)
    roots = [
        {
            int(tree.tree_.feature[0])
            for tree in RandomForestClassifier(40, max_features=count, random_state=0).fit(X, signal).estimators_
        }
        for count in (1, None)
    ]
    assert len(roots[0]) > 10 and roots[1] == {3}
