import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, ShuffleSplit

from learnable.core import DataError, ParameterError
from learnable.engines.folds import folds


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        np.array_equal(a, c) and np.array_equal(b, d) for (a, b), (c, d) in zip(ours, theirs, strict=True)
    )


@given(n=st.integers(2, 40), data=st.data())
def test_a_number_means_contiguous_folds(n, data):
    count = data.draw(st.integers(2, n))
    assert same(folds(count, n), list(KFold(count).split(np.zeros((n, 1)))))


def test_none_means_five_folds():
    assert same(folds(None, 12), list(KFold(5).split(np.zeros((12, 1)))))


def test_a_splitter_is_called_with_y():
    splitter = ShuffleSplit(4, random_state=0)
    assert same(folds(splitter, 20, np.arange(20.0)), list(splitter.split(np.zeros((20, 1)))))


def test_pairs_of_indices_masks_and_negative_indices():
    mask = np.array([True, True, False, False])
    expected = [(np.array([0, 1]), np.array([2, 3]))]
    assert same(folds([(mask, ~mask)], 4), expected)
    assert same(folds(iter([([0, 1], [-2, -1])]), 4), expected)


@pytest.mark.parametrize("cv", [1, "five", 3.5, [], [([], [1])], [([0], [9])], [([0.5], [1])], [([True], [1])], True])
def test_nonsense_is_refused(cv):
    with pytest.raises(ParameterError):
        folds(cv, 4)


def test_more_folds_than_rows_is_refused():
    with pytest.raises(DataError, match="n_samples=3"):
        folds(None, 3)
