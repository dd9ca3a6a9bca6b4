"""Functions that compare all rows keep to a budget; predictions of a fitted model do not need one."""

import time

import numpy as np
import pytest

import learnable
from learnable import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    linkage,
    linkage_tree,
    ratio_cut_bound,
    score_every_k,
    silhouette_score,
    ward_tree,
)

X = np.random.default_rng(0).normal(size=(400, 3))
CLASSES, NUMBERS = (X[:, 0] > 0).astype(int), X[:, 0] + X[:, 1]
MEDIAN = KNeighborsRegressor(average="median", weights="distance")


@pytest.mark.parametrize(
    "work",
    [
        lambda: score_every_k(X, CLASSES),
        lambda: score_every_k(X, CLASSES, cv=5),
        lambda: score_every_k(np.hstack([X] * 6), CLASSES),
        lambda: score_every_k(X, CLASSES, estimator=KNeighborsClassifier(metric="canberra")),
        lambda: score_every_k(X, NUMBERS, estimator=MEDIAN),
        lambda: linkage(X),
        lambda: linkage(X, "average"),
        lambda: linkage(X, "ward"),
        lambda: ward_tree(X),
        lambda: linkage_tree(X, np.ones((400, 400))),
        lambda: silhouette_score(X, CLASSES),
        lambda: silhouette_score(X, CLASSES, metric="gower"),
        lambda: ratio_cut_bound(np.ones((400, 400)), 130),
    ],
)
def test_a_budget_that_is_used_up_ends_them(work):
    with pytest.raises(learnable.BudgetError, match="give it more time"), learnable.budget(seconds=1e-9):
        work()


def test_votes_give_way_between_two_numbers_of_neighbours(monkeypatch):
    """The search itself is over, so that only the loop over the numbers can hear of it."""
    from learnable.neighbors import _all_k_scores, neighbor_scores

    found = _all_k_scores.ranked(KNeighborsClassifier(), X, None, None, 30)
    monkeypatch.setattr(neighbor_scores, "ranked", lambda *given: found)
    for target in (CLASSES, NUMBERS):
        with pytest.raises(learnable.BudgetError), learnable.budget(seconds=1e-9):
            score_every_k(X, target)


def test_a_model_predicts_after_its_budget():
    with learnable.budget(seconds=1e-9):
        np.testing.assert_array_equal(MODEL.predict(X), MODEL.predict(X))


MODEL = KNeighborsClassifier().fit(X, CLASSES)


def test_distances_to_neighbours_and_visits_by_a_table_keep_to_budgets_after_rows_were_read(monkeypatch):
    from learnable.cluster import k_distance, optics_graph
    from learnable.neighbors._metrics import comparison

    search = learnable.NearestNeighbors().fit(X)
    monkeypatch.setattr(k_distance.NearestNeighbors, "fit", lambda *given: search)
    how = comparison("cosine", {}, X, "OPTICS")
    for work in (
        lambda: learnable.k_distances(X, 4),
        lambda: optics_graph._order_by_table(X, how, np.ones(400), np.inf),
    ):
        with pytest.raises(learnable.BudgetError), learnable.budget(seconds=1e-9):
            work()


def test_silhouettes_by_a_function_give_way_between_rows():
    rows = X[:40]
    calls = []

    def slow(one, other):
        calls.append(1)
        return time.sleep(0.001) or abs(one - other).sum()

    with pytest.raises(learnable.BudgetError), learnable.budget(seconds=0.01):
        silhouette_score(rows, CLASSES[:40], metric=slow)
    assert len(calls) < len(rows) ** 2
