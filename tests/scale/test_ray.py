"""Passes on a local Ray."""

from __future__ import annotations

import pytest
import ray

from learnable import DataError, Ridge, scale

from .data import digest, regression, write_parquet

X, Y = regression(20_000)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the engine


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_ray_gives_the_bits_of_one_process(tmp_path):
    folder = write_parquet(tmp_path / "d", X, Y, cuts=(3000,), row_group_size=1700)
    rows = scale.scan(folder, target="y", block_rows=1024)
    expected = digest(Ridge().fit(rows))
    with scale.on(ray):
        assert digest(Ridge().fit(rows)) == expected
        dataset = scale.scan(ray.data.read_parquet(str(folder)), target="y", block_rows=1024)
        assert dataset.count() == 20_000
        assert digest(Ridge().fit(dataset)) == expected


def test_errors_of_workers_arrive():
    spoiled = X.copy()
    spoiled[777, 1] = float("inf")
    with scale.on(ray), pytest.raises(DataError, match=r"Ridge: X contains infinity in column 1.*in rows 512 to 1023"):
        Ridge().fit(scale.scan(spoiled, target=Y, block_rows=512))
