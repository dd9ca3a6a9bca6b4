"""The transpose of a sparse matrix against SciPy's."""

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads
from learnable.engines.matrix_products import flipped


def table(n, p, density, dtype=np.float64, index=np.int32, make=sparse.csr_array):
    X = make(
        sparse.random_array((n, p), density=density, rng=np.random.default_rng(n + p), dtype=np.float64), dtype=dtype
    )
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


@pytest.mark.parametrize("size", [(1, 1, 1.0), (3, 7, 0.5), (200, 30, 0.1), (30, 200, 0.0), (2000, 900, 0.2)], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix])
def test_against_scipy(size, dtype, index, make):
    X = table(*size, dtype, index, make)
    expected = X.T.tocsr()
    for count in (1, 2, 3, 8):
        with threads(count):
            found = flipped(X)
        assert type(found) is type(X)
        assert found.shape == expected.shape
        assert found.dtype == dtype
        for part in ("data", "indices", "indptr"):
            assert np.array_equal(getattr(found, part), getattr(expected, part))


def test_duplicate_entries_stay():
    X = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert flipped(X).toarray().tolist() == [[0.0, 4.0], [3.0, 0.0]]


def test_what_does_not_fit_is_refused():
    X = table(4, 3, 0.5)
    start, index, value = np.empty(4, np.int64), np.empty(X.nnz, np.int32), np.empty(X.nnz)
    with pytest.raises(TypeError, match="by rows"):
        kernels.transpose(X.tocsc(), start, index, value)
    with pytest.raises(ValueError, match="columns"):
        kernels.transpose(X, start[:3], index, value)
    with pytest.raises(ValueError, match="room"):
        kernels.transpose(X, start, index[:1], value)
    X.indices[0] = 3
    with pytest.raises(ValueError, match="indices"):
        kernels.transpose(X, start, index, value)
