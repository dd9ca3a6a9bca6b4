"""Data frames whose columns are called by numbers, as those of files without a header are."""

import numpy as np
import pandas
import pytest
from scipy import sparse

from learnable.core import DataError
from learnable.core.validate.features import FeatureValidator


@pytest.mark.parametrize(
    "frame",
    [
        pandas.DataFrame({0: [1, 2, 3], 1: [0.5, 0.1, 0.2]}),
        pandas.DataFrame({0: [True, False, True], 1: [0.5, 0.1, 0.2]}),
        pandas.DataFrame(np.array([[1, 0.5], [2, 0.1], [3, 0.2]], dtype=object)),
        pandas.DataFrame.sparse.from_spmatrix(sparse.csr_matrix([[1, 0.5], [0, 0.1], [3, 0.2]])),
    ],
    ids=["whole and not", "truths", "objects", "sparse"],
)
def test_columns_may_be_called_by_numbers(frame):
    matrix, names = FeatureValidator("ToyRidge").matrix(frame)
    assert names is None
    np.testing.assert_array_equal(matrix, frame.to_numpy().astype(float))


def test_a_text_in_a_column_called_by_a_number_is_named():
    with pytest.raises(DataError, match="column 1 holds String, not numbers"):
        FeatureValidator("ToyRidge").matrix(pandas.DataFrame({0: [1, 2], 1: ["a", "b"]}))
