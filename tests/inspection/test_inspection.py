"""Importances, partial dependence and Shapley values: equal to scikit-learn's, and to brute force over all subsets."""

import itertools
import math

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import polars
import pytest
import sklearn.inspection
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot

import learnable
from learnable import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    LinearRegression,
    LogisticRegression,
    RandomForestClassifier,
    RandomForestRegressor,
    importances,
    partial_dependence,
    permutation_importance,
    shap_values,
)
from learnable.plot import ImportancesDisplay, PartialDependenceDisplay, ShapDisplay


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def rows(seed=0, n=120, p=4, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X @ rng.normal(size=p) + X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, np.digitize(y, [-0.7, 0.7])


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error", ["r2", "neg_mean_squared_error"]])
def test_permutation_importances_are_those_of_scikit_learn(scoring):
    X, y, _ = rows()
    model, weight = DecisionTreeRegressor(max_depth=4).fit(X, y), np.linspace(0.5, 2, len(y))
    ours = permutation_importance(model, X, y, scoring=scoring, random_state=3, sample_weight=weight, n_jobs=2)
    theirs = sklearn.inspection.permutation_importance(
        model, X, y, scoring=scoring, random_state=3, sample_weight=weight
    )
    ours, theirs = (found if scoring and isinstance(scoring, list) else {"one": found} for found in (ours, theirs))
    for name, found in theirs.items():
        for part in ("importances", "importances_mean", "importances_std"):
            np.testing.assert_allclose(ours[name][part], found[part], atol=1e-12)


def test_columns_of_frames_are_shuffled_by_name():
    X, y, _ = rows()
    plain = permutation_importance(LinearRegression().fit(X, y), X, y, random_state=0)
    names = ["a", "b", "c", "d"]
    for frame in (pd.DataFrame(X, columns=names, index=np.arange(len(X)) + 7), polars.DataFrame(X, schema=names)):
        found = permutation_importance(LinearRegression().fit(frame, y), frame, y, random_state=0)
        np.testing.assert_allclose(found.importances, plain.importances, atol=1e-10)
        assert found.names == names
    few = permutation_importance(LinearRegression().fit(X, y), X, y, random_state=0, max_samples=0.5, n_repeats=30)
    assert ((few.low < few.importances_mean) & (few.importances_mean < few.high)).all()
    reach = few.high - few.importances_mean
    np.testing.assert_allclose(reach, 2.045 * few.importances.std(axis=1, ddof=1) / np.sqrt(30), rtol=1e-3)
    with pytest.raises(ValueError, match="max_samples"):
        permutation_importance(LinearRegression().fit(X, y), X, y, max_samples=1000)


@pytest.mark.parametrize("kind", ["average", "individual", "both"])
def test_partial_dependence_is_that_of_scikit_learn(kind):
    X, y, classes = rows()
    models = [LinearRegression().fit(X, y), LogisticRegression().fit(X, classes), LogisticRegression().fit(X, y > 0)]
    for model in models:
        for features in ([1], [0, 2]):
            ours, theirs = (
                function(model, X, features, kind=kind, grid_resolution=7, percentiles=(0.1, 0.8))
                for function in (partial_dependence, sklearn.inspection.partial_dependence)
            )
            assert ours.keys() == theirs.keys()
            for part in theirs.keys() - {"grid_values"}:
                np.testing.assert_allclose(ours[part], theirs[part], atol=1e-10)
            for mine, other in zip(ours["grid_values"], theirs["grid_values"], strict=True):
                np.testing.assert_allclose(mine, other)


@pytest.mark.parametrize("features", [[0], [1, 3]])
def test_trees_give_partial_dependence_without_rows(features):
    X, y, _ = rows()
    X = X.astype(np.float32).astype(float)  # scikit-learn keeps no more
    options = {"max_depth": 4, "min_samples_leaf": 5}
    ours = DecisionTreeRegressor(**options).fit(X, y)
    theirs = sklearn.tree.DecisionTreeRegressor(**options).fit(X, y)
    mine, other = (
        function(model, X, features, grid_resolution=9)
        for function, model in (
            (partial_dependence, ours),
            (sklearn.inspection.partial_dependence, theirs),
        )
    )
    np.testing.assert_allclose(mine.average, other.average, rtol=1e-5, atol=1e-6)
    forest = RandomForestRegressor(7, random_state=0).fit(X, y)
    found = partial_dependence(forest, X, features, grid_resolution=5).average
    each = [partial_dependence(tree, X, features, grid_resolution=5).average for tree in forest.estimators_]
    np.testing.assert_allclose(found, np.mean(each, axis=0))


def test_partial_dependence_of_categories_and_frames():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.normal(size=80), "kind": rng.choice(["a", "b", "c"], 80)})
    y = frame["size"] + (frame["kind"] == "b")
    model = DecisionTreeRegressor(categorical_features=["kind"], max_depth=5).fit(frame, y)
    found = partial_dependence(model, frame, ["kind"], method="brute")
    assert found.grid_values[0].tolist() == ["a", "b", "c"]
    by_hand = [model.predict(frame.assign(kind=kind)).mean() for kind in "abc"]
    np.testing.assert_allclose(found.average[0], by_hand)
    np.testing.assert_allclose(partial_dependence(model, frame, "kind").average[0], by_hand)  # by itself
    pairs = ["size", "kind", ("size", "kind")]
    display = PartialDependenceDisplay.from_estimator(model, frame, pairs, grid_resolution=6)
    assert [text.get_text() for text in display.axes_[1].get_xticklabels()] == ["a", "b", "c"]


