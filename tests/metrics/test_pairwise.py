"""Distances and kernels against SciPy and scikit-learn, near and far, dense and sparse, whole and in chunks."""

import tracemalloc

import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise as theirs

import learnable
from learnable.core.errors import DataConversionWarning, DataError, ParameterError
from learnable.metrics import pairwise

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(130, 7)), RNG.normal(size=(101, 7))
VECTOR = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "canberra", "braycurtis", "cosine", "correlation",
          "seuclidean", "mahalanobis", "hamming", "matching"]  # fmt: skip
BOOLEAN = ["jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule"]


@pytest.mark.parametrize("metric", VECTOR)
def test_vectors(metric):
    left, right = (X.round(), Y.round()) if metric in ("hamming", "matching") else (X, Y)
    for one, other in ((left, right), (left, left), (left[:1], right)):
        if metric in ("seuclidean", "mahalanobis") and len(one) == 1:
            continue
        requested = theirs.pairwise_distances(one, other, metric) if one is other else cdist(one, other, metric)
        np.testing.assert_allclose(pairwise.pairwise_distances(one, other, metric), requested, rtol=1e-9, atol=1e-13)


FORMULAS = {
    "euclidean_distances": lambda x, y: np.sqrt(x @ x + y @ y - 2 * x @ y),
    "manhattan_distances": lambda x, y: np.abs(x - y).sum(),
    "linear_kernel": lambda x, y: x @ y,
    "cosine_similarity": lambda x, y: x @ y / np.sqrt((x @ x) * (y @ y)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_tables_are_their_formulas(name):
    by_hand = [[FORMULAS[name](x, y) for y in Y] for x in X]
    np.testing.assert_allclose(getattr(pairwise, name)(X, Y), by_hand, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, np.inf])
def test_minkowski(p):
    np.testing.assert_allclose(pairwise.pairwise_distances(X, Y, "minkowski", p=p), cdist(X, Y, "minkowski", p=p))


@pytest.mark.parametrize("metric", BOOLEAN)
def test_yes_and_no(metric):
    left, right = X > 0.3, Y > 0.3
    left[0], right[0] = False, False
    with pytest.warns(DataConversionWarning, match="compares truth values"):
        found = pairwise.pairwise_distances(left.astype(float), right.astype(float), metric)
    np.testing.assert_allclose(found, cdist(left, right, metric), atol=1e-12)


def test_the_courses_distances_of_binary_rows():
    """Jaccard is NNEQ / NNZ, matching NNEQ / N (KNN-07); Mahalanobis with a given V (KNN-06)."""
    a, b = np.array([[1, 1, 0, 0, 1.0]]), np.array([[1, 0, 1, 0, 1.0]])
    differ, nonzero = (a != b).sum(), ((a != 0) | (b != 0)).sum()
    with pytest.warns(DataConversionWarning):
        assert pairwise.pairwise_distances(a, b, "jaccard")[0, 0] == pytest.approx(differ / nonzero)
    assert pairwise.pairwise_distances(a, b, "matching")[0, 0] == pytest.approx(differ / 5)
    V = np.array([[2.0, 0.5], [0.5, 1.0]])
    gap = np.array([[3.0, -1.0]])
    found = pairwise.pairwise_distances(gap, np.zeros((1, 2)), "mahalanobis", V=V)
    assert found[0, 0] ** 2 == pytest.approx((gap @ np.linalg.solve(V, gap.T)).item())


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-14])
def test_near_rows_lose_no_digits(shift, gap):
    far = X + shift
    near = far + gap * (1 + shift) * RNG.normal(size=X.shape)
    requested = cdist(far, near)
    np.testing.assert_allclose(pairwise.euclidean_distances(far, near), requested, rtol=1e-10)
    assert (pairwise.euclidean_distances(far).diagonal() == 0).all()


def test_great_and_small_numbers():
    for scale in (1e-150, 1e150):
        np.testing.assert_allclose(pairwise.euclidean_distances(X * scale, Y * scale), cdist(X, Y) * scale, rtol=1e-10)


