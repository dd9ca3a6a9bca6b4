"""Scans: what is read, in which blocks, and what errors say."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest

from learnable import DataError, LinearRegression, Ridge, StandardScaler, scale

from .data import COLUMNS, assert_close, regression, weights, write_parquet

X, Y = regression()


def parquet(path, **options):
    return write_parquet(path / "data", X, Y, **options)


def test_a_scan_of_files_gives_the_rows_in_order(tmp_path):
    rows = scale.scan(parquet(tmp_path, cuts=(10, 1500, 1501), row_group_size=300), target="y", block_rows=256)
    assert rows.count() == 3000
    blocks = list(rows.blocks())
    assert [len(block) for block in blocks] == [256] * 11 + [184]
    np.testing.assert_array_equal(pyarrow.concat_tables(blocks).to_pandas().to_numpy(), X)
    assert list(rows.schema) == [*COLUMNS, "y"]


@pytest.mark.parametrize("source", ["pandas", "polars", "arrow", "array", "sparse", "lists"])
def test_tables_in_memory_are_scanned(source):
    frame = pd.DataFrame(X, columns=COLUMNS)
    import scipy.sparse

    tables = {
        "pandas": frame, "polars": pl.DataFrame(X, schema=COLUMNS), "arrow": pyarrow.table(frame), "array": X,
        "sparse": scipy.sparse.csr_array(X), "lists": X.tolist(),
    }  # fmt: skip
    expected = Ridge().fit(X, Y)
    model = Ridge().fit(scale.scan(tables[source], target=Y, block_rows=700))
    assert_close(model.coef_, expected.coef_)
    assert ("feature_names_in_" in vars(model)) == (source in ("pandas", "polars", "arrow"))


def test_target_and_weights_may_be_named_or_given(tmp_path):
    s = weights(len(X))
    expected = Ridge().fit(X, Y, sample_weight=s)
    folder = write_parquet(tmp_path / "w", X, Y, s, cuts=(999,))
    named = Ridge().fit(scale.scan(folder, target="y", weight="weight", block_rows=512))
    later = Ridge().fit(scale.scan(folder, block_rows=512), "y", sample_weight="weight")
    beside = Ridge().fit(scale.scan(X, target=Y, weight=s, block_rows=512))
    for model in (named, later, beside):
        assert_close(model.coef_, expected.coef_)
        assert_close(model.intercept_, expected.intercept_)
    assert named.coef_.tobytes() == later.coef_.tobytes() == beside.coef_.tobytes()


def test_columns_choose_features(tmp_path):
    rows = scale.scan(parquet(tmp_path), target="y", columns=["x3", "x0"])
    model = LinearRegression().fit(rows)
    assert model.feature_names_in_.tolist() == ["x3", "x0"]
    assert_close(model.coef_, LinearRegression().fit(X[:, [3, 0]], Y).coef_)


def test_several_targets():
    both = np.column_stack([Y, 2 * Y - X[:, 0]])
    model, expected = Ridge().fit(scale.scan(X, target=both, block_rows=333)), Ridge().fit(X, both)
    assert_close(model.coef_, expected.coef_)
    assert_close(model.intercept_, expected.intercept_)


def test_float32_stays_float32():
    X32 = X.astype(np.float32)
    model = Ridge().fit(scale.scan(X32, target=Y, block_rows=800))
    assert model.coef_.dtype == np.float32
    np.testing.assert_allclose(model.coef_, Ridge().fit(X32, Y).coef_, rtol=1e-6)


def test_predictions_are_scans():
    model = Ridge().fit(X, Y)
    rows = scale.scan(X, target=Y, block_rows=400)
    np.testing.assert_array_equal(model.predict(rows).collect(), model.predict(X))
    assert model.score(rows) == pytest.approx(model.score(X, Y), rel=1e-13)
    assert model.predict(rows).count() == len(X)


def test_rows_between_numbers():
    rows = scale.scan(X, target=Y, block_rows=256)
    np.testing.assert_array_equal(rows.rows(100, 900).collect(), X[100:900])
    np.testing.assert_array_equal(rows.rows(100, 900, inside=False).collect(), np.delete(X, slice(100, 900), axis=0))
    assert rows.rows(100, 900).count() == 800
    even = rows.where(lambda numbers: numbers % 2 == 0)
    assert_close(Ridge().fit(even).coef_, Ridge().fit(X[::2], Y[::2]).coef_)


def test_errors_name_file_and_rows(tmp_path):
    spoiled = X.copy()
    spoiled[1700, 2] = np.nan
    folder = write_parquet(tmp_path / "data", spoiled, Y, cuts=(1500,), row_group_size=200)
    with pytest.raises(DataError, match=r"Ridge: X contains NaN in column 'x2'.*part-001.parquet, row group") as error:
        Ridge().fit(scale.scan(folder, target="y", block_rows=100))
    assert "in rows 1700 to 1799" in str(error.value)


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = Ridge().fit(X, Y)
    before = dict(vars(model))
    with pytest.raises(DataError):
        model.fit(scale.scan(np.full((10, 5), np.nan), target=np.ones(10)))
    assert vars(model) == before


def test_a_part_with_other_columns_is_named(tmp_path):
    folder = write_parquet(tmp_path / "data", X, Y)
    write_parquet(tmp_path / "more", X, Y, names=["x0", "x1", "x2", "x3", "z"])
    os.rename(tmp_path / "more" / "part-000.parquet", folder / "part-009.parquet")
    with pytest.raises(DataError, match=r"part-009.parquet has other columns.*lacks \['x4'\] and has \['z'\]"):
        Ridge().fit(scale.scan(folder, target="y"))
    shared = scale.scan(folder / "part-000.parquet", target="y", columns=["x0", "x1"])
    assert Ridge().fit(shared).n_features_in_ == 2


def test_text_in_one_part_and_numbers_in_another(tmp_path):
    folder = write_parquet(tmp_path / "data", X, Y)
    pyarrow.parquet.write_table(
        pyarrow.table({name: ["a"] if name == "x1" else [1.0] for name in [*COLUMNS, "y"]}), folder / "part-009.parquet"
    )
    with pytest.raises(DataError, match=r"column 'x1' holds string in .*part-009.parquet, and double"):
        Ridge().fit(scale.scan(folder, target="y"))


def test_a_file_that_changes_is_refused(tmp_path):
    folder = parquet(tmp_path)
    rows = scale.scan(folder, target="y")
    assert rows.count() == 3000
    write_parquet(tmp_path / "data", X[:100], Y[:100])
    with pytest.raises(DataError, match="has changed since the scan began"):
        Ridge().fit(rows)


def test_damaged_and_empty_sources(tmp_path):
    with pytest.raises(DataError, match="no file is found"):
        scale.scan(tmp_path / "nothing.parquet")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(DataError, match=r"broken.parquet cannot be read as Parquet"):
        scale.scan(tmp_path / "broken.parquet").count()
    empty = write_parquet(tmp_path / "empty", X[:0], Y[:0])
    with pytest.raises(DataError, match="the source has no rows"):
        Ridge().fit(scale.scan(empty, target="y"))


def test_empty_parts_change_nothing(tmp_path):
    whole = Ridge().fit(scale.scan(parquet(tmp_path), target="y", block_rows=500))
    parts = write_parquet(tmp_path / "parts", X, Y, cuts=(0, 0, 1200, 1200, 3000))
    assert Ridge().fit(scale.scan(parts, target="y", block_rows=500)).coef_.tobytes() == whole.coef_.tobytes()


def test_misuse_is_explained(tmp_path):
    rows = scale.scan(parquet(tmp_path))
    with pytest.raises(DataError, match="requires y to be passed, but the scan has no target"):
        Ridge().fit(rows)
    with pytest.raises(DataError, match="the source has no column 'z'"):
        scale.scan(tmp_path / "data", target="z")
    with pytest.raises(DataError, match=r"KNeighborsClassifier needs all rows in memory at once.*Nystroem"):
        from learnable import KNeighborsClassifier

        KNeighborsClassifier().fit(scale.scan(X, target=Y))
    with pytest.raises(DataError, match="cannot be scanned"):
        scale.scan(object())
    assert "Scan" in repr(rows)


def test_transformers_give_scans():
    rows = scale.scan(X, target=Y, block_rows=640)
    scaler = StandardScaler().fit(rows)
    expected = StandardScaler().fit(X)
    assert_close(scaler.mean_, expected.mean_)
    np.testing.assert_allclose(scaler.transform(rows).collect(), expected.transform(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(StandardScaler().fit_transform(rows).collect(), scaler.transform(X))


def test_scans_are_written_whole_or_not_at_all(tmp_path):
    model = Ridge().fit(pd.DataFrame(X, columns=COLUMNS), Y)
    out = model.predict(scale.scan(parquet(tmp_path), target="y", block_rows=500)).write(tmp_path / "out")
    assert len(list(out.iterdir())) == 6
    back = scale.scan(out)
    assert list(back.schema) == ["prediction", "y"]
    assert_close(back.collect()["prediction"].to_numpy(), model.predict(pd.DataFrame(X, columns=COLUMNS)))
    with pytest.raises(DataError, match="exists already"):
        back.write(out)
    spoiled = X.copy()
    spoiled[2500, 0] = np.nan
    with pytest.raises(DataError, match="contains NaN"):
        model.predict(scale.scan(pd.DataFrame(spoiled, columns=COLUMNS), block_rows=100)).write(tmp_path / "bad")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out"]