def categories_and_missing_values(seed=0, n=200):
    """A table of numbers and of categories, some of them numbers themselves, with missing values in both."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"size": rng.normal(size=n), "kind": rng.choice(list("abcde"), n),
                          "code": rng.choice([3, 7, 40, 41], n).astype(float)})  # fmt: skip
    y = frame["size"] + 2.0 * frame["kind"].isin(["b", "d"]) + (frame["code"] == 40) * frame["size"]
    for name in frame:
        frame.loc[rng.random(n) < 0.08, name] = None
    return frame, y.to_numpy()


SUMS_WITH_CATEGORIES = [
    DecisionTreeRegressor(categorical_features=["kind", "code"], max_depth=5),
    RandomForestRegressor(4, categorical_features=["kind", "code"], max_depth=5, random_state=0),
    HistGradientBoostingRegressor(categorical_features=["kind", "code"], max_iter=6, min_samples_leaf=5),
]


@pytest.mark.parametrize("model", SUMS_WITH_CATEGORIES, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("names", [["kind"], ["code"], ["code", "kind"], ["size"]])
def test_trees_of_categories_give_partial_dependence_without_rows(model, names):
    frame, y = categories_and_missing_values()
    model = model.clone().fit(frame, y)
    found = partial_dependence(model, frame, names, method="recursion", grid_resolution=4)
    sums, indices = model._tree_sum(), [frame.columns.get_loc(name) for name in names]
    points = itertools.product(*found.grid_values)
    for point, value in zip(points, found.average.ravel(), strict=True):
        seen = model._tree_rows(model._read(frame[:1].assign(**dict(zip(names, point, strict=True)))))[0]
        by_hand = sum(expectation(tree, seen, set(indices)).item() for tree in trees_of(model))
        assert value == pytest.approx(sums.base[0] + sums.scale * by_hand, abs=1e-12)
    if names == ["kind"]:
        assert found.average[0, 1] > found.average[0, 0] + 0.5  # b is above a


def trees_of(model):
    if isinstance(model, RandomForestRegressor):
        return [tree.tree_ for tree in model.estimators_]
    return model.trees_ if hasattr(model, "trees_") else [model.tree_]


def test_categories_that_no_tree_splits_on_have_a_flat_curve():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=60), "kind": pd.Categorical(["a"] * 59 + ["b"])})
    model = HistGradientBoostingRegressor(max_iter=3).fit(frame, frame["size"])
    found = partial_dependence(model, frame, ["kind"])
    assert found.grid_values[0].tolist() == ["a", "b"]
    assert np.ptp(found.average) == 0


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, polars.DataFrame])
def test_integers_are_evaluated_between_their_steps(kind):
    X = np.column_stack([np.arange(0, 400, 2), np.arange(200) % 7])
    model = LinearRegression().fit(kind(X), 3.0 * X[:, 0])
    found = partial_dependence(model, kind(X), [0], grid_resolution=10)
    assert (found.grid_values[0] % 1 > 0).any()
    np.testing.assert_allclose(found.average[0], 3.0 * found.grid_values[0], atol=1e-9)


@pytest.mark.parametrize("model", SUMS_WITH_CATEGORIES, ids=lambda model: type(model).__name__)
def test_shapley_values_of_categories_and_missing_values_are_those_of_all_subsets(model):
    frame, y = categories_and_missing_values(1)
    model = model.clone().fit(frame, y)
    found = shap_values(model, frame[:25])
    sums = model._tree_sum()
    for x, values in zip(found.data, found.values, strict=True):
        by_hand = sum(brute_force(tree, x)[:, 0] for tree in trees_of(model))
        np.testing.assert_allclose(values, sums.scale * by_hand, atol=1e-12)
    assert found.names == ["size", "kind", "code"]


def test_refusals_of_partial_dependence():
    X, y, classes = rows()
    model = LinearRegression().fit(X, y)
    for wrong in ({"method": "recursion"}, {"percentiles": (0.5, 0.5)}, {"grid_resolution": 1}):
        with pytest.raises(ValueError):
            partial_dependence(model, X, [0], **wrong)
    with pytest.raises(ValueError, match="go from 0 to 3"):
        partial_dependence(model, X, [9])
    with pytest.raises(learnable.NotFittedError):
        partial_dependence(LinearRegression(), X, [0])
    with pytest.raises(ValueError, match="pass target="):
        PartialDependenceDisplay.from_estimator(LogisticRegression().fit(X, classes), X, [0])


def expectation(tree, x, known, node=0):
    """The expected prediction of a tree when only some columns are known."""
    left, right = tree.children_left[node], tree.children_right[node]
    if left < 0:
        return tree.value[node].ravel()
    column = tree.feature[node]
    if column in known:
        ((_, requested), _) = tree.branches(node)
        inside = int(x[column]) in requested.codes if hasattr(requested, "codes") and x[column] == x[column] else None
        inside = x[column] <= tree.threshold[node] if inside is None else inside
        goes = tree.missing_go_to_left[node] if np.isnan(x[column]) else inside
        return expectation(tree, x, known, left if goes else right)
    weight = tree.weighted_n_node_samples
    parts = weight[left] * expectation(tree, x, known, left) + weight[right] * expectation(tree, x, known, right)
    return parts / weight[node]


def brute_force(tree, x):
    """Shapley values from their definition, over all sets of columns."""
    p = len(x)
    found = np.zeros((p, tree.value[0].size))
    for i in range(p):
        others = [j for j in range(p) if j != i]
        for size in range(p):
            share = math.factorial(size) * math.factorial(p - size - 1) / math.factorial(p)
            for known in itertools.combinations(others, size):
                found[i] += share * (expectation(tree, x, {*known, i}) - expectation(tree, x, set(known)))
    return found


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 7), missing=st.sampled_from([0.0, 0.1]))
def test_shapley_values_are_those_of_all_subsets(seed, depth, missing):
    X, y, classes = rows(seed, 60, 5, missing)
    weight = np.random.default_rng(seed).uniform(0.5, 1.5, 60)
    for model, target in (
        (DecisionTreeRegressor(max_depth=depth), y),
        (DecisionTreeClassifier(max_depth=depth), classes),
    ):
        found = shap_values(model.fit(X, target, weight), X[:3])
        expected = np.array([brute_force(model.tree_, x) for x in X[:3]])
        np.testing.assert_allclose(found.values.reshape(expected.shape), expected, atol=1e-11)


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 7), missing=st.sampled_from([0.0, 0.1]))
def test_shapley_values_against_a_background_are_those_of_all_subsets(seed, depth, missing):
    X, y, classes = rows(seed, 60, 4, missing)
    background = X[40:45]
    for model, target in (
        (DecisionTreeRegressor(max_depth=depth), y),
        (DecisionTreeClassifier(max_depth=depth), classes),
    ):
        found = shap_values(model.fit(X, target), X[:3], background=background)
        predict = model.predict if target is y else model.predict_proba
        worth = {}
        for known in itertools.chain.from_iterable(itertools.combinations(range(4), size) for size in range(5)):
            mixed = np.repeat(background[None], 3, axis=0)
            mixed[:, :, list(known)] = X[:3, None, list(known)]
            worth[frozenset(known)] = predict(mixed.reshape(-1, 4)).reshape(3, 5, -1).mean(axis=1)
        expected = np.zeros((3, 4, worth[frozenset()].shape[1]))
        for known, value in worth.items():
            for i in set(range(4)) - known:
                share = math.factorial(len(known)) * math.factorial(3 - len(known)) / math.factorial(4)
                expected[:, i] += share * (worth[known | {i}] - value)
        np.testing.assert_allclose(found.values.reshape(expected.shape), expected, atol=1e-11)
        np.testing.assert_allclose(np.atleast_1d(found.base), worth[frozenset()][0], atol=1e-11)


def test_shapley_values_of_forests_add_up_on_any_number_of_threads():
    X, y, classes = rows(2, 200, 6, 0.05)
    numbers = RandomForestRegressor(12, random_state=0).fit(X, y)
    shares = RandomForestClassifier(12, random_state=0).fit(X, classes)
    found = shap_values(numbers, X)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), numbers.predict(X), atol=1e-10)
    of_classes = shap_values(shares, X)
    np.testing.assert_allclose(of_classes.base + of_classes.values.sum(axis=1), shares.predict_proba(X), atol=1e-10)
    assert of_classes.outputs == [0, 1, 2] and found.names[0] == "x0"
    trees = np.mean([shap_values(tree, X[:4]).values for tree in numbers.estimators_], axis=0)
    np.testing.assert_allclose(found.values[:4], trees, atol=1e-11)
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            np.testing.assert_array_equal(shap_values(numbers, X).values, found.values)
    with pytest.raises(ValueError, match="not a tree ensemble"):
        shap_values(LinearRegression().fit(y[:, None], y), y[:, None])
    with pytest.raises(learnable.NotFittedError):
        shap_values(DecisionTreeRegressor(), X)


def test_shapley_values_of_boosting_add_up_to_scores():
    X, y, classes = rows(3, 150, 4, 0.05)
    numbers = HistGradientBoostingRegressor(max_iter=8, min_samples_leaf=5).fit(X, y)
    found = shap_values(numbers, X)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), numbers.predict(X), atol=1e-8)
    several = HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=5).fit(X, classes)
    found = shap_values(several, X)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), several.decision_function(X), atol=1e-8)
    begun = GradientBoostingRegressor(n_estimators=3, init=LinearRegression()).fit(np.nan_to_num(X), y)
    with pytest.raises(ValueError, match="not a sum of trees"):
        shap_values(begun, X)
    assert partial_dependence(begun, np.nan_to_num(X), [0], grid_resolution=3).average.shape == (1, 3)
    trusted = HistGradientBoostingRegressor(max_iter=8, min_samples_leaf=5).fit(np.nan_to_num(X), y)
    brute, fast = (
        partial_dependence(trusted, np.nan_to_num(X), [0], method=m, grid_resolution=5).average
        for m in ("brute", "auto")
    )
    assert np.corrcoef(brute[0], fast[0])[0, 1] > 0.95


def test_a_long_chain_of_questions_is_still_exact():
    n = 40  # every column is requested once: row k stands alone on column k
    X, y = np.eye(n), np.arange(n, dtype=float) ** 2
    model = DecisionTreeRegressor().fit(X, y)
    found = shap_values(model, X)
    assert model.get_depth() > 20
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), y, atol=1e-8)
    assert found.base == pytest.approx(y.mean())


def test_the_table_of_importances_holds_every_measure():
    X, y, _ = rows()
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = RandomForestRegressor(5, random_state=0).fit(frame, y)
    table = importances(model, frame, y, random_state=0)
    found = permutation_importance(model, frame, y, n_repeats=10, random_state=0)
    order = np.argsort(-found.importances_mean)
    assert table.names == [found.names[j] for j in order]
    np.testing.assert_allclose(table.low, found.low[order])
    np.testing.assert_allclose(table.impurity, model.feature_importances_[order])
    np.testing.assert_allclose(table.shapley, shap_values(model, frame).importances()[order])
    plain = importances(LinearRegression().fit(X, y), X, y)
    assert plain.impurity is None and plain.shapley is None and len(str(plain).splitlines()) == 5


def test_pictures_show_what_was_found():
    X, y, classes = rows()
    model = RandomForestRegressor(5, random_state=0).fit(X, y)
    swarm = ShapDisplay.from_estimator(model, X)
    drawn = np.concatenate([dots.get_offsets()[:, 0] for dots in swarm.ax_.collections[:4]])
    np.testing.assert_allclose(np.sort(drawn), np.sort(shap_values(model, X).values.ravel()))
    bars = ShapDisplay.from_estimator(DecisionTreeClassifier().fit(X, classes), X, kind="bar", output=1)
    widths = [bar.get_width() for bar in bars.ax_.patches]
    assert widths == sorted(widths, reverse=True)
    found = permutation_importance(model, X, y, random_state=0)
    assert len(ImportancesDisplay.from_importances(found, names=list("abcd")).ax_.patches) == 4
    display = PartialDependenceDisplay.from_estimator(
        model, X, [0, (1, 2), 3], kind=["both", "average", "individual"], grid_resolution=8, centered=True, subsample=20
    )
    assert len(display.axes_[0].get_lines()) == 21 and len(display.axes_[2].get_lines()) == 20
    assert display.axes_[0].get_lines()[0].get_ydata()[0] == 0
    with pytest.raises(ValueError, match="kind"):
        ShapDisplay.from_estimator(model, X, kind="pie")


@pytest.mark.parametrize("model", [HistGradientBoostingRegressor(loss="poisson", max_iter=20),
                                   GradientBoostingRegressor(loss="gamma", n_estimators=20)], ids=str)  # fmt: skip
def test_partial_dependence_is_in_the_unit_of_the_prediction(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = rng.poisson(np.exp(X[:, 0] - 1)) + 0.5
    model = model.clone().fit(X, y)
    found = {
        method: partial_dependence(model, X, [0], grid_resolution=5, method=method) for method in ("auto", "brute")
    }
    np.testing.assert_allclose(found["auto"].average, found["brute"].average)
    assert (found["auto"].average > 0).all()
