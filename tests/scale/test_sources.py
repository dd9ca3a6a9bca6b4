"""Every kind of source gives the same rows, and so the same bits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pyarrow.dataset
import pyarrow.feather
import pytest

from learnable import DataError, Ridge, scale

from .data import COLUMNS, digest, regression, write_parquet

X, Y = regression(5000)
FRAME = pd.DataFrame(X, columns=COLUMNS).assign(y=Y)
ROWS = 640
EXPECTED = digest(Ridge().fit(scale.scan(FRAME, target="y", block_rows=ROWS)))


def batches_of(frame, size):
    return lambda: (frame.iloc[begin : begin + size] for begin in range(0, len(frame), size))


def csv_folder(tmp_path):
    FRAME.iloc[:2000].to_csv(tmp_path / "a.csv", index=False)
    FRAME.iloc[2000:].to_csv(tmp_path / "b.csv", index=False)
    return tmp_path


def arrow_files(tmp_path):
    table = pyarrow.Table.from_pandas(FRAME, preserve_index=False)
    with pyarrow.ipc.new_file(tmp_path / "a.arrow", table.schema) as file:
        file.write_table(table.slice(0, 3000), max_chunksize=700)
    pyarrow.feather.write_feather(table.slice(3000), tmp_path / "b.feather", chunksize=900)
    return tmp_path


def parquet_dataset(tmp_path):
    return pyarrow.dataset.dataset(write_parquet(tmp_path / "d", X, Y, cuts=(1700,), row_group_size=800))


def dask_frame(tmp_path):
    import dask.dataframe

    return dask.dataframe.from_pandas(FRAME, npartitions=7)


def dask_bag(tmp_path):
    import dask.bag

    return dask.bag.from_sequence([FRAME.iloc[:100], FRAME.iloc[100:4000], FRAME.iloc[4000:]], npartitions=2)


SOURCES = {
    "parquet": lambda tmp: write_parquet(tmp / "d", X, Y, cuts=(1, 2000, 4999), row_group_size=777),
    "pattern": lambda tmp: str(write_parquet(tmp / "d", X, Y, cuts=(1, 2000)) / "*.parquet"),
    "csv": csv_folder,
    "arrow": arrow_files,
    "dataset": parquet_dataset,
    "LazyFrame": lambda tmp: pl.from_pandas(FRAME).lazy(),
    "polars": lambda tmp: pl.from_pandas(FRAME),
    "small batches": lambda tmp: batches_of(FRAME, 13),
    "large batches": lambda tmp: batches_of(FRAME, 3100),
    "dask frame": dask_frame,
    "dask bag": dask_bag,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same_bits(kind, tmp_path):
    rows = scale.scan(SOURCES[kind](tmp_path), target="y", block_rows=ROWS)
    model = Ridge().fit(rows)
    assert digest(model) == EXPECTED
    assert model.feature_names_in_.tolist() == COLUMNS
    assert rows.count() == 5000
    assert rows.fingerprint == rows.fingerprint
    assert list(rows.schema) == [*COLUMNS, "y"]
    subset = Ridge().fit(scale.scan(SOURCES[kind](tmp_path / "again"), target="y", columns=["x1"])) if (
        "batches" in kind or "dask" in kind or kind in ("polars", "LazyFrame")
    ) else None  # fmt: skip
    assert subset is None or subset.n_features_in_ == 1


def test_filtered_datasets_are_read_in_order(tmp_path):
    kept = X[:, 0] > 0
    dataset = parquet_dataset(tmp_path).filter(pyarrow.dataset.field("x0") > 0)
    model = Ridge().fit(scale.scan(dataset, target="y", block_rows=ROWS))
    assert digest(model) == digest(Ridge().fit(scale.scan(FRAME[kept], target="y", block_rows=ROWS)))


def test_dask_arrays_are_fitted_directly():
    import dask.array

    chunked = dask.array.from_array(X, chunks=(640, 2)), dask.array.from_array(Y, chunks=1111)
    model = Ridge().fit(*chunked)
    direct = Ridge().fit(scale.scan(X, target=Y))
    assert digest(model) == digest(direct)
    assert model.score(*chunked) == pytest.approx(direct.score(X, Y), rel=1e-12)
    assert model.predict(chunked[0]).count() == 5000
    unknown = chunked[0][chunked[0][:, 0] > -np.inf]
    assert np.isnan(unknown.chunks[0][0])
    assert digest(Ridge().fit(unknown, Y)) == digest(direct)
    with pytest.raises(DataError, match="has 5000 rows, but the target"):
        Ridge().fit(unknown, Y[:-1])


def test_a_function_that_cannot_start_again_is_refused():
    once = iter([FRAME])
    with pytest.raises(DataError, match="must return a fresh"):
        Ridge().fit(scale.scan(lambda: once, target="y"))
    turns = iter([FRAME, FRAME, FRAME.iloc[:10]])
    rows = scale.scan(lambda: [next(turns)], target="y")
    assert rows.count() == 5000
    with pytest.raises(DataError, match="gave 10 rows in this pass and 5000"):
        Ridge().fit(rows)


def test_batches_may_be_pairs():
    rows = scale.scan(lambda: ((X[k : k + 900], Y[k : k + 900]) for k in range(0, 5000, 900)), block_rows=ROWS)
    assert digest(Ridge().fit(rows)) == digest(Ridge().fit(scale.scan(X, target=Y, block_rows=ROWS)))


def test_csv_errors_name_file_and_bytes(tmp_path, monkeypatch):
    from learnable.scale._sources import csv

    monkeypatch.setattr(csv, "FRAGMENT_BYTES", 10_000)
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    assert digest(Ridge().fit(scale.scan(tmp_path / "a.csv", target="y", block_rows=ROWS))) == EXPECTED
    with (tmp_path / "a.csv").open("a") as file:
        file.write("1,2,three,4,5,6\n")
    with pytest.raises(DataError, match=r"a.csv, bytes \d+ to \d+, cannot be read as x0 double"):
        scale.scan(tmp_path / "a.csv", target="y").count()
