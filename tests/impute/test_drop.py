"""Columns and rows with too many missing values left out."""

from __future__ import annotations

import numpy as np
import pandas
import pyarrow
import pytest

from learnable import DataError, LinearRegression, make_pipeline
from learnable.impute import DropMissing, DropMissingRows

TABLE = pandas.DataFrame(
    {"full": [1.0, 2.0, 3.0, 4.0], "half": [1.0, np.nan, np.nan, 4.0], "word": ["a", "?", "?", "?"]}
).astype({"word": object})


def test_columns_are_dropped_by_their_fraction_of_missing_values():
    assert list(DropMissing().fit(TABLE).get_feature_names_out()) == ["full", "half", "word"]
    assert list(DropMissing(0.4).fit(TABLE).get_feature_names_out()) == ["full", "word"]
    marked = DropMissing(0.5, placeholders=["?"]).fit(TABLE)
    assert list(marked.get_feature_names_out()) == ["full", "half"]
    np.testing.assert_allclose(marked.shares_, [0, 0.5, 0.75])
    assert marked.transform(TABLE).dtype == np.float64
    weighted = DropMissing(0.4).fit(TABLE, sample_weight=[3, 1, 0, 1])
    assert list(weighted.get_feature_names_out()) == ["full", "half", "word"]
    with pytest.raises(DataError, match="every column has more than 10%"):
        DropMissing(0.1).fit(TABLE[["half"]])


def test_rows_go_in_training_only():
    y = pandas.Series([1.0, 2.0, 3.0, 4.0])
    kept, target = DropMissingRows().fit_resample(TABLE, y)
    assert list(kept.index) == [0, 3] and target.tolist() == [1.0, 4.0]
    kept, _ = DropMissingRows(0.5, placeholders=["?"]).fit_resample(TABLE, y)
    assert list(kept.index) == [0, 3]
    numbers = TABLE[["full", "half"]]
    model = make_pipeline(DropMissingRows(), LinearRegression()).fit(numbers, y)
    assert model.predict(numbers.fillna(0.0)).shape == (4,)


def test_rows_keep_what_holds_them():
    kept, _ = DropMissingRows().fit_resample([[1.0, "a"], [np.nan, "b"]])
    assert kept.tolist() == [[1.0, "a"]]  # a number beside a text stays a number
    table, y = pyarrow.table({"x": [1.0, None, 3.0]}), pyarrow.chunked_array([[1, 2, 3]])
    rows, targets, weight = DropMissingRows().fit_resample(table, y, [1, 2, 3])
    assert rows["x"].to_pylist() == [1.0, 3.0] and targets.to_pylist() == [1, 3] and weight.tolist() == [1, 3]
