"""Scans of wrong or unusual content: errors that say what to do, and nothing wrong in silence."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from learnable import (
    PCA,
    DataError,
    GaussianMixture,
    GaussianNB,
    LogisticRegression,
    OneHotEncoder,
    ParameterError,
    Ridge,
    RidgeClassifier,
    StandardScaler,
    scale,
)

from .data import COLUMNS, assert_close, regression, weights

X, Y = regression(1000)
TABLE = np.column_stack([X, Y])
FRAME = pd.DataFrame(TABLE, columns=[*COLUMNS, "y"])
LABELS = np.where(np.median(Y) < Y, "high", "low")
WEIGHT = weights(1000)
WEIGHT[:300] = 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "y", "columns": "x0"}, r"write columns=\['x0'\]"),
        ({"target": "y", "columns": []}, "at least one column"),
        ({"target": "y", "columns": ["x0", "x0"]}, "each once"),
        ({"target": "y", "columns": ["x0", "y"]}, "the target or the weight, and a feature too"),
        ({"target": "y", "block_rows": 0}, "at least 1"),
    ],
)
def test_columns_and_blocks_that_make_no_sense(arguments, message):
    with pytest.raises(DataError, match=message):
        scale.scan(FRAME, **arguments)
    with pytest.raises(DataError, match=message):
        scale.scan(scale.scan(FRAME), **arguments)


@pytest.mark.parametrize("target", [-1, 6])
@pytest.mark.parametrize("source", [TABLE, lambda: [TABLE]], ids=["array", "batches"])
def test_columns_of_arrays_count_from_zero(source, target):
    with pytest.raises(DataError, match=f"the source has no column {target}"):
        scale.scan(source, target=target)


def test_names_are_checked_whenever_they_are_given():
    rows = scale.scan(FRAME)
    for misuse in (lambda: scale.scan(rows, target="z"), lambda: Ridge().fit(rows, "z")):
        with pytest.raises(DataError, match="no column 'z'"):
            misuse()


def test_a_scan_of_a_scan_replaces_what_is_named_alone():
    rows = scale.scan(FRAME, target="y", block_rows=200)
    narrow = scale.scan(rows, columns=["x3", "x1"])
    assert narrow.block_rows == 200
    assert_close(Ridge().fit(narrow).coef_, Ridge().fit(X[:, [3, 1]], Y).coef_, 1e-10)
    with pytest.raises(DataError, match="before rows are changed"):
        scale.scan(StandardScaler().fit(rows).transform(rows), columns=["x0"])


def test_blocks_without_weight_are_passed_over():
    rows = scale.scan(X, target=Y, weight=WEIGHT, block_rows=100)
    assert_close(Ridge().fit(rows).coef_, Ridge().fit(X, Y, sample_weight=WEIGHT).coef_, 1e-10)
    model = GaussianNB().fit(X, LABELS)
    found = model.score(scale.scan(X, target=LABELS, weight=WEIGHT, block_rows=100))
    assert found == pytest.approx(model.score(X, LABELS, sample_weight=WEIGHT), rel=1e-12)


@pytest.mark.parametrize("model", [Ridge().fit(X, Y), GaussianNB().fit(X, LABELS)], ids=["regressor", "classifier"])
def test_scores_without_rows_weights_or_targets_are_refused(model):
    y = LABELS if isinstance(model, GaussianNB) else Y
    for rows, message in (
        (scale.scan(X), "the scan has no target"),
        (scale.scan(X, target=y).rows(5, 5), "no rows"),
        (scale.scan(X, target=y, weight=np.zeros(1000)), "zero for every row"),
        (scale.scan(X, target=y, weight=np.where(WEIGHT > 2, -1.0, 1.0)), "weights count rows"),
    ):
        with pytest.raises(DataError, match=message):
            model.score(rows)


def test_scores_refuse_missing_targets():
    spoiled = np.where(np.arange(1000) == 730, np.nan, Y)
    with pytest.raises(DataError, match=r"y contains NaN or infinity in row 30.*in rows 700 to 799"):
        Ridge().fit(X, Y).score(scale.scan(X, target=spoiled, block_rows=100))


def test_no_rows():
    rows = scale.scan(FRAME.iloc[:0], target="y")
    assert rows.count() == 0
    with pytest.raises(DataError, match="no rows"):
        rows.collect()
    with pytest.raises(ParameterError, match="at least as many rows"):
        GaussianMixture(n_components=2).fit(scale.scan(X[:1]))


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        ([(X, Y), (X[:, :2], Y)], "all batches must be alike"),
        ([(X, Y), X], "all batches must be alike"),
        ([(X, Y, Y, Y)], "a batch of 4 parts"),
        ([3], "a batch holds int"),
        ([X[:, 0]], "a batch holds ndarray"),
        (None, "must return an iterator"),
    ],
)
def test_batches_that_are_not_alike(batches, message):
    with pytest.raises(DataError, match=message):
        Ridge().fit(scale.scan(lambda: batches, block_rows=2000))


def test_filters_give_a_value_for_each_row():
    with pytest.raises(DataError, match="one value each"):
        scale.scan(X).where(lambda numbers: [True]).count()


def test_columns_of_one_name_in_csv(tmp_path):
    (tmp_path / "a.csv").write_text("a,a,y\n1,2,3\n")
    with pytest.raises(DataError, match="several columns called 'a'"):
        scale.scan(tmp_path / "a.csv", target="y")


@pytest.mark.parametrize("arguments", [{"target": Y}, {"target": ["y", "x0"]}, {"target": "y", "weight": WEIGHT}])
def test_arrays_beside_files_and_functions_are_refused(arguments, tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    for source in (tmp_path / "a.parquet", lambda: [FRAME]):
        with pytest.raises(DataError, match="must be the name of one column"):
            scale.scan(source, **arguments)


def test_columns_may_be_numbered_by_numpy():
    assert_close(Ridge().fit(scale.scan(TABLE, target=np.int64(5))).coef_, Ridge().fit(X, Y).coef_, 1e-10)


def test_text_as_codes_in_one_file_and_as_it_is_in_another(tmp_path):
    for name, values in (("a", pyarrow.array(["u", "v"])), ("b", pyarrow.array(["w", "u"]).dictionary_encode())):
        pyarrow.parquet.write_table(pyarrow.table({"x": values}), tmp_path / f"{name}.parquet")
    found = OneHotEncoder().fit(scale.scan(tmp_path, block_rows=3))
    assert found.categories_[0].tolist() == ["u", "v", "w"]


@pytest.mark.parametrize("size", [1e-200, 1e160])
@pytest.mark.parametrize(
    "model", [Ridge(alpha=0.0), PCA(2), RidgeClassifier(alpha=0.0)], ids=lambda m: type(m).__name__
)
def test_squares_out_of_range_are_refused(model, size):
    y = LABELS if isinstance(model, RidgeClassifier) else Y
    with warnings.catch_warnings(), pytest.raises(DataError, match="leave the range"):
        warnings.simplefilter("ignore", RuntimeWarning)
        model.fit(scale.scan(X * size, target=y, block_rows=300))


@pytest.mark.parametrize(
    "model", [LogisticRegression(), GaussianNB(), StandardScaler()], ids=lambda m: type(m).__name__
)
def test_fits_that_overflow_name_the_column(model):
    with warnings.catch_warnings(), pytest.raises(DataError, match=r"column \d.*leaves the range.*in rows 600 to 899"):
        warnings.simplefilter("ignore", RuntimeWarning)
        spoiled = np.where(np.arange(1000)[:, None] == 700, X * 1e160, X)
        model.fit(scale.scan(spoiled, target=LABELS, block_rows=300))


def test_the_score_of_one_row_is_unknown():
    with pytest.warns(UserWarning, match="at least two rows"):
        assert np.isnan(Ridge().fit(X, Y).score(scale.scan(X[:1], target=Y[:1])))
