"""Passes on a local Spark."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from pyspark.sql import SparkSession

from learnable import DataError, Ridge, scale

from .data import assert_close, digest, regression, write_parquet

X, Y = regression(20_000)
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")  # of the engine


@pytest.fixture(scope="module")
def session():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    found = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    yield found
    found.stop()


def test_spark_gives_the_bits_of_one_process(session, tmp_path):
    folder = write_parquet(tmp_path / "d", X, Y, cuts=(3000,), row_group_size=1700)
    rows = scale.scan(folder, target="y", block_rows=1024)
    with scale.on(session):
        found = digest(Ridge().fit(rows))
    assert found == digest(Ridge().fit(rows))


def test_a_spark_frame_is_scanned_in_its_own_order(session, tmp_path):
    folder = write_parquet(tmp_path / "d", X, Y)
    frame = session.read.parquet(str(folder))
    rows = scale.scan(frame, target="y", block_rows=1024)
    assert rows.count() == 20_000
    assert_close(Ridge().fit(rows).coef_, Ridge().fit(X, Y).coef_)
    assert rows.fingerprint == scale.scan(session.read.parquet(str(folder)), target="y", block_rows=1024).fingerprint


def test_errors_of_executors_arrive(session):
    spoiled = X.copy()
    spoiled[777, 1] = np.inf
    with scale.on(session), pytest.raises(DataError, match=r"Ridge: X contains infinity.*in rows 512 to 1023"):
        Ridge().fit(scale.scan(spoiled, target=Y, block_rows=512))
