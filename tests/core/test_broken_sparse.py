"""Sparse matrices whose arrays do not fit together are refused at the door."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from learnable.core import DataError
from learnable.core.data import Door

NUMBERS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
DOOR = Door("Toy", sparse=True)


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
    with pytest.raises(DataError, match="Toy: X is a broken sparse matrix"):
        DOOR.matrix(make())
