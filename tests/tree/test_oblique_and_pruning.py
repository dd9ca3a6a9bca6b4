"""Oblique trees, and pruning by validation errors."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    ObliqueTreeClassifier,
    prune,
)


def slanted(seed=0, n=300):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X @ [1.0, -2.0, 0.5] > 0.3).astype(int)


@pytest.mark.parametrize("method", ["lda", "logistic", "perceptron"])
def test_a_slanted_boundary_takes_one_split(method):
    X, y = slanted()
    model = ObliqueTreeClassifier(method=method, max_depth=1).fit(X, y)
    assert model.score(X, y) > 0.96
    weights = model.tree_.weights[0] / np.linalg.norm(model.tree_.weights[0])
    assert abs(weights @ [1.0, -2.0, 0.5]) / np.sqrt(5.25) > 0.98
    whole = ObliqueTreeClassifier(method=method).fit(X, y)
    assert whole.score(X, y) == 1
    assert whole.get_n_leaves() < DecisionTreeClassifier().fit(X, y).get_n_leaves() / 2
    assert "+" in whole.rules()[0].conditions[0] or "-" in whole.rules()[0].conditions[0]
    np.testing.assert_array_equal([rule.leaf for rule in whole.explain(X[:5])], whole.apply(X[:5]))


@pytest.mark.parametrize("method", ["lda", "logistic", "perceptron"])
@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 4))
def test_no_column_splits_better_than_the_hyperplane(method, seed, classes):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, classes, 40)
    model = ObliqueTreeClassifier(method=method).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    ours = ObliqueTreeClassifier(method=method, max_depth=1).fit(X, y)
    left, right = (tree.tree_.impurity[1:] @ tree.tree_.weighted_n_node_samples[1:] for tree in (ours, stump))
    assert left <= right + 1e-9


def noisy(seed, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(260, 3))
    y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=260)
    y = y if kind == "numbers" else np.digitize(y, [-0.5, 0.5])
    return X[:130], y[:130], X[130:], y[130:]


def loss(model, X, y):
    """Squared errors of regression, misclassifications of classification."""
    predicted = model.predict(X)
    return float(((predicted - y) ** 2).sum()) if not hasattr(model, "classes_") else float((predicted != y).sum())


MODELS = [
    (DecisionTreeRegressor(min_samples_leaf=3), "numbers"),
    (DecisionTreeClassifier(min_samples_leaf=3), "classes"),
    (ObliqueTreeClassifier(min_samples_leaf=3.0), "classes"),
    (C45Classifier(confidence=None), "classes"),
]


@pytest.mark.parametrize(("model", "kind"), MODELS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("method", ["reduced_error", "bottom_up", "replacement"])
def test_pruning_never_increases_the_validation_errors(model, kind, method):
    X, y, fresh, truth = noisy(1, kind)
    whole = model.fit(X, y)
    before = whole.tree_.n_leaves
    smaller = prune(whole, fresh, truth, method=method)
    assert loss(smaller, fresh, truth) <= loss(whole, fresh, truth) + 1e-9
    assert smaller.tree_.n_leaves < before and whole.tree_.n_leaves == before
    again = prune(smaller, fresh, truth, method=method)
    assert again.tree_.n_leaves == smaller.tree_.n_leaves


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["numbers", "classes"]))
def test_no_further_pruning_step_reduces_the_errors(seed, kind):
    X, y, fresh, truth = noisy(seed, kind)
    model = DecisionTreeRegressor(max_depth=3) if kind == "numbers" else DecisionTreeClassifier(max_depth=3)
    model.fit(X, y)
    best = min(loss(cut, fresh, truth) for cut in every_subtree(model))
    cut = prune(model, fresh, truth, method="bottom_up")
    assert loss(cut, fresh, truth) >= best - 1e-9
    greedy = prune(model, fresh, truth)
    assert loss(greedy, fresh, truth) >= best - 1e-9
    for smaller in (cut, greedy):  # pruning one more node would not reduce the errors
        tree = smaller.tree_
        for node in np.flatnonzero(tree.children_left >= 0):
            if tree.children_left[tree.children_left[node]] < 0 and tree.children_left[tree.children_right[node]] < 0:
                less = without(smaller, [int(node)])
                assert loss(less, fresh, truth) > loss(smaller, fresh, truth) - 1e-9


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["numbers", "classes"]))
def test_bottom_up_pruning_by_either_rule(seed, kind):
    """TRE-18: nodes above leaves are pruned where the errors do not rise, or, if strict, only where they fall."""
    X, y, fresh, truth = noisy(seed, kind)
    model = DecisionTreeRegressor(max_depth=4) if kind == "numbers" else DecisionTreeClassifier(max_depth=4)
    model.fit(X, y)
    for strict in (False, True):
        expected = by_hand_bottom_up(model, fresh, truth, strict)
        found = prune(model, fresh, truth, method="bottom_up", strict=strict)
        assert found.get_n_leaves() == expected.get_n_leaves()
        np.testing.assert_array_equal(found.predict(fresh), expected.predict(fresh))


def by_hand_bottom_up(model, X, y, strict):
    """Twigs pruned one by one, in any order, until no further one may be."""
    changed = True
    while changed:
        changed, tree = False, model.tree_
        for node in np.flatnonzero(tree.children_left >= 0)[::-1]:
            if (tree.children_left[[tree.children_left[node], tree.children_right[node]]] < 0).all():
                less = without(model, [int(node)])
                rise = loss(less, X, y) - loss(model, X, y)
                if rise < -1e-9 or (not strict and rise < 1e-9):
                    model, changed = less, True
                    break
    return model


def test_ties_are_pruned_unless_strict():
    model = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 0])
    far = [[9.0]]  # no validation row reaches the twigs
    for method in ("bottom_up", "reduced_error", "replacement"):
        assert prune(model, far, [0], method=method).get_n_leaves() == 1
        assert prune(model, far, [0], method=method, strict=True).get_n_leaves() == 3
    assert prune(model, [[1.0]], [0], strict=True).get_n_leaves() < 3
    with pytest.raises(learnable.ParameterError, match="strict is for pruning by validation errors"):
        prune(model, method="pessimistic", strict=True)


def without(model, nodes):
    """The model whose tree has leaves at some nodes."""
    import copy

    tree, keep = model.tree_, np.ones(model.tree_.node_count, dtype=bool)
    above = tree.parents()
    for node in range(1, tree.node_count):
        keep[node] = keep[above[node]] and above[node] not in nodes
    smaller = copy.copy(model)
    smaller.tree_ = tree.pruned(keep)
    return smaller


def every_subtree(model):
    inner = np.flatnonzero(model.tree_.children_left >= 0).tolist()
    for size in range(len(inner) + 1):
        for nodes in itertools.combinations(inner, size):
            yield without(model, nodes)


def test_a_threshold_prunes_further_and_weights_count_rows():
    X, y, fresh, truth = noisy(3, "classes")
    model = DecisionTreeClassifier().fit(X, y)
    sizes = [
        prune(model, fresh, truth, method="replacement", threshold=t).get_n_leaves() for t in (0.0, 0.01, 0.05, 1.0)
    ]
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] == 1
    twice = prune(model, np.vstack([fresh, fresh[:20]]), np.append(truth, truth[:20]))
    weight = np.where(np.arange(len(truth)) < 20, 2.0, 1.0)
    weighted = prune(model, fresh, truth, sample_weight=weight)
    np.testing.assert_array_equal(twice.predict(X), weighted.predict(X))


def test_the_best_subtree_of_the_weakest_link_sequence_is_chosen():
    X, y, fresh, truth = noisy(4, "numbers")
    model = DecisionTreeRegressor().fit(X, y)
    best = prune(model, fresh, truth, method="cost_complexity")
    alphas = model.cost_complexity_pruning_path(X, y).ccp_alphas
    losses = [loss(DecisionTreeRegressor(ccp_alpha=alpha).fit(X, y), fresh, truth) for alpha in alphas[::8]]
    assert loss(best, fresh, truth) <= min(losses) + 1e-9


def test_pessimistic_pruning_needs_no_validation_set():
    X, y, fresh, truth = noisy(5, "classes")
    model = DecisionTreeClassifier().fit(X, y)
    smaller = prune(model, method="pessimistic")
    assert smaller.get_n_leaves() < model.get_n_leaves()
    assert smaller.score(fresh, truth) >= model.score(fresh, truth)


def test_invalid_pruning_arguments():
    X, y, fresh, truth = noisy(6, "numbers")
    model = DecisionTreeRegressor(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="method"):
        prune(model, fresh, truth, method="axe")
    with pytest.raises(ValueError, match="needs validation rows"):
        prune(model)
    with pytest.raises(ValueError, match="threshold"):
        prune(model, fresh, truth, method="replacement", threshold=-1.0)
    with pytest.raises(ValueError, match="confidence"):
        prune(model, method="pessimistic", confidence=2.0)
    with pytest.raises(ValueError, match="classification trees"):
        prune(model, method="pessimistic")
    with pytest.raises(learnable.NotFittedError):
        prune(DecisionTreeRegressor(), fresh, truth)
    with pytest.raises(ValueError, match="binary trees"):
        prune(ID3Classifier().fit([[0], [1]], [0, 1]), [[0]], [0], method="cost_complexity")


def test_the_threshold_is_a_fraction_of_the_total_weight():
    X, y = np.r_[np.zeros(10), np.ones(90)][:, None], np.r_[np.ones(10), np.zeros(90)].astype(int)
    model = DecisionTreeClassifier().fit(X, y)
    leaves = [prune(model, X, y, method="replacement", threshold=t).get_n_leaves() for t in (0.09, 0.101, 0.99)]
    assert leaves == [2, 1, 1]


@pytest.mark.parametrize("method", ["reduced_error", "bottom_up", "replacement", "cost_complexity"])
def test_a_pruned_tree_is_certified_by_its_own_errors(method):
    X, y, fresh, truth = noisy(4, "classes")
    model = DecisionTreeClassifier().fit(X, y)
    smaller = prune(model, fresh, truth, method=method)
    proof = smaller.certificate_
    assert proof is not model.certificate_ and proof.holds
    assert proof.value == pytest.approx(np.mean(smaller.predict(fresh) != truth))
    assert proof.tolerance == pytest.approx(np.mean(model.predict(fresh) != truth), abs=1e-8)


@pytest.mark.parametrize("package", [learnable, learnable.tree])
def test_shorter_names_of_the_oblique_tree_suggest_the_full_name(package):
    with pytest.raises(AttributeError, match="has no attribute 'ObliqueTree'; it has ObliqueTreeClassifier"):
        getattr(package, "Oblique" + "Tree")