def test_same_bits_on_any_number_of_threads_and_in_chunks():
    rows = RNG.normal(size=(500, 33))
    with learnable.threads(1):
        alone = pairwise.euclidean_distances(rows), pairwise.manhattan_distances(rows), pairwise.linear_kernel(rows)
    for count in (2, 3, 8):
        with learnable.threads(count):
            again = pairwise.euclidean_distances(rows), pairwise.manhattan_distances(rows), pairwise.linear_kernel(rows)
        assert all((one == other).all() for one, other in zip(alone, again, strict=True))
    parts = list(pairwise.pairwise_distances_chunked(rows, working_memory=0.1))
    assert len(parts) > 10 and (np.concatenate(parts) == alone[0]).all()
    assert (alone[0] == alone[0].T).all()


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis", "cosine", "nan_euclidean", "manhattan"])
def test_chunks_agree_with_the_whole(metric):
    parts = list(pairwise.pairwise_distances_chunked(X, metric=metric, working_memory=0.01))
    whole = pairwise.pairwise_distances(X, metric=metric)
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-12)


def test_chunks_are_reduced():
    def nearest(part, start):
        part[np.arange(len(part)), np.arange(start, start + len(part))] = np.inf
        return part.argmin(axis=1), part.min(axis=1)

    parts = list(pairwise.pairwise_distances_chunked(X, reduce_func=nearest, working_memory=0.01))
    whole = cdist(X, X)
    np.fill_diagonal(whole, np.inf)
    assert (np.concatenate([part[0] for part in parts]) == whole.argmin(axis=1)).all()
    with pytest.raises(DataError, match="of length other than"):
        list(pairwise.pairwise_distances_chunked(X, reduce_func=lambda part, start: part[:1]))
    with pytest.raises(TypeError, match="Expected sequence"):
        list(pairwise.pairwise_distances_chunked(X, reduce_func=lambda part, start: 1.0))


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan", "cosine", "chebyshev"])
@pytest.mark.parametrize("axis", [0, 1])
def test_the_nearest(metric, axis):
    found = pairwise.pairwise_distances_argmin_min(X, Y, metric=metric, axis=axis)
    requested = theirs.pairwise_distances_argmin_min(X, Y, metric=metric, axis=axis)
    assert (found[0] == requested[0]).all()
    np.testing.assert_allclose(found[1], requested[1], rtol=1e-9)
    assert (pairwise.pairwise_distances_argmin(X, Y, metric=metric, axis=axis) == requested[0]).all()


def test_missing_values():
    missing = X.copy()
    missing[RNG.random(X.shape) < 0.4] = np.nan
    missing[0], missing[1] = np.nan, 1.0
    other = np.where(RNG.random(Y.shape) < 0.4, np.nan, Y)
    for squared in (False, True):
        ours = pairwise.nan_euclidean_distances(missing, other, squared=squared)
        np.testing.assert_allclose(ours, theirs.nan_euclidean_distances(missing, other, squared=squared), atol=1e-9)
    np.testing.assert_allclose(
        pairwise.nan_euclidean_distances(missing), theirs.nan_euclidean_distances(missing), rtol=1e-7, atol=1e-7
    )
    filled = np.where(np.isnan(missing), -1, missing)
    np.testing.assert_allclose(
        pairwise.nan_euclidean_distances(filled, missing_values=-1), pairwise.nan_euclidean_distances(missing)
    )


def test_gower_is_its_definition():
    rows = np.column_stack([X[:20, 0], RNG.integers(0, 3, 20), X[:20, 1] * 100])
    rows[3, 0] = rows[7, 1] = np.nan
    weight = np.array([1.0, 2.0, 0.5])
    ranges = np.nanmax(rows, axis=0) - np.nanmin(rows, axis=0)
    found = pairwise.gower_distances(rows, categorical=[1], weight=weight)
    for i in range(20):
        for j in range(20):
            apart = np.abs(rows[i] - rows[j]) / ranges
            apart[1] = rows[i, 1] != rows[j, 1]
            there = ~np.isnan(rows[i]) & ~np.isnan(rows[j])
            assert found[i, j] == pytest.approx((weight * apart)[there].sum() / weight[there].sum())
    assert (pairwise.pairwise_distances(rows, metric="gower", categorical=[1], weight=weight) == found).all()


