"""ID3 and C4.5: textbook trees and gains, and splits by brute force."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable import C45Classifier, ID3Classifier, entropy, export_text, gain_ratio, information_gain
from learnable.engines.trees.pruning.error_pruning import upper_error_limits


def weather():
    found = learnable.load_weather(as_frame=True)
    return found.data, found.target


def test_id3_grows_the_textbook_tree_of_the_weather():
    days, play = weather()
    gains = {name: information_gain(play, days[name]) for name in days}
    expected = {"outlook": 0.2467, "temperature": 0.0292, "humidity": 0.1518, "wind": 0.0481}
    assert {name: round(gain, 4) for name, gain in gains.items()} == expected
    for model in (ID3Classifier(), C45Classifier()):
        found = export_text(model.fit(days, play), feature_names=list(days.columns), class_names=["no", "yes"])
        assert found.splitlines() == [
            "|--- outlook is overcast",
            "|   |--- class: yes",
            "|--- outlook is rain",
            "|   |--- wind is strong",
            "|   |   |--- class: no",
            "|   |--- wind is weak",
            "|   |   |--- class: yes",
            "|--- outlook is sunny",
            "|   |--- humidity is high",
            "|   |   |--- class: no",
            "|   |--- humidity is normal",
            "|   |   |--- class: yes",
        ]
    removed = model.tree_.compute_feature_importances(4, normalize=False)
    assert removed[0] == pytest.approx(gains["outlook"])
    assert removed.sum() == pytest.approx(entropy([9, 5], kind="counts"))


def grid(first, second):
    """Classes and branch of each row, given the class counts of two branches."""
    sides = [np.repeat([0, 1], counts) for counts in (first, second)]
    return np.concatenate(sides), np.repeat([0, 1], [len(side) for side in sides])


def test_gain_and_gain_ratio_of_the_grid():  # W-35, W-36, W-37
    one, two = grid([0, 4], [11, 5]), grid([3, 8], [8, 1])
    assert information_gain(*one) == pytest.approx(0.27594, abs=1e-5)
    assert information_gain(*two) == pytest.approx(0.30137, abs=1e-5)
    assert gain_ratio(*one) == pytest.approx(0.3822, abs=1e-4)
    assert gain_ratio(*two) == pytest.approx(0.3036, abs=1e-4)
    assert gain_ratio(*one, divide_by="target") == pytest.approx(0.2780, abs=1e-4)
    assert gain_ratio(*two, divide_by="target") == pytest.approx(0.3036, abs=1e-4)
    assert gain_ratio([0, 1], ["a", "a"]) == 0


def test_gain_ratio_rejects_a_column_of_identifiers():
    rng = np.random.default_rng(0)
    good = rng.random(80) < 0.5
    customers = pd.DataFrame(
        {"card": [f"number {k}" for k in range(80)], "income": np.where(good ^ (rng.random(80) < 0.1), "high", "low")}
    )
    by_gain, by_ratio = (
        ID3Classifier(criterion=rule).fit(customers, good) for rule in ("information_gain", "gain_ratio")
    )
    assert by_gain.tree_.feature[0] == 0 and by_ratio.tree_.feature[0] == 1
    assert C45Classifier().fit(customers, good).tree_.feature[0] == 1


RULES = [
    "information_gain",
    "gain_ratio",
    "gini",
    "error",
    "gain_over_entropy",
    "fewest_values",
    "most_values",
    "random",
]


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=12)
@given(seed=st.integers(0, 10_000))
def test_consistent_categories_are_learned_without_error(rule, seed):
    rng = np.random.default_rng(seed)
    X = np.unique(rng.integers(0, 3, (30, 4)), axis=0)
    y = rng.integers(0, 3, len(X))
    model = ID3Classifier(criterion=rule, random_state=seed).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    tree = model.tree_
    assert tree.n_leaves == tree.node_count - (tree.feature >= 0).sum()
    if rule in ("information_gain", "gain_ratio", "gini"):
        _best_at_every_node(model, X, y, rule)


def _best_at_every_node(model, X, y, rule):
    """No other column would have a better score at any node."""
    way = model.decision_path(X).toarray() > 0
    for node in np.flatnonzero(model.tree_.feature >= 0):
        here = way[:, node]
        scores = [_score(X[here, j], y[here], rule) for j in range(X.shape[1])]
        assert scores[model.tree_.feature[node]] >= max(scores) - 1e-9


def _score(column, y, rule):
    if len(np.unique(column)) < 2:
        return -np.inf
    if rule == "gini":
        return -sum(
            (column == v).sum() * (1 - ((np.bincount(y[column == v]) / (column == v).sum()) ** 2).sum())
            for v in np.unique(column)
        )
    return information_gain(y, column) if rule == "information_gain" else gain_ratio(y, column)


def test_mushrooms_are_classified_perfectly():
    rng = np.random.default_rng(1)  # like the mushroom data: odour and spores decide, the rest is noise
    n = 4000
    table = {f"feature {k}": rng.choice(list("abcdefg"), n) for k in range(12)}
    table["smell"] = rng.choice(["almond", "anise", "none", "foul", "fishy"], n, p=[0.1, 0.1, 0.4, 0.2, 0.2])
    table["spores"] = rng.choice(["black", "brown", "green", "white"], n)
    table["habitat"] = rng.choice(["woods", "paths", "leaves"], n)
    bad = np.isin(table["smell"], ["foul", "fishy"]) | (
        (table["smell"] == "none")
        & ((table["spores"] == "green") | ((table["spores"] == "white") & (table["habitat"] == "leaves")))
    )
    frame = pd.DataFrame(table)
    for model in (ID3Classifier(), C45Classifier()):
        model.fit(frame[:2000], bad[:2000])
        assert model.score(frame, bad) == 1
        assert model.get_n_leaves() == 5 + 4 + 3 - 2


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_c45_thresholds_maximise_the_gain_ratio(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(40, 2)), 1)
    y = rng.integers(0, 2, 40)
    weight = rng.integers(1, 3, 40).astype(float)
    model = C45Classifier(confidence=None, max_depth=1, min_samples_leaf=3).fit(X, y, weight)
    offers = []
    for j, column in enumerate(X.T):
        values = np.unique(column)
        cuts = (values[1:] + values[:-1]) / 2
        gains = [information_gain(y, column > cut, sample_weight=weight) for cut in cuts]
        enough = [min(weight[column > cut].sum(), weight[column <= cut].sum()) >= 3 for cut in cuts]
        gains = np.where(enough, gains, -np.inf)
        best = int(np.argmax(gains))
        penalty = np.log2(len(cuts)) / weight.sum()
        offers.append(
            (
                gains[best] - penalty,
                entropy([weight[column > cuts[best]].sum(), weight[column <= cuts[best]].sum()], kind="counts"),
                j,
                cuts[best],
            )
        )
    good = [offer for offer in offers if offer[0] > 1e-9]
    if not good:
        assert model.tree_.node_count == 1
        return
    mean = np.mean([gain for gain, *_ in good])
    _, _, column, cut = max(
        (gain / information, -j, j, cut) for gain, information, j, cut in good if gain >= mean - 1e-3
    )
    assert model.tree_.feature[0] == column
    assert (X[:, column] > model.tree_.threshold[0]).tolist() == (X[:, column] > cut).tolist()


def test_rows_with_missing_values_take_all_branches_in_fractions():
    days, play = weather()
    days = days[["outlook", "wind"]]
    holes = days.copy()
    holes.loc[11, "outlook"] = None  # Quinlan's own example
    model = C45Classifier(confidence=None).fit(holes, play)
    assert model.tree_.feature[0] == 0
    known = holes["outlook"].notna()
    gain = known.mean() * information_gain(play[known], holes["outlook"][known])
    assert gain == pytest.approx(0.199, abs=1e-3)
    shares = model.tree_.weighted_n_node_samples[model.tree_.child[:3]]
    np.testing.assert_allclose(shares, np.array([3, 5, 5]) * 14 / 13)
    lost = days[:1].assign(outlook=None)
    found = model.predict_proba(lost)[0]
    ends = [model.predict_proba(lost.assign(outlook=sky))[0] for sky in ("overcast", "rain", "sunny")]
    np.testing.assert_allclose(found, np.average(ends, axis=0, weights=[3, 5, 5]))


def test_missing_is_a_category_of_its_own_for_id3():
    table = pd.DataFrame({"a": ["x", None, "x", None, "y"], "b": ["p", "p", "q", "q", "p"]})
    model = ID3Classifier().fit(table, [0, 1, 0, 1, 0])
    assert model.tree_.feature[0] == 0 and model.score(table, [0, 1, 0, 1, 0]) == 1
    assert "a is missing" in export_text(model, feature_names=["a", "b"])
    assert model.predict(pd.DataFrame({"a": ["never seen"], "b": ["p"]}))[0] == 0  # as most rows of the first node


def test_upper_error_limits():
    found = upper_error_limits(np.array([0.0, 0.0, 0.0, 1.0, 6.0]), np.array([6.0, 9.0, 1.0, 16.0, 6.0]), 0.25)
    np.testing.assert_allclose(
        found, [6 * 0.206, 9 * 0.143, 0.75, 16 * 0.157, 6.0], rtol=0.02
    )  # as in Quinlan's book, which is rounded


def test_pessimistic_pruning_removes_noise_and_keeps_structure():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (400, 6)).astype(str)
    y = (X[:, 0] > "1").astype(int)
    noise = np.where(rng.random(400) < 0.15, 1 - y, y)
    whole, pruned = (C45Classifier(confidence=level).fit(X, noise) for level in (None, 0.25))
    assert pruned.get_n_leaves() < whole.get_n_leaves() / 2
    fresh = rng.integers(0, 4, (2000, 6)).astype(str)
    assert pruned.score(fresh, fresh[:, 0] > "1") > whole.score(fresh, fresh[:, 0] > "1")
    assert C45Classifier().fit(X, y).get_n_leaves() == 4


def estimated(tree, node, X, y, rows, weight, pruned):
    """Quinlan's estimate of the errors below a node, row by row; prunes the children of each node before it."""
    counts = np.bincount(y[rows], weight, 3)
    as_leaf = float(upper_error_limits(np.array([counts.sum() - counts.max()]), np.array([counts.sum()]), 0.25)[0])
    if not tree[node]["children"] or not counts.sum():
        return as_leaf if counts.sum() else 0.0
    column, cut = tree[node]["column"], tree[node]["cut"]
    known = ~np.isnan(X[rows, column])
    sides = [known & (X[rows, column] <= cut), known & (X[rows, column] > cut)]
    totals = [weight[side].sum() for side in sides]
    parts = []
    for side, total in zip(sides, totals, strict=True):
        share = total / sum(totals)
        there = side | (~known & (share > 0))
        parts.append((rows[there], np.where(known, weight, weight * share)[there]))
    apart = sum(
        estimated(tree, child, X, y, *part, pruned) for child, part in zip(tree[node]["children"], parts, strict=True)
    )
    if not pruned:
        return apart
    largest = tree[node]["children"][int(np.argmax([part[1].sum() for part in parts]))]
    raised = estimated(tree, largest, X, y, rows, weight, False)
    if as_leaf <= min(raised, apart) + 0.1:
        tree[node] = {"children": []}
        return as_leaf
    if raised <= apart + 0.1:
        tree[node] = dict(tree[largest])
        return estimated(tree, node, X, y, rows, weight, True)
    return apart


