"""A scan takes as much memory for a large file as for a small one."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow
import pyarrow.parquet

PROGRAM = """
import resource, sys
from learnable import LogisticRegression, Ridge, threads
from learnable.scale import scan
with threads(1):
    rows = scan(sys.argv[1], target="y")
    Ridge().fit(rows)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def peak(path) -> int:
    found = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True)
    return int(found.stdout)


def test_memory_is_flat(tmp_path):
    rng = np.random.default_rng(0)
    table = pyarrow.table({name: rng.normal(size=131_072) for name in [*(f"x{j}" for j in range(9)), "y"]})
    for name, copies in (("small", 2), ("large", 16)):
        with pyarrow.parquet.ParquetWriter(tmp_path / name, table.schema) as file:
            for _ in range(copies):
                file.write_table(table)
    (tmp_path / "small").rename(tmp_path / "small.parquet")
    (tmp_path / "large").rename(tmp_path / "large.parquet")
    grown = peak(tmp_path / "large.parquet") - peak(tmp_path / "small.parquet")
    assert grown < 40 * 2**20  # the large file holds 147 MB more
