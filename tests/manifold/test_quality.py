"""Measures of the quality of maps, and the intrinsic dimension."""

import numpy as np
import pytest
from sklearn import manifold as theirs

from learnable.core import DataError
from learnable.datasets import make_swiss_roll
from learnable.manifold import (
    continuity,
    coranking_matrix,
    faithfulness,
    intrinsic_dimension,
    trustworthiness,
)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 5))
    return X, X[:, :2] + 0.3 * rng.standard_normal((120, 2))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("k", [1, 5, 40])
def test_trustworthiness_is_that_of_scikit_learn(data, k, metric):
    X, Y = data
    expected = theirs.trustworthiness(X, Y, n_neighbors=k, metric=metric)
    assert trustworthiness(X, Y, n_neighbors=k, metric=metric) == pytest.approx(expected, abs=1e-12)
    assert continuity(Y, X, n_neighbors=k) == pytest.approx(theirs.trustworthiness(X, Y, n_neighbors=k), abs=1e-12)


def test_the_coranking_matrix_counts_ranks(data):
    X, Y = data[0][:25], data[1][:25]
    Q = coranking_matrix(X, Y)
    assert (Q.sum(axis=0) == 25).all() and (Q.sum(axis=1) == 25).all()
    k, n = 4, 25
    ranks = np.arange(1, n)
    intruders = (Q[k:, :k] * (ranks[k:, None] - k)).sum()
    assert trustworthiness(X, Y, n_neighbors=k) == pytest.approx(1 - 2 / (n * k * (2 * n - 3 * k - 1)) * intruders)
    np.testing.assert_array_equal(coranking_matrix(X, X), 25 * np.eye(24))


def test_the_report(data):
    X, Y = data
    report = faithfulness(X, Y, n_neighbors=7)
    assert report.trustworthiness == pytest.approx(trustworthiness(X, Y, n_neighbors=7))
    assert report.continuity == pytest.approx(continuity(X, Y, n_neighbors=7))
    low, high = report.trustworthiness_interval
    assert low < report.trustworthiness < high <= 1
    d, e = (np.sqrt(((Z[:, None] - Z[None]) ** 2).sum(axis=2)).ravel() for Z in (X, Y))
    scale = (d @ e) / (e @ e)
    assert report.stress == pytest.approx(np.sqrt(((d - scale * e) ** 2).sum() / (d @ d)), rel=1e-9)
    off = d > 0
    assert report.correlation == pytest.approx(np.corrcoef(d[off], e[off])[0, 1], rel=1e-9)
    assert faithfulness(X, 3 * X).stress == pytest.approx(0, abs=1e-7)
    assert "trustworthiness" in str(report)


def test_the_interval_covers_the_value_of_many_rows():
    rng = np.random.default_rng(3)

    def score(n):
        X = rng.standard_normal((n, 3))
        return faithfulness(X, X[:, :2], n_neighbors=max(2, n // 50))

    reports = [score(150) for _ in range(80)]
    expected = np.mean([report.trustworthiness for report in reports])
    covered = sum(low <= expected <= high for low, high in (report.trustworthiness_interval for report in reports))
    assert covered >= 68


def test_other_rows_and_too_many_neighbours_are_refused(data):
    X, Y = data
    with pytest.raises(DataError, match="same rows"):
        trustworthiness(X, Y[:-1])
    with pytest.raises(DataError, match="less than n_samples / 2"):
        continuity(X, Y, n_neighbors=60)


@pytest.mark.parametrize("method", ["mle", "two_nn", "pca"])
def test_the_dimension_of_known_manifolds(method):
    rng = np.random.default_rng(4)
    line = np.outer(rng.random(800), [1.0, 2.0, -1.0])
    ball = rng.standard_normal((2000, 3)) @ rng.standard_normal((3, 8))
    roll = make_swiss_roll(2000, random_state=0)[0]
    for X, expected in ((line, 1), (ball, 3), (roll, 2)):
        found = intrinsic_dimension(X, method=method, n_neighbors=12)
        assert abs(found.dimension - expected) < 0.35, (method, expected, found)
        assert found.interval[0] <= found.dimension <= found.interval[1]


def test_copies_do_not_count_for_the_dimension():
    X = np.random.default_rng(5).standard_normal((300, 2))
    assert intrinsic_dimension(np.vstack([X, X])) == intrinsic_dimension(X)
    with pytest.raises(DataError, match="distinct rows"):
        intrinsic_dimension(np.ones((50, 2)))
