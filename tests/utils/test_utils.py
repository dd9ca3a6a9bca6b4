"""Tools under scikit-learn's paths do what scikit-learn's do."""

import numpy as np
import pandas
import pytest
import sklearn.utils
from scipy import sparse
from sklearn.base import clone as their_clone
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.utils import extmath as peers

import learnable.utils
from learnable import Pipeline, Ridge, StandardScaler
from learnable.base import clone, is_classifier, is_regressor
from learnable.core.errors import NotFittedError
from learnable.utils import extmath, gen_batches, gen_even_slices, resample, shuffle
from learnable.utils.validation import check_is_fitted, check_random_state

X, Y = np.arange(60.0).reshape(20, 3), np.arange(20) % 3
OPTIONS = [
    {}, {"replace": False}, {"n_samples": 7}, {"n_samples": 50}, {"replace": False, "n_samples": 5},
    {"stratify": Y}, {"stratify": Y, "n_samples": 8, "replace": False}, {"sample_weight": np.arange(20.0)},
    {"stratify": np.column_stack([Y, Y > 1])},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_same_seed_draws_the_same_rows(options):
    for seed in range(5):
        ours, theirs = (home.resample(X, Y, random_state=seed, **options) for home in (learnable.utils, sklearn.utils))
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(mine, other)


def test_shuffled_tables_stay_together_in_their_containers():
    frame = pandas.DataFrame(X, columns=list("abc"))
    table, labels, rows, names = shuffle(frame, Y, sparse.csr_matrix(X), list("abcdefghijklmnopqrst"), random_state=1)
    assert isinstance(table, pandas.DataFrame) and sparse.issparse(rows) and isinstance(names, list)
    np.testing.assert_array_equal(table.to_numpy(), rows.toarray())
    assert [ord(name) - ord("a") for name in names] == (table["a"] // 3).astype(int).tolist()
    np.testing.assert_array_equal(labels, sklearn.utils.shuffle(Y, random_state=1))
    with pytest.raises(ValueError, match="30 rows cannot be drawn from 20"):
        shuffle(X, n_samples=30)
    with pytest.raises(ValueError, match="array 0 has 20 rows but array 1 has 3"):
        resample(X, [1, 2, 3])


@pytest.mark.parametrize("n", [1, 10, 11])
def test_slices_cover_all_rows_once(n):
    for size, least in ((1, 0), (3, 0), (4, 2), (20, 5)):
        ours = list(gen_batches(n, size, min_batch_size=least))
        assert ours == list(sklearn.utils.gen_batches(n, size, min_batch_size=least))
    for packs in (1, 3, 11):
        assert list(gen_even_slices(n, packs)) == list(sklearn.utils.gen_even_slices(n, packs))
    with pytest.raises(ValueError, match="batch_size must be at least 1"):
        list(gen_batches(n, 0))


def test_copies_are_unfitted_and_deep():
    pipeline = Pipeline([("scale", StandardScaler()), ("model", Ridge(alpha=2.0))]).fit(X, Y)
    copy = clone(pipeline)
    assert copy is not pipeline and copy.named_steps["model"].alpha == 2.0
    assert copy.named_steps["model"] is not pipeline.named_steps["model"]
    with pytest.raises(NotFittedError):
        check_is_fitted(copy.named_steps["model"])
    check_is_fitted(pipeline.named_steps["model"])
    assert clone(TheirRidge(3.0)).alpha == 3.0 and their_clone(Ridge(3.0)).alpha == 3.0
    assert [one.alpha for one in clone([Ridge(1.0), Ridge(2.0)])] == [1.0, 2.0]
    with pytest.raises(TypeError, match="3 is not an estimator"):
        clone(3)
    assert clone({"a": [1]}, safe=False) == {"a": [1]}


def test_questions():
    assert is_regressor(Ridge()) and not is_classifier(Ridge())
    assert check_random_state(3).randint(1000) == np.random.RandomState(3).randint(1000)
    check_is_fitted(Ridge().fit(X, Y), "coef_")
    with pytest.raises(NotFittedError, match="Ridge wants fit"):
        check_is_fitted(Ridge(), msg="%(name)s wants fit")
    with pytest.raises(TypeError, match="is a class"):
        check_is_fitted(Ridge)
    assert "Ridge" in learnable.utils.estimator_html_repr(Ridge())
    assert learnable.utils.Bunch(a=1).a == 1 and "shuffle" in dir(learnable.utils)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        learnable.utils.nothing  # noqa: B018  # asking is the test


@pytest.mark.parametrize(
    "name", sorted(set(sklearn.utils.__all__) - {"metadata_routing", "murmurhash3_32", "deprecated"})
)
def test_what_people_import_is_there(name):
    if name != "_align_api_if_sparse":
        assert callable(getattr(learnable.utils, name))


@pytest.mark.parametrize(
    ("given", "options"),
    [((3, "k", int), {}), ((0, "k", int), {"min_val": 1}), ((2.5, "k", int), {}), ((1.0, "k", (int, float)), {}),
     ((1, "k", int), {"max_val": 1, "include_boundaries": "left"}), ((1, "k", int), {"max_val": 1})],
)  # fmt: skip
def test_numbers_are_validated_alike(given, options):
    outcomes = []
    for home in (learnable.utils, sklearn.utils):
        try:
            outcomes.append(home.check_scalar(*given, **options))
        except (TypeError, ValueError) as error:
            outcomes.append(isinstance(error, TypeError))
    assert outcomes[0] == outcomes[1]


def test_symmetric_matrices_and_indexable_tables():
    skew = np.array([[0.0, 2.0], [4.0, 1.0]])
    for matrix in (skew, skew + skew.T):
        ours, theirs = (home.check_symmetric(matrix, raise_warning=False) for home in (learnable.utils, sklearn.utils))
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(ValueError, match="symmetric"):
        learnable.utils.check_symmetric(skew, raise_exception=True)
    rows, nothing, table = learnable.utils.indexable(range(20), None, sparse.coo_matrix(X))
    assert len(rows) == 20 and nothing is None and table.format == "csr"
    with pytest.raises(ValueError, match="array 1"):
        learnable.utils.indexable([1, 2], [1])
    frame = pandas.DataFrame(X, columns=list("abc"))
    for table, chosen, axis in ((X, [1, 3], 0), (frame, Y == 1, 0), (frame, ["c", "a"], 1), (X, [2, 0], 1)):
        ours, theirs = (home._safe_indexing(table, chosen, axis=axis) for home in (learnable.utils, sklearn.utils))
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))


@pytest.mark.parametrize("matrix", [X - 30, sparse.csr_matrix(X - 30)], ids=["dense", "sparse"])
def test_small_algebra_is_that_of_scikit_learn(matrix):
    for squared in (False, True):
        np.testing.assert_allclose(extmath.row_norms(matrix, squared), peers.row_norms(matrix, squared))
    product = extmath.safe_sparse_dot(matrix, matrix.T, dense_output=True)
    np.testing.assert_allclose(product, peers.safe_sparse_dot(matrix, matrix.T, dense_output=True))
    assert extmath.density(matrix) == pytest.approx(np.count_nonzero(X - 30) / X.size)
    squares = extmath.safe_sqr(matrix)
    np.testing.assert_allclose(squares.toarray() if sparse.issparse(squares) else squares, (X - 30) ** 2)


def test_softmax_and_combinations():
    np.testing.assert_allclose(extmath.softmax(X * 100), peers.softmax(X * 100))
    np.testing.assert_array_equal(extmath.cartesian([[1, 2], [3, 4, 5]]), peers.cartesian([[1, 2], [3, 4, 5]]))
    assert extmath.squared_norm(X) == pytest.approx((X**2).sum())
