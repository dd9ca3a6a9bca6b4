"""Links are kept, contradictions are explained, and without links it is k-means."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pytest

import learnable
from learnable.cluster import ConstrainedKMeans, KMeans


def rows(n: int = 120, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(scale=4, size=(4, 2))[rng.integers(4, size=n)] + rng.normal(size=(n, 2))


@pytest.mark.parametrize("seed", range(5))
def test_links_are_satisfied(seed):
    X, rng = rows(seed=seed), np.random.default_rng(seed)
    truth = rng.integers(4, size=len(X))
    pairs = rng.integers(len(X), size=(40, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    apart = pairs[~same][:12]
    model = ConstrainedKMeans(4, must_link=pairs[same], cannot_link=apart, n_init=3, random_state=seed).fit(X)
    assert (model.labels_[pairs[same][:, 0]] == model.labels_[pairs[same][:, 1]]).all()
    assert (model.labels_[apart[:, 0]] != model.labels_[apart[:, 1]]).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    free = KMeans(4, n_init=10, random_state=0).fit(X)
    assert model.inertia_ >= free.inertia_ * (1 - 1e-9)


def test_without_links_it_is_k_means():
    X = rows()
    np.testing.assert_array_equal(
        ConstrainedKMeans(4, init=X[:4]).fit(X).labels_, KMeans(4, init=X[:4], tol=0).fit(X).labels_
    )


def test_transitive_links_hold_and_contradict():
    X = rows(10)
    tied = ConstrainedKMeans(3, must_link=[(0, 1), (1, 2), (5, 2)], random_state=0).fit(X).labels_
    assert len(set(tied[[0, 1, 2, 5]])) == 1
    with pytest.raises(learnable.DataError, match="must_link connects them: 0 - 1 - 2 - 5; drop one of these"):
        ConstrainedKMeans(3, must_link=[(0, 1), (1, 2), (5, 2)], cannot_link=[(0, 5)]).fit(X)


def test_too_few_clusters_are_explained():
    X = rows(10)
    triangle = [(0, 1), (1, 2), (0, 2)]
    with pytest.raises(learnable.DataError, match=r"no cluster is left for row 2 .* partners .* all of the 2 clusters"):
        ConstrainedKMeans(2, cannot_link=triangle, random_state=0).fit(X)
    assert len(set(ConstrainedKMeans(3, cannot_link=triangle, random_state=0).fit(X).labels_[:3])) == 3


def test_pairs_are_checked():
    with pytest.raises(learnable.DataError, match="must_link must be pairs of row indices"):
        ConstrainedKMeans(2, must_link=[1, 2]).fit(rows(10))
    with pytest.raises(learnable.DataError, match=r"cannot_link names the rows \[0, 10\]"):
        ConstrainedKMeans(2, cannot_link=[(0, 10)]).fit(rows(10))


@pytest.mark.parametrize("seed", range(30))
def test_feasible_links_are_satisfied_by_backtracking(seed):
    rng = np.random.default_rng(seed)
    X, truth = rng.normal(size=(12, 2)), rng.integers(3, size=12)
    pairs = rng.permutation([(i, j) for i in range(12) for j in range(i)])
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    together, apart = pairs[same][:3], pairs[~same][:25]
    labels = ConstrainedKMeans(3, must_link=together, cannot_link=apart, random_state=0).fit(X).labels_
    assert (labels[together[:, 0]] == labels[together[:, 1]]).all()
    assert (labels[apart[:, 0]] != labels[apart[:, 1]]).all()


def test_equal_rows_can_be_in_different_clusters():
    labels = ConstrainedKMeans(2, cannot_link=[(0, 1)], random_state=0).fit([[0.0], [0.0], [5.0]]).labels_
    assert labels[0] != labels[1]


def test_a_stopped_search_does_not_claim_infeasibility(monkeypatch):
    module = sys.modules[ConstrainedKMeans.__module__]
    monkeypatch.setattr(module, "FeasibleAssignment", partial(module.FeasibleAssignment, patience=1))
    with pytest.raises(learnable.DataError, match="though there may be one: the search stopped"):
        ConstrainedKMeans(2, cannot_link=[(0, 1), (1, 2), (0, 2)], random_state=0).fit(rows(10))
