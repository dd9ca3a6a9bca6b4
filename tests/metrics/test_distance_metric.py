"""Distances as objects and the checks of tables, against scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics.pairwise as theirs
from sklearn.metrics import DistanceMetric as TheirMetric

import learnable.metrics.pairwise as ours
from learnable.metrics import DistanceMetric

RNG = np.random.default_rng(0)
X, Y = XS, YS = RNG.normal(size=(6, 3)), RNG.normal(size=(4, 3))
METRICS = [
    ("euclidean", {}), ("l2", {}), ("manhattan", {}), ("cityblock", {}), ("l1", {}), ("chebyshev", {}),
    ("infinity", {}), ("minkowski", {"p": 3}), ("p", {"p": 1.5}), ("minkowski", {}), ("canberra", {}),
    ("braycurtis", {}), ("hamming", {}), ("seuclidean", {"V": [1.0, 4.0, 9.0]}),
    ("mahalanobis", {"V": np.cov(X.T)}), ("mahalanobis", {"VI": np.eye(3) * 2}),
    ("minkowski", {"p": 3, "w": np.array([1.0, 2.0, 0.5])}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), METRICS)
def test_metrics_by_name(name, options):
    X, Y = (np.abs(table) if name == "braycurtis" else table for table in (XS, YS))  # of signs theirs makes its own
    one, other = DistanceMetric.get_metric(name, **options), TheirMetric.get_metric(name, **options)
    np.testing.assert_allclose(one.pairwise(X, Y), other.pairwise(X, Y), rtol=1e-10)
    np.testing.assert_allclose(one.pairwise(X), other.pairwise(X), rtol=1e-10, atol=1e-12)
    true = other.pairwise(X, Y)
    np.testing.assert_allclose(one.dist_to_rdist(true), other.dist_to_rdist(true), rtol=1e-10)
    np.testing.assert_allclose(one.rdist_to_dist(true), other.rdist_to_dist(true), rtol=1e-10)
    assert name == "p" or name == "infinity" or name in repr(one)


@pytest.mark.parametrize("name", ["jaccard", "dice", "rogerstanimoto", "russellrao", "sokalmichener", "sokalsneath"])
def test_metrics_of_yes_and_no(name):
    A, B = RNG.random((5, 6)) < 0.6, RNG.random((3, 6)) < 0.6
    one, other = DistanceMetric.get_metric(name), TheirMetric.get_metric(name)
    requested = other.pairwise(A.astype(float), B.astype(float))
    np.testing.assert_allclose(one.pairwise(A, B), requested, rtol=1e-12)
    with pytest.warns(UserWarning, match="compares truth values"):
        np.testing.assert_allclose(one.pairwise(A * 3.0, B * 2.0), requested, rtol=1e-12)


def test_angles_and_functions():
    points = RNG.uniform(-1, 1, (4, 2))
    one, other = DistanceMetric.get_metric("haversine"), TheirMetric.get_metric("haversine")
    true = other.pairwise(points)
    np.testing.assert_allclose(one.pairwise(points), true, atol=1e-12)
    np.testing.assert_allclose(one.dist_to_rdist(true), other.dist_to_rdist(true), atol=1e-12)
    np.testing.assert_allclose(one.rdist_to_dist(other.dist_to_rdist(true)), true, atol=1e-7)

    def largest(a, b, scale=1.0):
        return scale * np.abs(a - b).max()

    for metric in (
        DistanceMetric.get_metric(largest, scale=2.0),
        DistanceMetric.get_metric("pyfunc", func=largest, scale=2.0),
    ):
        np.testing.assert_allclose(metric.pairwise(X, Y), 2 * DistanceMetric.get_metric("chebyshev").pairwise(X, Y))
        assert DistanceMetric.get_metric(metric) is metric


@pytest.mark.parametrize(("name", "dtype"), [("nothing", float), ("precomputed", float), ("euclidean", int)])
def test_unknown_metrics_are_refused(name, dtype):
    with pytest.raises(ValueError, match=r"Unrecognized metric|Unexpected dtype"):
        DistanceMetric.get_metric(name, dtype)


@pytest.mark.parametrize("kinds", [(np.float32, np.float32), (np.float32, np.float64), (np.int64, np.float32)])
@pytest.mark.parametrize("dtype", ["infer_float", np.float64, np.float32])
def test_tables_to_compare_are_checked_alike(kinds, dtype):
    A, B = (np.round(table * 3).astype(kind) for table, kind in zip((X, Y), kinds, strict=True))
    one, other = ours.check_pairwise_arrays(A, B, dtype=dtype), theirs.check_pairwise_arrays(A, B, dtype=dtype)
    for mine, its in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine, its)
        assert mine.dtype == its.dtype
    first, second = ours.check_pairwise_arrays(A, None, dtype=dtype)
    assert first is second


def test_tables_that_cannot_be_compared_are_refused():
    for check in (ours.check_pairwise_arrays, theirs.check_pairwise_arrays):
        with pytest.raises(ValueError, match="Incompatible dimension"):
            check(X, Y[:, :2])
        with pytest.raises(ValueError, match="Precomputed metric requires shape"):
            check(X, Y, precomputed=True)
        with pytest.raises(ValueError, match="NaN"):
            check(np.array([[np.nan]]), None)
        with pytest.raises(TypeError):
            check(sp.csr_array(X), None, accept_sparse=False)
        assert np.isnan(check(np.array([[np.nan]]), None, ensure_all_finite="allow-nan")[0]).all()
        assert check(X @ Y.T, Y, precomputed=True)[0].shape == (6, 4)
        assert check(["a", "b"], ["c"], ensure_2d=False, dtype=None)[1][0] == "c"
    for check in (ours.check_paired_arrays, theirs.check_paired_arrays):
        with pytest.raises(ValueError, match=r"paired row by row|of same shape"):
            check(X, Y)
    assert set(theirs.PAIRWISE_KERNEL_FUNCTIONS) <= set(ours.PAIRWISE_KERNEL_FUNCTIONS)
    assert set(theirs.PAIRWISE_DISTANCE_FUNCTIONS) <= set(ours.PAIRWISE_DISTANCE_FUNCTIONS)
