"""Files that one program has written are read by another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import learnable


def test_a_program_that_has_used_no_forest_loads_one(tmp_path: Path) -> None:
    X = np.arange(20.0)[:, None]
    learnable.save(learnable.RandomForestRegressor(2, random_state=0).fit(X, X[:, 0]), tmp_path / "forest")
    program = "import sys, learnable; print(type(learnable.load(sys.argv[1])).__name__)"
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "forest"], capture_output=True, text=True)
    assert done.stdout == "RandomForestRegressor\n", done.stderr
