"""Rules, text exports and diagrams of decision trees."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
import sklearn.tree as theirs
from matplotlib import pyplot

import learnable
from learnable import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    ObliqueTreeClassifier,
    RandomForestClassifier,
    export_graphviz,
    export_text,
    permutation_importance,
    plot_tree,
    prune,
)
from learnable.core import DataError
from learnable.plot import ImportancesDisplay, PartitionDisplay


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def rows(seed=0, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(float)  # the precision of scikit-learn
    y = X @ [1.0, -0.5, 0.2] + 0.3 * rng.normal(size=n)
    return X, y, np.digitize(y, [-0.5, 0.5])


def pairs():
    """Our trees and those of scikit-learn, which are equal."""
    X, y, classes = rows()
    options = {"max_depth": 3, "min_samples_leaf": 9}
    weight = np.random.default_rng(1).uniform(0.5, 1.5, len(y))  # no ties between splits
    return [
        (cls(**options).fit(X, target, weight), other(**options).fit(X, target, weight))
        for cls, other, target in (
            (DecisionTreeClassifier, theirs.DecisionTreeClassifier, classes),
            (DecisionTreeRegressor, theirs.DecisionTreeRegressor, y),
            (DecisionTreeRegressor, theirs.DecisionTreeRegressor, np.column_stack([y, -2 * y])),
        )
    ]


@pytest.mark.parametrize(
    "options",
    [{}, {"max_depth": 1}, {"show_weights": True, "decimals": 3, "spacing": 2}, {"feature_names": ["a", "b", "c"]}],
)
def test_text_agrees_with_scikit_learn(options):
    for ours, other in pairs():
        assert export_text(ours, **options) == theirs.export_text(other, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_depth": 1, "rotate": True, "leaves_parallel": True, "rounded": True},
        {"label": "root", "node_ids": True, "impurity": False, "proportion": True, "class_names": ["x", "y", "z"]},
        {"label": "none", "feature_names": ['a "b"', "b", "c"]},
        {"special_characters": True, "class_names": True},
    ],
)
def test_graphviz_agrees_with_scikit_learn(options, tmp_path):
    for ours, other in pairs()[:2]:
        exported, expected = export_graphviz(ours, **options), theirs.export_graphviz(other, **options)
        assert _plain(exported) == _plain(expected)
        export_graphviz(ours, tmp_path / "tree.dot", **options)
        assert (tmp_path / "tree.dot").read_text() == exported


def _plain(text):
    """Normalised numbers: scikit-learn writes some with trailing zeros, and zero as -0.0."""
    import re

    return re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]) + 0.0:g}", text)


def test_exactly_one_rule_holds_for_a_row():
    X, _, classes = rows()
    model = DecisionTreeClassifier(max_depth=4).fit(X, classes)
    rules = model.rules(feature_names=["a", "b", "c"], decimals=12)
    frame = dict(zip("abc", X.T, strict=True))
    held = np.array([_holds(rule, frame, len(X)) for rule in rules])
    assert (held.sum(axis=0) == 1).all()
    predictions = np.array([rule.prediction for rule in rules])[held.argmax(axis=0)]
    np.testing.assert_array_equal(predictions, model.predict(X))
    assert [rule.leaf for rule in model.explain(X)] == model.apply(X).tolist()
    for rule, mark in zip(rules, held, strict=True):
        assert rule.rows == mark.sum() and rule.share == pytest.approx((classes[mark] == rule.prediction).mean())


def test_a_branch_for_missing_values_is_described():
    X = np.array([[0.0, 1.0], [5.0, 2.0], [np.nan, 1.0], [np.nan, 2.0], [2.0, 3.0]])
    y = [0, 0, 1, 1, 0]
    model = DecisionTreeClassifier().fit(X, y)
    assert [str(rule).split(" then")[0] for rule in model.rules()] == ["if x0 is known", "if x0 is missing"]
    assert str(model.explain(X[2:3])[0]).startswith("if x0 is missing then 1")
    assert "|--- size is missing" in export_text(model, feature_names=["size", "age"])
    assert "size is known" in export_graphviz(model, feature_names=["size", "age"])


def test_rows_without_a_branch_are_explained_by_their_last_node():
    days = pd.DataFrame({"sky": ["sun", "sun", "rain", "rain"], "wind": ["weak", "strong", "weak", "strong"]})
    model = ID3Classifier().fit(days, ["yes", "yes", "yes", "no"])
    fog, still = model.explain(pd.DataFrame({"sky": ["fog", "rain"], "wind": ["weak", "none"]}))
    assert (fog.conditions, fog.prediction, fog.rows) == ([], "yes", 4)
    assert (still.conditions, still.rows, still.share) == (["sky is rain"], 2, 0.5)


def _holds(rule, frame, n):
    holds = np.ones(n, dtype=bool)
    for words in rule.conditions:
        if words.count("<") == 2:
            low, _, name, _, high = words.split()
            holds &= (float(low) < frame[name]) & (frame[name] <= float(high))
        else:
            name, relation, number = words.split()
            holds &= frame[name] <= float(number) if relation == "<=" else frame[name] > float(number)
    return holds


def test_categories_are_described_by_name():
    weather = learnable.load_weather(as_frame=True)
    columns = list(weather.data.columns)
    model = DecisionTreeClassifier(categorical_features="from_dtype").fit(weather.data, weather.target)
    assert model.score(weather.data, weather.target) == 1
    assert "outlook is overcast\n" in export_text(model, feature_names=columns)
    assert str(model.rules()[-1]) == "if outlook is overcast then 1   (4 rows, 100%)"
    many = ID3Classifier().fit(weather.data, weather.target)
    assert str(many.explain(weather.data[:1])[0]) == "if outlook is sunny and humidity is high then 0   (3 rows, 100%)"
    drawn = plot_tree(many, feature_names=columns)
    assert drawn[0].get_text().startswith("outlook\n")
    assert {"overcast", "rain", "sunny"} <= {text.get_text() for text in drawn[0].axes.texts}


@pytest.mark.parametrize("kind", ["names", "numbers", "marks"])
def test_categorical_columns_by_name_index_or_mask(kind):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 5, 200)
    frame = pd.DataFrame({"size": rng.normal(size=200), "kind": pd.Categorical(np.array(list("abcde"))[codes])})
    y = np.isin(codes, [0, 3]).astype(float)
    columns = {"names": ["kind"], "numbers": [-1], "marks": [False, True]}[kind]
    model = DecisionTreeRegressor(categorical_features=columns).fit(frame, y)
    assert model.get_n_leaves() == 2
    np.testing.assert_allclose(model.predict(frame), y, atol=1e-12)
    new = pd.DataFrame({"size": [0.0, 0.0], "kind": pd.Categorical(["d", "never seen"])})
    assert model.predict(new)[0] == pytest.approx(1)
    with pytest.raises(learnable.ParameterError, match="weight"):
        DecisionTreeRegressor(categorical_features=["weight"]).fit(frame, y)


def test_the_diagram_shows_the_nodes_of_the_tree():
    X, y, classes = rows()
    model = DecisionTreeClassifier(max_depth=2).fit(X, classes)
    drawn = plot_tree(model, filled=True, rounded=True, class_names=["low", "mid", "high"], X=X, y=classes)
    other = theirs.plot_tree(theirs.DecisionTreeClassifier(max_depth=2).fit(X, classes), ax=pyplot.figure().gca())
    assert len(drawn) == model.tree_.node_count == len([a for a in other if hasattr(a, "get_bbox_patch")]) - 2
    shares = [patch.get_width() for patch in drawn[0].axes.patches]
    counts = model.tree_.value[0, 0]
    np.testing.assert_allclose(np.array(shares[:3]) / sum(shares[:3]), counts)
    assert len(drawn[0].axes.child_axes) == 3  # one for each split
    numbers = plot_tree(DecisionTreeRegressor(max_depth=2).fit(X, y), X=X, y=y, ax=pyplot.figure().gca(), max_depth=1)
    assert [artist.get_text() for artist in numbers].count("(...)") == 4
    with pytest.raises(ValueError, match="label"):
        plot_tree(model, label="some")


def test_boxes_of_a_partition_predict_as_the_tree_does():
    X, y, classes = rows()
    for model, target in ((DecisionTreeClassifier(max_depth=4), classes), (DecisionTreeRegressor(max_depth=4), y)):
        display = PartitionDisplay.from_estimator(model.fit(X[:, :2], target), X[:, :2], target)
        left, right, bottom, top = display.boxes.T
        area = ((right - left) * (top - bottom)).sum()
        assert area == pytest.approx((right.max() - left.min()) * (top.max() - bottom.min()))
        middle = np.column_stack([(left + right) / 2, (bottom + top) / 2])
        np.testing.assert_allclose(model.tree_.predict(middle)[:, 0], display.value)
    assert len(PartitionDisplay.from_estimator(model, X[:, :2], max_depth=1).boxes) == 2
    with pytest.raises(ValueError, match="two columns"):
        PartitionDisplay.from_estimator(model, X)


def test_only_boxes_of_one_target_are_drawn_as_boxes():
    X, y, classes = rows()
    for model, target, why in (
        (ObliqueTreeClassifier(max_depth=2), classes, "not boxes"),
        (DecisionTreeRegressor(categorical_features=[0], max_depth=2), y, "not boxes"),
        (DecisionTreeRegressor(max_depth=2), np.column_stack([y, y]), "several targets"),
    ):
        with pytest.raises(ValueError, match=why):
            PartitionDisplay.from_estimator(model.fit(np.round(X[:, :2]), target), X[:, :2])
    chain = DecisionTreeClassifier().fit(np.arange(2500.0).repeat(2).reshape(-1, 2), np.arange(2500) % 2)
    assert chain.get_depth() > 1010
    assert len(PartitionDisplay.from_estimator(chain, np.eye(2), max_depth=1010).boxes) == 1011


def test_rows_are_drawn_with_valid_targets():
    X, y, classes = rows()
    model = DecisionTreeClassifier(max_depth=1).fit(X, classes)
    for y_given, why in ((None, "pass y too"), (classes[:5], "inconsistent"), (classes + 9, "not a class of the tree")):
        with pytest.raises(ValueError, match=why):
            plot_tree(model, X=X, y=y_given)
    both = DecisionTreeRegressor(max_depth=1).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="single-output"):
        plot_tree(both, X=X, y=y)


def test_importances_are_drawn_in_order():
    X, y, _ = rows()
    model = DecisionTreeRegressor(max_depth=3).fit(X, y)
    display = ImportancesDisplay.from_estimator(model)
    assert display.ax_.get_yticklabels()[0].get_text() == "x0"
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, np.sort(model.feature_importances_)[::-1])
    frame = pd.DataFrame(X, columns=["one", "two", "three"])
    found = permutation_importance(model.fit(frame, y), frame, y, random_state=0)
    assert ImportancesDisplay.from_importances(found).ax_.get_yticklabels()[0].get_text() == "one"


def test_invalid_names_are_rejected():
    X, _, classes = rows()
    model = DecisionTreeClassifier(max_depth=1).fit(X, classes)
    for call in (export_text, export_graphviz, plot_tree):
        with pytest.raises(ValueError, match="feature_names"):
            call(model, feature_names=["a"])
        with pytest.raises(learnable.NotFittedError):
            call(DecisionTreeClassifier())
        with pytest.raises(ValueError, match="class_names must be a name for each of 3 classes"):
            call(model, class_names=["a"])
    with pytest.raises(ValueError, match="spacing"):
        export_text(model, spacing=0)
    assert C45Classifier().fit(X, classes).rules()


def test_text_export_needs_a_single_tree():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    for describe in (export_text, export_graphviz, plot_tree, prune):
        with pytest.raises(DataError, match="got RandomForestClassifier; of a forest, pass one of its estimators_"):
            describe(forest)
    assert "class" in export_text(forest.estimators_[0])


def test_deep_trees_are_exported_completely():
    X = np.arange(3000.0)[:, None]
    model = DecisionTreeClassifier(random_state=0).fit(X, np.arange(3000) % 2)
    assert export_text(model, max_depth=10**6).count("class:") == model.get_n_leaves()


def test_nodes_name_their_impurity():
    X, y = [["a"], ["a"], ["b"], ["b"]], [0, 0, 1, 1]
    assert "entropy = 1.0" in export_graphviz(ID3Classifier().fit(X, y))
    assert "gini = 0.5" in export_graphviz(ID3Classifier(criterion="gini").fit(X, y))
    assert "entropy = 1.0" in export_graphviz(C45Classifier(min_samples_leaf=1).fit(X, y))


def test_explanations_of_rows_with_missing_values_mention_missing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=200), "kind": rng.choice(list("abc"), 200)})
    y = 3.0 * (frame["size"] > 0) + (frame["kind"] == "b")
    frame.loc[rng.random(200) < 0.2, "size"] = np.nan
    frame.loc[rng.random(200) < 0.2, "kind"] = None
    model = DecisionTreeRegressor(categorical_features=["kind"], max_depth=4).fit(frame, y)
    for row, rule in zip(frame.itertuples(), model.explain(frame), strict=True):
        said = {name: [words for words in rule.conditions if name in words] for name in ("size", "kind")}
        for name, empty in (("size", np.isnan(row.size)), ("kind", not isinstance(row.kind, str))):
            assert all(("missing" in words) == empty for words in said[name]), (row, rule)
    assert any("missing" in words for rule in model.explain(frame) for words in rule.conditions)
    assert not any(" or missing" in words for rule in model.rules() for words in rule.conditions)


def test_long_names_and_many_categories_stay_legible():
    words = np.array([f"a category with a long name {k}" for k in range(30)] * 4, dtype=object)
    X = np.stack([words, np.arange(120) % 7], axis=1).astype(object)
    names = ["kind", "a rather long name of a column, with its unit in metres per second"]
    model = DecisionTreeRegressor(max_depth=2, categorical_features=[0]).fit(X, np.arange(120) % 13)
    figure, ax = pyplot.subplots(figsize=(10, 6))
    drawn = plot_tree(model, feature_names=names, ax=ax)
    pyplot.close(figure)
    assert max(len(line) for box in drawn for line in box.get_text().split("\n")) <= 30
    assert min(box.get_fontsize() for box in drawn) > 5
