"""Exemplars equal those of scikit-learn."""

import numpy as np
import pytest
from sklearn import cluster as theirs
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from learnable import AffinityPropagation, ConvergenceWarning, affinity_propagation


@pytest.fixture
def rows():
    return make_blobs(90, centers=[[0, 0], [6, 0], [0, 7]], cluster_std=0.6, random_state=0)


@pytest.mark.parametrize("options", [{}, {"preference": -50.0}, {"damping": 0.8, "preference": -20.0}], ids=str)
def test_as_scikit_learn(rows, options):
    X, truth = rows
    ours = AffinityPropagation(random_state=0, **options).fit(X)
    other = theirs.AffinityPropagation(random_state=0, **options).fit(X)
    np.testing.assert_array_equal(ours.cluster_centers_indices_, other.cluster_centers_indices_)
    np.testing.assert_array_equal(ours.labels_, other.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, other.cluster_centers_)
    np.testing.assert_array_equal(ours.predict(X), ours.labels_)
    assert ours.certificate_.holds and ours.n_iter_ == other.n_iter_
    if options.get("preference") == -50.0:
        assert adjusted_rand_score(truth, ours.labels_) == 1


def test_similarities_may_be_given(rows):
    X, _ = rows
    S = -(((X[:, None] - X) ** 2).sum(axis=2))
    plain = AffinityPropagation(random_state=0, preference=-50.0).fit(X)
    given = AffinityPropagation(random_state=0, preference=-50.0, affinity="precomputed").fit(S)
    np.testing.assert_array_equal(given.labels_, plain.labels_)
    np.testing.assert_array_equal(given.predict(S), plain.labels_)
    chosen, labels = affinity_propagation(S, preference=-50.0, random_state=0)
    np.testing.assert_array_equal(chosen, plain.cluster_centers_indices_)
    np.testing.assert_array_equal(labels, plain.labels_)


def test_equal_rows_are_one_cluster_or_all_exemplars():
    X = np.zeros((4, 2))
    with pytest.warns(UserWarning, match="equally similar"):
        assert AffinityPropagation(preference=-10.0).fit(X).labels_.tolist() == [0, 0, 0, 0]
    with pytest.warns(UserWarning, match="equally similar"):
        assert len(AffinityPropagation(preference=10.0).fit(X).cluster_centers_indices_) == 4


def test_too_few_iterations_warn(rows):
    with pytest.warns(ConvergenceWarning):
        model = AffinityPropagation(max_iter=2, random_state=0).fit(rows[0])
    assert not model.certificate_.holds
