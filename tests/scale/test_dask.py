"""Passes on a real Dask cluster of processes: the same bits, also when workers are killed."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from learnable import GaussianNB, Ridge, ScaleError, scale

from .clusters import dask_cluster, is_gone, kill_a_worker
from .data import classification, digest, regression, write_parquet

X, Y = regression(20_000)


def slow_batches(seconds):
    def batches():
        for begin in range(0, len(X), 500):
            time.sleep(seconds)
            yield X[begin : begin + 500], Y[begin : begin + 500]

    return batches


@pytest.fixture(scope="module")
def client():
    with dask_cluster(2) as found:
        yield found


def test_a_cluster_gives_the_bits_of_one_process(client, tmp_path):
    import dask.array

    folder = write_parquet(tmp_path / "d", X, Y, cuts=(3000,), row_group_size=1700)
    rows = scale.scan(folder, target="y", block_rows=1024)
    chunked = scale.scan(
        dask.array.from_array(X, chunks=3333), target=dask.array.from_array(Y, chunks=3333), block_rows=1024
    )
    beside = scale.scan(slow_batches(0), block_rows=1024)
    here = [digest(Ridge().fit(each)) for each in (rows, chunked, beside)]
    with scale.on(client):
        there = [digest(Ridge().fit(each)) for each in (rows, chunked, beside)]
        labels = digest(GaussianNB().fit(scale.scan(*classification_scan(), block_rows=1024)))
        np.testing.assert_array_equal(Ridge().fit(X, Y).predict(beside).collect(), Ridge().fit(X, Y).predict(X))
    assert here == there
    assert labels == digest(GaussianNB().fit(scale.scan(*classification_scan(), block_rows=1024)))


def classification_scan():
    return (lambda: iter([classification(5000)]),)


def test_errors_of_workers_arrive(client):
    spoiled = X.copy()
    spoiled[777, 1] = np.inf
    with (
        scale.on(client),
        pytest.raises(ValueError, match=r"Ridge: X contains infinity in column 1.*in rows 512 to 1023"),
    ):
        Ridge().fit(scale.scan(spoiled, target=Y, block_rows=512))


def test_a_killed_worker_changes_nothing(tmp_path):
    folder = write_parquet(
        tmp_path / "d", np.tile(X, (20, 1)), np.tile(Y, 20), cuts=tuple(range(20_000, 400_000, 20_000))
    )
    rows = scale.scan(folder, target="y", block_rows=2048)
    expected = digest(Ridge().fit(rows))
    with dask_cluster(2) as client, scale.on(client):
        killed = []
        timer = threading.Timer(0.3, lambda: killed.append(kill_a_worker(client)))
        timer.start()
        found = [digest(Ridge().fit(rows)) for _ in range(2)]
        timer.join()
        assert killed[0] is not None
        assert is_gone(killed[0])
    assert found == [expected] * 2


def test_no_worker_alive_is_an_error():
    with dask_cluster(1) as client:
        client.cluster.scale(0)
        client.sync(client.cluster._correct_state)
        began = time.monotonic()
        with (
            scale.on(client, no_worker_seconds=2.0),
            pytest.raises(ScaleError, match="no Dask worker has been alive for 2 seconds"),
        ):
            Ridge().fit(scale.scan(X, target=Y))
        assert time.monotonic() - began < 20


@pytest.mark.parametrize("model", [Ridge(), GaussianNB()], ids=["Ridge", "GaussianNB"])
def test_exact_sums_of_a_cluster_are_those_of_one_table(client, model):
    y = Y if isinstance(model, Ridge) else (Y > 0).astype(int)
    with scale.on(exact=True):
        whole = digest(type(model)().fit(X, y))
    with scale.on(client, exact=True):
        assert digest(type(model)().fit(scale.scan(X, target=y, block_rows=700))) == whole
    parts = [scale.summary(model, X[rows], y[rows]) for rows in (slice(0, 9000), slice(9000, None))]
    assert digest(type(model).from_summary(parts[1] + parts[0])) == whole
