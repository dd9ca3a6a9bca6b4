"""Every storage a matrix may have gives the same result, without a copy."""

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.native import kernels

X = np.random.default_rng(0).normal(size=(23, 7))


def storages(X):
    yield "rows", X
    yield "columns", np.asfortranarray(X)
    yield "wider rows", np.column_stack([X, X])[:, : X.shape[1]]
    yield "float32", X.astype(np.float32)
    yield "csc", sparse.csc_array(X)
    yield "csc matrix", sparse.csc_matrix(X)
    wide = sparse.csc_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield "csc, long indices", wide


CASES = dict(storages(X))


@pytest.mark.parametrize("stored", CASES.values(), ids=CASES.keys())
def test_squared_norms(stored):
    tolerance = 1e-6 if stored.dtype == np.float32 else 1e-13
    np.testing.assert_allclose(kernels.squared_norms(stored), (X**2).sum(axis=0), rtol=tolerance)


def test_read_only_is_accepted():
    frozen = X.copy()
    frozen.setflags(write=False)
    np.testing.assert_allclose(kernels.squared_norms(frozen), (X**2).sum(axis=0))


@pytest.mark.parametrize("wrong", [X.astype(int), X[:, ::2], sparse.csr_array(X), X[0], "X"])
def test_what_cannot_be_read_is_refused(wrong):
    with pytest.raises(TypeError):
        kernels.squared_norms(wrong)


@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
def test_strided_arrays_of_sparse_matrices_are_refused_with_a_message(part):
    broken = sparse.csc_array(X)
    setattr(broken, part, np.repeat(getattr(broken, part), 2)[::2])
    with pytest.raises(TypeError, match="must be contiguous"):
        kernels.squared_norms(broken)


@pytest.mark.parametrize("start", [[0, 1], [1, 1, 2, 2], [0, 1, 2, 9]])
def test_broken_sparse_storage_is_refused(start):
    broken = sparse.csc_array(np.eye(3))
    broken.indptr = np.array(start, dtype=np.int32)
    with pytest.raises(ValueError, match="indptr"):
        kernels.squared_norms(broken)
