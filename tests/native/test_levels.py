"""Every instruction-set level that is built and can run here gives the same results."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

from learnable import _cpu
from learnable.core.runtime.native import LEVELS, kernels

PROGRAM = """
import sys
import numpy as np
from learnable.core.runtime.native import kernels

X = np.random.default_rng(0).normal(size=(1000, 33))
parts = kernels.moments(X, X[:, :3] + 1, X[:, 0] ** 2)
more = kernels.matvec(X, X[:33, :5].copy()), kernels.rmatvec(np.asfortranarray(X), X[:, 7].copy())
np.savez(sys.stdout.buffer, kernels.level, *parts, *more)
"""


def results(level: str) -> list[np.ndarray]:
    import io

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, "LEARNABLE_SIMD": level}, capture_output=True, check=True
    )
    with np.load(io.BytesIO(done.stdout)) as file:
        return [file[name] for name in file.files]


RUNNABLE = LEVELS[LEVELS.index(_cpu.best_level()) :]
BUILT = [level for level in RUNNABLE if importlib.util.find_spec(f"learnable._core_{level}")]


@pytest.mark.parametrize("level", BUILT)
def test_levels_agree(level):
    expected, found = results(kernels.level), results(level)
    assert str(found[0]) == level
    for one, other in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
