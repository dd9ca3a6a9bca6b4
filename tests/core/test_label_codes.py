"""Labels and their codes, counted or sorted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable.core.validate.features import FeatureValidator


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@settings(max_examples=25, deadline=None)
@given(values=st.lists(st.integers(0, 127), min_size=1, max_size=30), shift=st.integers(0, 128))
def test_classes_of_small_whole_numbers(dtype, values, shift):
    labels = np.array(values).astype(dtype)
    labels = labels - dtype(min(shift, 128)) if np.dtype(dtype).kind == "i" and shift < 128 else labels
    classes, codes = FeatureValidator("Model").classes(labels, len(labels))
    requested, positions = np.unique(labels, return_inverse=True)
    assert classes.dtype == labels.dtype and codes.dtype == np.int64
    np.testing.assert_array_equal(classes, requested)
    np.testing.assert_array_equal(codes, positions)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([2**62, -(2**62), 7]),
        np.array([2**64 - 1, 3], dtype=np.uint64),
        np.array([10**15, 0, 10**15]),
        np.array([-5, -5, 10**6]),
        np.array([True, False, True]),
        np.array(["b", "a", "b"]),
        np.array([2.0, -1.0, 2.0]),
    ],
    ids=str,
)
def test_classes_far_apart_or_of_other_kinds(labels):
    classes, codes = FeatureValidator("Model").classes(labels, len(labels))
    np.testing.assert_array_equal(classes, np.unique(labels))
    np.testing.assert_array_equal(classes[codes], labels)
