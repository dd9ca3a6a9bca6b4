"""Laws that every kernel obeys, and the formulas that pin each one down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics import pairwise as theirs

import learnable
from learnable.core.errors import DataError, ParameterError
from learnable.parts.kernels import (
    KERNEL_NAMES,
    AdditiveChiSquared,
    ChiSquared,
    Cosine,
    Custom,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    resolve_kernel,
    scale_of,
)
from tests.names import steady

SIMPLE = {
    Linear(): lambda x, z: x @ z,
    Polynomial(3, 0.5, 1.0): lambda x, z: (0.5 * (x @ z) + 1) ** 3,
    Polynomial.shifted(2, 0.7): lambda x, z: (x @ z + 0.7) ** 2,
    Polynomial.scaled(4, 1.5): lambda x, z: (1 + x @ z / 1.5**2) ** 4,
    Polynomial.quadratic(2.0): lambda x, z: (x @ z + 2) ** 2,
    Polynomial.homogeneous(3): lambda x, z: (x @ z) ** 3,
    Gaussian(0.3): lambda x, z: np.exp(-0.3 * np.sum((x - z) ** 2)),
    Gaussian.of_width(2.0): lambda x, z: np.exp(-np.sum((x - z) ** 2) / 8),
    Gaussian.of_width(2.0, 1): lambda x, z: np.exp(-np.sum((x - z) ** 2) / 4),
    Laplacian(0.3): lambda x, z: np.exp(-0.3 * np.abs(x - z).sum()),
    Sigmoid(0.2, 0.1): lambda x, z: np.tanh(0.2 * (x @ z) + 0.1),
    Sigmoid.logistic(1.5, 0.3): lambda x, z: 1 / (1 + np.exp(-(x @ z + 0.3) / 1.5**2)),
    Cosine(): lambda x, z: x @ z / np.sqrt((x @ x) * (z @ z)),
    ChiSquared(0.7): lambda x, z: np.exp(-0.7 * np.sum((x - z) ** 2 / (x + z))),
    AdditiveChiSquared(): lambda x, z: -np.sum((x - z) ** 2 / (x + z)),
}
COMBINED = {
    Linear() + Gaussian(0.5): lambda x, z: x @ z + np.exp(-0.5 * np.sum((x - z) ** 2)),
    Laplacian(0.5) * Polynomial.quadratic(): lambda x, z: np.exp(-0.5 * np.abs(x - z).sum()) * (x @ z + 1) ** 2,
    3 * Cosine(): lambda x, z: 3 * (x @ z) / np.sqrt((x @ x) * (z @ z)),
}
FORMULAS = SIMPLE | COMBINED

every_kernel = pytest.mark.parametrize("kernel", FORMULAS, ids=steady)


def rows(seed, count, columns=5, dtype=np.float64):
    """Entries that are not negative, a third of them zero, so that histograms and sparse tables are served too."""
    draws = np.random.default_rng(seed)
    return (draws.exponential(1.0, (count, columns)) * (draws.random((count, columns)) > 0.3) + 1e-3).astype(dtype)


def by_formula(kernel, X, Y):
    return np.array([[FORMULAS[kernel](x, z) for z in Y] for x in X])


@every_kernel
@pytest.mark.parametrize("columns", [1, 5, 130])
def test_a_kernel_is_its_formula(kernel, columns):
    X, Y = rows(1, 103, columns) / np.sqrt(columns), rows(2, 99, columns) / np.sqrt(columns)
    assert_allclose(kernel(X, Y), by_formula(kernel, X, Y), rtol=1e-11)
    assert_allclose(kernel(X), by_formula(kernel, X, X), rtol=1e-11)
    assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)), rtol=1e-12)


@every_kernel
def test_a_sparse_table_has_the_kernel_of_its_rows(kernel):
    X, Y = rows(3, 40), rows(4, 30)
    X, Y = X * (X > 0.1), Y * (Y > 0.1)
    X[0, 0] = Y[0, 0] = 1.0
    for left in (X, csr_array(X)):
        for right in (Y, csr_array(Y)):
            assert_allclose(kernel(left, right), kernel(X, Y), rtol=1e-12)
    assert_allclose(kernel(csr_array(X)), kernel(X), rtol=1e-12)
    assert_allclose(kernel.diagonal(csr_array(X)), kernel.diagonal(X), rtol=1e-12)


@every_kernel
def test_wide_sparse_tables(kernel):
    X = np.zeros((20, 3000))
    X[:, ::100] = rows(5, 20, 30)
    Y = np.zeros((15, 3000))
    Y[:, 50::100] = Y[:, ::100] = rows(6, 15, 30)
    assert_allclose(kernel(csr_array(X), csr_array(Y)), kernel(X, Y), rtol=1e-10)
    assert_allclose(kernel(csr_array(X)), kernel(X), rtol=1e-10)


@every_kernel
def test_single_precision_stays(kernel):
    X, Y = rows(7, 30, dtype=np.float32), rows(8, 20, dtype=np.float32)
    found = kernel(X, Y)
    assert found.dtype == kernel(X).dtype == kernel.diagonal(X).dtype == np.float32
    assert_allclose(found, kernel(X.astype(float), Y.astype(float)), rtol=2e-6)
    assert kernel(X, Y.astype(float)).dtype == np.float64


@every_kernel
def test_the_kernel_of_a_table_with_itself_is_symmetric_to_the_bit(kernel):
    found = kernel(rows(9, 200))
    assert_array_equal(found, found.T)


@every_kernel
def test_bits_do_not_depend_on_threads(kernel):
    X, Y = rows(10, 700), rows(11, 300)
    found = []
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            found.append((kernel(X), kernel(X, Y)))
    for same, other in found[1:]:
        assert_array_equal(same, found[0][0])
        assert_array_equal(other, found[0][1])


@every_kernel
def test_columns_of_memory_are_read_as_rows(kernel):
    X, Y = rows(12, 20), rows(13, 30)
    assert_array_equal(kernel(np.asfortranarray(X), np.asfortranarray(Y)), kernel(X, Y))
    assert_array_equal(kernel(np.repeat(X, 2, axis=0)[::2], Y), kernel(X, Y))


@pytest.mark.parametrize("kernel", [kernel for kernel in FORMULAS if kernel.definite], ids=steady)
@given(arrays(np.float64, (7, 3), elements=st.floats(0, 4)))
def test_a_definite_kernel_has_no_negative_eigenvalue(kernel, X):
    values = np.linalg.eigvalsh(kernel(X))
    assert values.min() >= -1e-10 * max(values.max(), 1)


@pytest.mark.parametrize("kernel", [Sigmoid(1.0, -1.0), Sigmoid.logistic(1.0, -2.0), AdditiveChiSquared()], ids=steady)
def test_a_kernel_that_is_not_definite_says_so(kernel):
    X = np.array([[0.1, 0.0], [1.0, 0.2], [3.0, 1.0]])
    assert np.linalg.eigvalsh(kernel(X)).min() < -1e-3
    assert not kernel.definite


def test_far_and_near_rows_of_any_scale():
    X = np.array([[0.0], [1.0], [2.0]])
    for unit in (1e-150, 1e-30, 1.0, 1e30, 1e150):
        assert_allclose(Gaussian(0.5 / unit / unit)(X * unit), Gaussian(0.5)(X), rtol=1e-12)
        assert_allclose(Laplacian(0.5 / unit)(X * unit), Laplacian(0.5)(X), rtol=1e-12)
        assert_array_equal(Cosine()(X * unit), [[0, 0, 0], [0, 1, 1], [0, 1, 1]])
    far = Gaussian(1.0)(X * 1e200)
    assert_array_equal(far, np.eye(3))
    assert_array_equal(Gaussian(1.0)(np.array([[0.0], [1e3]])), np.eye(2))  # underflows to nothing, not to a limit


def test_near_rows_far_from_the_origin_keep_their_digits():
    X = 1e6 + np.random.default_rng(0).normal(size=(50, 4))
    squared_distances = ((X[:, None] - X) ** 2).sum(axis=-1)
    assert_allclose(Gaussian(0.5)(X), np.exp(-0.5 * squared_distances), rtol=1e-9)


def test_functions_of_rows_and_of_tables():
    words = ["spam", "maps", "eggs"]
    shared = Custom(lambda left, right: len(set(left) & set(right)))
    assert_array_equal(shared(words), [[4, 4, 1], [4, 4, 1], [1, 1, 3]])
    assert_array_equal(shared(words, ["ms"]), [[2], [2], [1]])
    assert_array_equal(shared.diagonal(words), [4, 4, 3])
    X = rows(14, 6)
    whole = Custom(lambda X, Y: X @ Y.T, "tables")
    assert_allclose(whole(X), X @ X.T)
    assert_allclose(whole.diagonal(X), (X**2).sum(axis=1))


def test_similarities_that_are_known():
    K = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert_array_equal(Precomputed()(K), K)
    assert_array_equal(Precomputed().diagonal(K), [2, 3])


@pytest.mark.parametrize("name", [name for name in KERNEL_NAMES if name != "precomputed"])
def test_names_mean_what_they_mean_in_scikit_learn(name):
    X, Y = rows(15, 12), rows(16, 9)
    for given_ in ({}, {"gamma": 0.2}):
        theirs_found = theirs.pairwise_kernels(X, Y, metric=name, filter_params=True, **given_)
        assert_allclose(resolve_kernel(name, X, **given_)(X, Y), theirs_found, rtol=1e-10)


def test_gamma_by_name():
    X = rows(17, 30)
    assert scale_of(X, "auto") == scale_of(X, None) == 0.2
    assert_allclose(scale_of(X, "scale"), 1 / (5 * X.var()))
    assert_allclose(scale_of(csr_array(X), "scale"), 1 / (5 * X.var()))
    assert scale_of(np.ones((3, 2)), "scale") == 1.0
    copies = np.arange(30) % 3
    for table in (X, csr_array(X)):
        assert_allclose(scale_of(table, "scale", copies.astype(float)), scale_of(np.repeat(X, copies, axis=0), "scale"))


def test_what_is_not_a_kernel_is_refused():
    with pytest.raises(ParameterError, match="kernel must be one of"):
        resolve_kernel("magic", np.zeros((2, 2)))
    with pytest.raises(DataError, match="negative"):
        ChiSquared()(np.array([[-1.0]]))
    assert isinstance(resolve_kernel(np.dot, np.zeros((2, 2))), Custom)
    assert resolve_kernel(Cosine(), np.zeros((2, 2))) == Cosine()


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda X, Y: np.ones((2, 2)), r"shape \(2, 2\) for tables of 4 and 3 rows"),
        (lambda X, Y: np.full((len(X), len(Y)), np.nan), "not finite"),
    ],
)
def test_a_function_must_give_a_number_for_every_pair(function, words):
    with pytest.raises(DataError, match=words):
        Custom(function, "tables")(np.ones((4, 2)), np.ones((3, 2)))


def test_a_function_of_tables_may_give_a_sparse_matrix():
    X = csr_array(np.eye(3))
    assert_array_equal(Custom(lambda X, Y: X @ Y.T, "tables")(X), np.eye(3))
