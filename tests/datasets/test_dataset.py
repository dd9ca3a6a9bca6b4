"""Datasets know what their columns hold, and what their rows are for."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas
import pytest

from learnable import DataError, Dataset, ParameterError, Ridge, TableVectorizer, load_borrowers
from learnable.datasets._reading.column_types import infer_kind


def borrowers() -> Dataset:
    frame = load_borrowers(as_frame=True).frame.rename(columns={"target": "default"})
    return Dataset.of({name: frame[name].to_numpy() for name in frame}, "default", name="borrowers")


def test_the_borrower_table() -> None:
    """FRM-02: X, y, names, and a kind for each column."""
    table = borrowers()
    assert dict(table.types) == {
        "home_owner": "binary",
        "marital_status": "categorical",
        "age": "integer",
        "income": "continuous",
        "default": "binary",
    }
    assert table.names == ["home_owner", "marital_status", "age", "income"] and table.X.shape == (10, 4)
    assert table.y.tolist() == load_borrowers().target.tolist()
    assert repr(table).splitlines() == [
        "<borrowers: 10 rows, 5 columns>",
        "column          kind         missing  values",
        "home_owner      binary       0        no, yes",
        "marital_status  categorical  0        divorced, married, single",
        "age             integer      0        22 to 61",
        "income          continuous   0        57.6 to 214.9",
        "default         binary       0        0, 1 (target)",
    ]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 1, 1, 0], "binary"),
        ([True, True], "binary"),
        (["m", "f", None, "m"], "binary"),
        (["a", "b", "c"], "categorical"),
        (["high", "low", "medium", "low"], "ordinal"),
        (["Never", "often", "always"], "ordinal"),
        ([3, 4, 5], "integer"),
        ([3.0, np.nan, 5.0, 6.0], "integer"),
        ([0.5, 1.0], "continuous"),
        ([np.nan, np.nan], "continuous"),
        (np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"), "time"),
        ([1, "a", 2.5], "categorical"),
    ],
)
def test_kinds(values: Any, kind: str) -> None:
    assert Dataset.of({"x": values}).types["x"] == kind
    assert infer_kind(Dataset.of({"x": values}).columns["x"]) == kind


def test_a_kind_can_be_overridden() -> None:
    table = Dataset.of({"zip": [10115, 20095, 80331], "when": ["31.12.2024", "01.02.2025", None], "n": ["1", "2", "x"]})
    changed = table.with_types({"zip": "categorical", "when": "time"})
    assert changed.types["zip"] == "categorical" and changed.types["when"] == "time"
    assert changed.columns["when"][0] == np.datetime64("2024-12-31") and np.isnat(changed.columns["when"][2])
    assert table.types["zip"] == "integer", "the first table is as it was"
    with pytest.raises(DataError, match="column 'n' cannot be integer: row 2 holds 'x'"):
        table.with_types({"n": "integer"})
    with pytest.raises(DataError, match="cannot be read as time, for example '1'"):
        table.with_types({"n": "time"})
    with pytest.raises(ParameterError, match="kind must be one of"):
        table.with_types({"n": "numeral"})
    with pytest.raises(DataError, match="has no column 'm'"):
        table.with_types({"m": "time"})


def test_frames_keep_the_order_of_scales() -> None:
    frame = Dataset.of({"size": ["small", "large", "medium"], "colour": ["red", "blue", "green"]}).frame()
    assert frame["size"].cat.ordered and frame["size"].cat.categories.tolist() == ["small", "medium", "large"]
    assert not frame["colour"].cat.ordered


def test_rows_get_roles() -> None:
    rng = np.random.default_rng(0)
    table = Dataset.of({"x": rng.normal(size=200), "y": np.repeat(["a", "b"], [150, 50])}, "y")
    split = table.split(validation=0.2, test=0.3, stratify=True, random_state=0)
    parts = {role: split.part(role) for role in ("train", "validation", "test")}
    assert {role: part.n for role, part in parts.items()} == {"train": 100, "validation": 40, "test": 60}
    assert {role: (part.y == "b").sum() for role, part in parts.items()} == {"train": 25, "validation": 10, "test": 15}
    seen = np.concatenate([part.columns["x"] for part in parts.values()])
    assert sorted(seen) == sorted(table.columns["x"])
    assert "rows: 100 train, 40 validation, 60 test" in repr(split)
    assert (split.roles == table.split(validation=0.2, test=0.3, stratify=True, random_state=0).roles).all()
    with pytest.raises(DataError, match="call split first"):
        table.part("test")
    with pytest.raises(ParameterError, match="leave rows for training"):
        table.split(test=1.0)
    with pytest.raises(ParameterError, match="a role is one of"):
        split.part("exam")


def test_numbers_go_into_an_estimator() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    table = Dataset.of({"a": X[:, 0], "b": X[:, 1], "y": X @ [1.0, 2.0]}, "y")
    np.testing.assert_allclose(Ridge(alpha=1e-9).fit(table.X, table.y).coef_, [1, 2], rtol=1e-6)
    assert len(table) == 50 and table.rows([0, 1]).n == 2


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(DataError, match="differ in length"):
        Dataset.of({"a": [1], "b": [1, 2]})
    with pytest.raises(DataError, match="no column is the target"):
        _ = Dataset.of({"a": [1]}).y


def test_whole_numbers_beyond_floats_stay_as_they_are() -> None:
    assert Dataset.of({"id": [10**400, 2, None]}).columns["id"].tolist() == [10**400, 2, None]


def test_lists_and_records_become_texts() -> None:
    for entries in ([[1, 2], [3]], [[1, 2], [3, 4]], [{"a": 1}, None]):
        column = Dataset.of({"own": entries}).columns["own"]
        assert column.tolist() == [None if entry is None else json.dumps(entry) for entry in entries]


@pytest.mark.parametrize("made", [pandas.Categorical, lambda values: pandas.Series(values, dtype="category")])
def test_what_pandas_calls_categories_are_categories(made: Any) -> None:
    table = Dataset.of({"ward": made([3, 1, 2, None]), "share": made([0.5, 1.5, 2.5, None]), "n": [3, 1, 2, 4]})
    assert dict(table.types) == {"ward": "categorical", "share": "categorical", "n": "integer"}
    assert table.columns["ward"].tolist() == ["3", "1", "2", None]
    assert table.with_types({"ward": "integer"}).columns["ward"][:3].tolist() == [3.0, 1.0, 2.0]


def test_categories_that_look_like_numbers_are_categories_in_arrow_too() -> None:
    """The columns as a table have the types that the dataset declares."""
    wards = Dataset.of({"ward": [1.0, 2.0, 3.0] * 9, "zip": ["00501", None, "10001"] * 9, "name": ["a", "b", "c"] * 9})
    vectorizer = TableVectorizer().fit(wards.with_types({"ward": "categorical"}).arrow())
    assert vectorizer.kinds_ == {"ward": "few", "zip": "few", "name": "few"}
    assert TableVectorizer().fit(wards.arrow()).kinds_["ward"] == "number"