def test_gower_reads_tables_of_words():
    table = pandas.DataFrame(
        {"size": [1.0, 3.0, 2.0, None], "colour": ["red", "blue", None, "red"], "old": [True, False, True, True]}
    )
    requested = np.array([[0, 1, 0.25, 0], [1, 0, 0.75, 1], [0.25, 0.75, 0, 0], [0, 1, 0, 0]])
    for frame in (table, polars.from_pandas(table), table.astype({"colour": "category"})):
        np.testing.assert_allclose(pairwise.gower_distances(frame), requested)
    np.testing.assert_allclose(pairwise.gower_distances(table.to_numpy(), table[:2]), requested[:, :2])
    assert pairwise.gower_distances(table[["size"]][:3], categorical=["size"]).tolist() == (1 - np.eye(3)).tolist()
    chunks = pairwise.pairwise_distances_chunked(table, metric="gower", working_memory=0)
    np.testing.assert_allclose(np.vstack(list(chunks)), requested)


def test_gower_says_what_it_cannot_do():
    with pytest.raises(ParameterError, match="categorical must be a mask of the 7 columns, indices from 0 to 6"):
        pairwise.gower_distances(X, categorical=[9])
    with pytest.raises(ParameterError, match="weight must have a number from 0 on for each of 7 columns"):
        pairwise.gower_distances(X, weight=[1.0])
    with pytest.raises(DataError, match="X has 7 and Y has 2"):
        pairwise.gower_distances(X, X[:, :2])
    with pytest.warns(UserWarning, match="gower_distances: 2 pairs of rows have no column in common"):
        pairwise.gower_distances([[1.0, np.nan], [np.nan, 2.0]])


@pytest.mark.parametrize("metric", ["dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"])
def test_a_row_of_yes_and_no_is_at_no_distance_from_itself(metric):
    flags = np.vstack([np.zeros(7, dtype=bool), X[:6] > 0])
    found = pairwise.pairwise_distances(flags, metric=metric)
    np.testing.assert_allclose(found, theirs.pairwise_distances(flags, metric=metric))
    chunks = list(pairwise.pairwise_distances_chunked(flags, metric=metric, working_memory=0))
    np.testing.assert_allclose(np.vstack(chunks), found)
    np.testing.assert_allclose(
        pairwise.pairwise_distances(flags, flags.copy(), metric=metric), cdist(flags, flags, metric)
    )


def test_mahalanobis_names_a_constant_column():
    with pytest.raises(DataError, match="no inverse: column 7 is constant; drop such columns, or give VI"):
        pairwise.pairwise_distances(np.c_[X, np.ones(len(X))], metric="mahalanobis")
    with pytest.raises(DataError, match="sums of others, or rows too few"):
        pairwise.pairwise_distances(X[:4], metric="mahalanobis")


def test_on_a_sphere_and_by_hand():
    points = RNG.uniform(-1, 1, (9, 2))
    np.testing.assert_allclose(
        pairwise.haversine_distances(points, -points), theirs.haversine_distances(points, -points)
    )
    called = pairwise.pairwise_distances(X[:5], Y[:4], lambda x, y: np.abs(x - y).max())
    np.testing.assert_allclose(called, cdist(X[:5], Y[:4], "chebyshev"))
    np.testing.assert_allclose(pairwise.pairwise_distances(X[:5], metric=lambda x, y: np.abs(x - y).sum()),
                               cdist(X[:5], X[:5], "cityblock"))  # fmt: skip
    weighted = pairwise.pairwise_distances(X, Y, "minkowski", p=3, w=np.arange(7.0))
    np.testing.assert_allclose(weighted, cdist(X, Y, "minkowski", p=3, w=np.arange(7.0)))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "chebyshev"])
def test_rows_in_pairs(metric):
    requested = theirs.paired_distances(X[:90], Y[:90], metric="manhattan" if metric == "chebyshev" else metric)
    if metric == "chebyshev":
        requested = np.abs(X[:90] - Y[:90]).max(axis=1)
    np.testing.assert_allclose(pairwise.paired_distances(X[:90], Y[:90], metric=metric), requested)


