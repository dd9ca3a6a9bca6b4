"""What a target asks for."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest

from learnable import DataError, target_kind

KINDS = [
    ([0.5, 1.5, 2.0], "regression"),
    (np.array([1.25, 3.0], np.float32), "regression"),
    ([[0.5], [1.0]], "regression"),
    ([0, 1, 1], "binary"),
    ([1.0, 2.0, 1.0], "binary"),
    ([True, False], "binary"),
    (["a", "b", "a"], "binary"),
    ([5, 5], "binary"),
    ([0, 1, 2], "multi-class"),
    (["a", "b", "c"], "multi-class"),
    (np.array(["a", 1, "c"], dtype=object), "multi-class"),
    (pandas.Series(["x", "y", "x"]), "binary"),
    (pandas.Series(["x", "y", "z"], dtype="category"), "multi-class"),
    (polars.Series([0.5, 1.0]), "regression"),
    ([[0, 1], [1, 1]], "multi-label"),
    ([[0.0, 1.0], [1.0, 1.0]], "multi-label"),
    ([[0, 2], [1, 1]], "multi-output multi-class"),
    ([["a", "b"], ["c", "d"]], "multi-output multi-class"),
    ([[0.5, 2], [1, 1]], "multi-output regression"),
]


@pytest.mark.parametrize(("y", "kind"), KINDS)
def test_kinds(y, kind):
    assert target_kind(y) == kind


@pytest.mark.parametrize("y", [[], 3.0, np.zeros((2, 2, 2)), np.zeros((0, 2))])
def test_no_target_at_all(y):
    with pytest.raises(DataError, match="one row per sample"):
        target_kind(y)


def test_missing_and_infinite_targets_are_refused():
    with pytest.raises(DataError, match="row 1"):
        target_kind([1.0, np.nan, 2.0])
    with pytest.raises(DataError, match="row 0"):
        target_kind([np.inf, 1.0])
