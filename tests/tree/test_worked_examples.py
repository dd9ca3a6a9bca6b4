"""Worked examples of trees."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest

import learnable
from learnable import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, impurity
from learnable.plot import ImpurityDisplay
from tests import references


@pytest.mark.parametrize(
    ("counts", "gini", "nats", "bits", "error"),
    [([4, 6], 0.48, 0.67301, 0.97095, 0.4), ([9, 1], 0.18, 0.32508, 0.46900, 0.1)],  # W-30, W-31
)
def test_impurity_of_a_node(counts, gini, nats, bits, error):
    assert impurity(counts) == pytest.approx(gini)
    assert impurity(counts, "entropy", base=np.e) == pytest.approx(nats, abs=1e-5)
    assert impurity(counts, "entropy") == pytest.approx(bits, abs=1e-5)
    assert impurity(counts, "error") == pytest.approx(error)
    display = ImpurityDisplay.from_shares([counts[0] / 10])
    assert [values[0] for values in display.values.values()] == pytest.approx([bits, gini, error], abs=1e-5)


def test_impurity_rejects_invalid_counts():
    for wrong in ([0, 0], [-1, 2], 3):
        with pytest.raises(ValueError, match="counts"):
            impurity(wrong)
    with pytest.raises(ValueError, match="criterion"):
        impurity([1, 2], "chaos")
    with pytest.raises(ValueError, match="base"):
        impurity([1, 2], "entropy", base=1)


def test_the_best_threshold_of_ten_rows():  # W-38
    x = np.arange(1.0, 11)
    y = np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])
    printed = [15.7231, 12.0834, 8.3656, 5.7755, 3.9113, 1.9300, 8.0098, 11.7354, 15.7386]
    squares = [sum(((side - side.mean()) ** 2).sum() for side in (y[:cut], y[cut:])) for cut in range(1, 10)]
    assert squares == pytest.approx(printed, abs=1e-4)
    tree = DecisionTreeRegressor(max_depth=1).fit(x[:, None], y).tree_
    assert tree.threshold[0] == 6.5
    assert tree.value[:, 0, 0] == pytest.approx([7.307, 6.2367, 8.9125], abs=1e-4)
    assert 10 * tree.impurity[0] == pytest.approx(19.1142, abs=1e-4)
    assert tree.impurity[1:] @ tree.n_node_samples[1:] == pytest.approx(1.9300, abs=1e-4)


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_numbers_of_splits_leaves_and_levels(depth):  # W-39
    X = np.random.default_rng(0).normal(size=(200, 3))
    tree = DecisionTreeRegressor(max_depth=depth).fit(X, X.sum(axis=1)).tree_
    splits = int((tree.children_left >= 0).sum())
    assert tree.n_leaves == splits + 1
    assert tree.max_depth == depth and depth + 1 <= tree.n_leaves <= 2**depth


def test_a_wave_with_outliers_is_underfitted_and_overfitted():  # APP-12
    rng = np.random.default_rng(0)
    x = np.sort(5 * rng.random(80))[:, None]
    y = np.cos(2 * x[:, 0])
    y[::5] += 3 * (0.5 - rng.random(16))
    grid = np.linspace(0, 5, 400)[:, None]
    truth = np.cos(2 * grid[:, 0])
    shallow, deep = (DecisionTreeRegressor(max_depth=depth).fit(x, y) for depth in (2, 5))
    errors = [np.mean((model.predict(grid) - truth) ** 2) for model in (shallow, deep)]
    trained = [np.mean((model.predict(x) - y) ** 2) for model in (shallow, deep)]
    assert trained[1] < trained[0] / 2 and min(errors) > 0.02
    middle = DecisionTreeRegressor(min_samples_leaf=5).fit(x, y)
    assert np.mean((middle.predict(grid) - truth) ** 2) < max(errors)


def test_regression_tree_of_house_prices():  # APP-02: the printed error of 6.82 belongs to no stated tree
    X, y, names = references.boston()
    train, test = learnable.train_test_split(np.arange(len(y)), test_size=0.2, random_state=0)
    model = DecisionTreeRegressor(random_state=0).fit(X[train], y[train])
    error = np.sqrt(np.mean((model.predict(X[test]) - y[test]) ** 2))
    assert 3.5 < error < 7
    best = np.argsort(-model.feature_importances_)[:2]
    assert {names[j] for j in best} == {"rm", "lstat"}
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_credit_scoring_with_mixed_columns():  # APP-29
    people = learnable.load_borrowers(as_frame=True)
    for model in (
        DecisionTreeClassifier(categorical_features="from_dtype"),
        C45Classifier(min_samples_leaf=1, confidence=None),
    ):
        model.fit(people.data, people.target)
        assert model.score(people.data, people.target) == 1
        assert any("income" in rule or "marital_status" in rule for rule in map(str, model.rules()))


def test_rotated_columns_simplify_a_slanted_boundary():  # PRE-13
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (600, 2))
    slanted, ring = (X.sum(axis=1) > 0.1).astype(int), (np.hypot(*X.T) < 0.6).astype(int)
    turn = np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2)
    leaves = {}
    for name, y in (("slanted", slanted), ("ring", ring)):
        leaves[name] = [DecisionTreeClassifier().fit(data, y).get_n_leaves() for data in (X, X @ turn)]
    assert leaves["slanted"][1] == 2 < leaves["slanted"][0] / 5
    assert min(leaves["ring"]) > 8  # no turn makes a ring of few boxes


def test_a_prediction_takes_one_comparison_per_level():  # TRE-26
    X = np.random.default_rng(0).normal(size=(2000, 4))
    model = DecisionTreeRegressor(min_samples_leaf=5).fit(X, X[:, 0] * X[:, 1])
    way = model.decision_path(X)
    assert np.diff(way.indptr).max() == model.get_depth() + 1
    levels = np.bincount(model.tree_.depth(), model.tree_.n_node_samples)
    assert levels.max() == len(X)  # each level passes each row once: growth is O(rows x columns x levels)
