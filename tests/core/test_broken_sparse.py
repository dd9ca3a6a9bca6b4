"""Sparse matrices whose arrays do not fit together are refused by validation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core import DataError
from learnable.core.validate.features import FeatureValidator

NUMBERS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
VALIDATOR = FeatureValidator("Toy", sparse=True)


def broken_indices():
    X = sparse.csr_array(NUMBERS)
    X.indices[-1] = 9
    return X


def broken_coordinates():
    X = sparse.coo_array(NUMBERS)
    X.coords[0][0] = -1
    return X


def broken_ends():
    X = sparse.csc_array(NUMBERS)
    X.indptr[1] = 50
    return X


def missing_entries():
    X = sparse.csr_array(NUMBERS)
    X.data = X.data[:-1]
    return X


def missing_ends():
    X = sparse.csr_array(NUMBERS)
    X.indptr = X.indptr[:-1]
    return X


def missing_coordinate_entries():
    X = sparse.coo_array(NUMBERS)
    X.data = X.data[:-1]
    return X


BROKEN = [broken_indices, broken_coordinates, broken_ends, missing_entries, missing_ends, missing_coordinate_entries]


@pytest.mark.parametrize("make", BROKEN)
def test_a_broken_sparse_matrix_is_refused_before_compiled_code_sees_it(make):
    with pytest.raises(DataError, match="Toy: X is not a valid sparse matrix"):
        VALIDATOR.matrix(make())


@pytest.mark.parametrize("name", ["Lasso", "LinearRegression", "Ridge"])
def test_more_columns_than_can_be_counted_are_refused_by_name(name):
    place = np.array([0, 2**31], dtype=np.int64)
    X = sparse.csr_array((np.ones(2), place, np.arange(3)), shape=(2, 2**31 + 1))
    with pytest.raises(DataError, match=rf"{name}: X is a sparse matrix of shape .*at most 2147483647"):
        getattr(learnable, name)().fit(X, [0.0, 1.0])


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_arrays_of_a_sparse_matrix_may_be_strided_views(kind, part):
    X, y = kind(NUMBERS), [1.0, 2.0, 4.0]
    expected = learnable.Ridge().fit(X, y).coef_
    setattr(X, part, np.repeat(getattr(X, part), 2)[::2])
    np.testing.assert_array_equal(learnable.Ridge().fit(X, y).coef_, expected)
    assert not getattr(X, part).flags.c_contiguous


def test_a_broken_sparse_matrix_among_parameters_is_refused():
    neighbours = sparse.csr_array(np.ones((3, 3)))
    neighbours.indices[0] = 2**30
    with pytest.raises(DataError, match="AgglomerativeClustering: connectivity is not a valid sparse matrix"):
        learnable.AgglomerativeClustering(connectivity=neighbours).fit(NUMBERS)


def test_spare_entries_of_a_sparse_matrix_are_left_out():
    X, y = sparse.csr_array(NUMBERS), [1.0, 2.0, 4.0]
    expected = learnable.Ridge().fit(X, y).coef_
    X.data, X.indices = np.append(X.data, np.nan), np.append(X.indices, 99).astype(X.indices.dtype)
    np.testing.assert_array_equal(learnable.Ridge().fit(X, y).coef_, expected)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_the_order_of_indices_is_not_what_a_sparse_matrix_remembers(kind):
    X = kind(NUMBERS)
    assert X.has_canonical_format
    X.indices, X.data = X.indices.copy(), X.data.copy()
    X.indices[:2], X.data[:2] = X.indices[1::-1].copy(), X.data[1::-1].copy()
    matrix, _ = VALIDATOR.matrix(X)
    np.testing.assert_array_equal(X.indices[:2], [1, 0])
    np.testing.assert_array_equal(matrix.indices[:2], [0, 1])
    np.testing.assert_array_equal(matrix.toarray(), NUMBERS)
