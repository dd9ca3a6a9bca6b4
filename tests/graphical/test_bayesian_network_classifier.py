"""Bayesian network classifiers against naive Bayes, the product of tables, and the enumeration of missing features."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import learnable
from learnable.graphical import BayesianNetworkClassifier


def categorical(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = rng.integers(0, 3, (rows, 4))
    X[:, 0] = (X[:, 1] + y) % 3
    X[:, 2] = np.where(rng.random(rows) < 0.7, y, X[:, 2])
    return X, y


def test_the_naive_structure_is_naive_bayes():
    X, y = categorical()
    model = BayesianNetworkClassifier("naive", prior="dirichlet", prior_strength=1.0).fit(X, y)
    naive = learnable.CategoricalNB(alpha=1.0, fit_prior=True).fit(X, y)
    smoothed = (np.bincount(y) + 1) / (len(y) + 3)
    expected = naive.predict_proba(X) / np.exp(naive.class_log_prior_) * smoothed
    np.testing.assert_allclose(model.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), atol=1e-10)
    rng = np.random.default_rng(0)
    Z, z = rng.standard_normal((200, 3)) + np.arange(200)[:, None] % 2, np.arange(200) % 2
    normal = BayesianNetworkClassifier("naive", prior="mle").fit(Z, z)
    gaussian = learnable.GaussianNB(var_smoothing=0).fit(Z, z)
    np.testing.assert_allclose(normal.predict_proba(Z), gaussian.predict_proba(Z), atol=1e-9)


def joint(model, row, k):
    """P(class k, row) as the product of table entries."""
    code = [*row, k]
    card = [len(states) for states in model.states_]
    total = 1.0
    for v, above in enumerate(model.parents_):
        index = 0
        for u in above.tolist():
            index = index * card[u] + code[u]
        total *= model.tables_[v][index, code[v]]
    return total


@pytest.mark.parametrize("structure", ["naive", "tan", "kdb", "hill_climbing"])
def test_posteriors_are_products_of_tables_and_sums_over_missing_features(structure):
    X, y = categorical()
    model = BayesianNetworkClassifier(structure).fit(X, y)
    rows = X[:12].astype(object)
    rows[::2, 0] = None
    rows[::3, 2] = None
    for row, found in zip(rows, model.predict_proba(rows), strict=True):
        choices = [range(3) if entry is None else [entry] for entry in row]
        expected = np.array([sum(joint(model, filled, k) for filled in product(*choices)) for k in range(3)])
        np.testing.assert_allclose(found, expected / expected.sum(), atol=1e-10)


def test_trees_and_dependences_see_what_naive_bayes_cannot():
    X, y = categorical(1000)
    scores = {s: BayesianNetworkClassifier(s).fit(X, y).score(X, y) for s in ("naive", "tan", "kdb", "hill_climbing")}
    assert scores["naive"] < 0.85 and min(scores["tan"], scores["kdb"], scores["hill_climbing"]) > 0.98
    model = BayesianNetworkClassifier("tan").fit(X, y)
    assert (len(model.edges_) == 4 + 3 and ("x0", "x1") in model.edges_) or ("x1", "x0") in model.edges_
    assert max(map(len, BayesianNetworkClassifier("kdb", k=1).fit(X, y).parents_)) == 2


def test_the_tree_maximises_conditional_mutual_information():
    from learnable.metrics import mutual_info_score

    X, y = categorical(400, seed=3)
    model = BayesianNetworkClassifier("tan").fit(X, y)

    def information(a, b):
        return sum(np.mean(y == k) * mutual_info_score(X[y == k, a], X[y == k, b]) for k in range(3))

    chosen = [(a, b) for b, above in enumerate(model.parents_[:4]) for a in above.tolist() if a < 4]
    best = max(
        sum(information(a, b) for a, b in tree)
        for tree in product([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], repeat=3)
        if len({frozenset(edge) for edge in tree}) == 3 and len(joined(tree)) == 4
    )
    assert sum(information(a, b) for a, b in chosen) == pytest.approx(best, rel=1e-9)


def joined(tree):
    """The nodes that can be reached from the first."""
    seen = {tree[0][0]}
    for _ in range(4):
        for a, b in tree:
            if a in seen or b in seen:
                seen |= {a, b}
    return seen


def test_states_that_were_not_seen_count_as_missing():
    X, y = categorical()
    model = BayesianNetworkClassifier("tan").fit(X, y)
    odd = X[:5].astype(object)
    gone = odd.copy()
    odd[:, 1], gone[:, 1] = 77, None
    np.testing.assert_array_equal(model.predict_proba(odd), model.predict_proba(gone))


def test_training_with_missing_features_sums_over_them():
    X, y = categorical(600)
    holes = X.astype(object)
    holes[np.random.default_rng(0).random(X.shape) < 0.1] = None
    model = BayesianNetworkClassifier("tan").fit(holes, y)
    assert model.certificate_.kind == "likelihood gain" and model.score(X, y) > 0.97