KERNELS = {
    "linear": {}, "polynomial": {"degree": 2, "coef0": 0.5}, "rbf": {"gamma": 0.3}, "laplacian": {"gamma": 0.2},
    "sigmoid": {"gamma": 0.1}, "cosine": {}, "chi2": {"gamma": 0.5}, "additive_chi2": {},
}  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels(kernel):
    left, right = (np.abs(X), np.abs(Y)) if "chi2" in kernel else (X, Y)
    left = left.copy()
    left[0] = 0
    for one, other in ((left, right), (left, None), (left.astype(np.float32), right.astype(np.float32))):
        ours = pairwise.pairwise_kernels(one, other, kernel, **KERNELS[kernel])
        peer = theirs.pairwise_kernels(one, other, kernel, **KERNELS[kernel])
        assert ours.dtype == peer.dtype
        np.testing.assert_allclose(ours, peer, rtol=1e-4 if one.dtype == np.float32 else 1e-10, atol=1e-6)
    filtered = pairwise.pairwise_kernels(left, right, kernel, filter_params=True, gamma=0.3, nonsense=1)
    assert filtered.shape == (len(left), len(right))


@pytest.mark.parametrize("name", ["euclidean_distances", "manhattan_distances", "cosine_distances", "linear_kernel",
                                  "rbf_kernel", "cosine_similarity"])  # fmt: skip
@pytest.mark.parametrize("columns", [40, 3000])
def test_sparse_tables(name, columns):
    table = sparse.random_array((30, columns), density=0.1, format="csr", rng=np.random.default_rng(1))
    other = sparse.random_array((20, columns), density=0.1, format="csr", rng=np.random.default_rng(2))
    function = getattr(pairwise, name)
    np.testing.assert_allclose(function(table, other), function(table.toarray(), other.toarray()), atol=1e-9)
    np.testing.assert_allclose(function(table), function(table.toarray()), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pairwise.pairwise_distances(X, Y[:, :3]), "Incompatible dimension"),
        (lambda: pairwise.pairwise_distances(X, metric="nearby"), "Unknown metric"),
        (lambda: pairwise.pairwise_kernels(X, metric="nearby"), "Unknown kernel"),
        (lambda: pairwise.pairwise_distances([[np.nan]]), "NaN"),
        (lambda: pairwise.haversine_distances(X), "2 dimensions"),
        (lambda: pairwise.chi2_kernel(X), "negative values"),
        (lambda: pairwise.pairwise_distances(X, metric="precomputed"), "Precomputed metric requires shape"),
        (lambda: pairwise.pairwise_distances(-np.ones((2, 2)), metric="precomputed"), "below zero"),
        (lambda: pairwise.pairwise_distances(X, metric="minkowski", p=-1), "greater than 0"),
        (lambda: pairwise.paired_distances(X, Y), "paired row by row"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_every_metric_of_scikit_learn_is_known():
    from learnable.metrics.distances import METRICS

    assert set(theirs._VALID_METRICS) - {"wminkowski"} <= set(METRICS)
    assert set(theirs.kernel_metrics()) <= set(pairwise.kernel_metrics())
    assert set(theirs.distance_metrics()) <= set(pairwise.distance_metrics())


@pytest.mark.parametrize("metric", [*VECTOR, *BOOLEAN, "gower", "haversine", "manhattan", "nan_euclidean"])
@pytest.mark.filterwarnings("ignore::learnable.core.errors.DataConversionWarning")
def test_chunks_take_little_more_room_than_two_of_them(metric):
    """One is in use and one in the making: 64 MiB each by default, and below 200 MB with all that comes and goes."""
    points = np.random.default_rng(0).uniform(-1, 1, (2000, 2 if metric == "haversine" else 10))
    tracemalloc.start()
    try:
        for _chunk in pairwise.pairwise_distances_chunked(points, metric=metric, working_memory=8):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200e6 / 64 * 8


@pytest.mark.parametrize("metric", ["braycurtis", "correlation", "cosine", "canberra", "jaccard"])
@pytest.mark.filterwarnings("ignore")
def test_a_row_is_at_no_distance_from_itself(metric):
    X = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 2.0], [3.0, 3.0, 3.0]])
    found = pairwise.pairwise_distances(X, metric=metric)
    np.testing.assert_allclose(found, theirs.pairwise_distances(X, metric=metric), equal_nan=True, atol=1e-15)
    assert (found.diagonal() == 0).all()
    chunks = np.vstack(list(pairwise.pairwise_distances_chunked(X, metric=metric, working_memory=0)))
    np.testing.assert_array_equal(chunks, found)