def leaves_below(tree, node):
    children = tree[node]["children"]
    return sum(leaves_below(tree, child) for child in children) if children else 1


@pytest.mark.parametrize("seed", range(8))
def test_subtree_raising_equals_a_row_by_row_recursion(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4)).round(1)
    y = (X[:, 0] + rng.normal(size=150) > 0).astype(int) + (X[:, 1] > 1)
    X[rng.random(X.shape) < 0.1 * (seed % 2)] = np.nan
    whole = C45Classifier(confidence=None, min_samples_leaf=1).fit(X, y).tree_
    tree = [
        {"column": whole.feature[k], "cut": whole.threshold[k], "children": [child for child, _ in whole.branches(k)]}
        for k in range(whole.node_count)
    ]
    estimated(tree, 0, X, y, np.arange(150), np.ones(150), True)
    found = C45Classifier(min_samples_leaf=1).fit(X, y)
    assert found.get_n_leaves() == leaves_below(tree, 0)
    grown, open_nodes = found.tree_, [(0, 0)]
    while open_nodes:
        node, other = open_nodes.pop()
        if not tree[other]["children"]:
            assert grown.is_leaf[node]
            continue
        assert (grown.feature[node], grown.threshold[node]) == (tree[other]["column"], tree[other]["cut"])
        open_nodes += zip((child for child, _ in grown.branches(node)), tree[other]["children"], strict=True)
    again = grown.decision_path(X)  # the class counts of nodes are those of their rows
    np.testing.assert_allclose(np.asarray(again.sum(axis=0)).ravel(), grown.weighted_n_node_samples)


def test_some_subtrees_are_raised():
    def smaller(seed):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 4)).round(1)
        y = (X[:, 0] + rng.normal(size=150) > 0).astype(int)
        plain, raised = (C45Classifier(min_samples_leaf=1, subtree_raising=raising) for raising in (False, True))
        return raised.fit(X, y).get_n_leaves() < plain.fit(X, y).get_n_leaves()

    assert any(map(smaller, range(8)))


def test_invalid_parameters():
    days, play = weather()
    with pytest.raises(learnable.ParameterError, match="criterion"):
        ID3Classifier(criterion="luck").fit(days, play)
    with pytest.raises(learnable.DataError, match="categorical_features"):
        C45Classifier(categorical_features=[0]).fit(days, play)
    with pytest.raises(learnable.NotFittedError):
        C45Classifier().get_depth()
