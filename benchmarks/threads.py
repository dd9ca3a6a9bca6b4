"""The same number of threads for everyone."""

from __future__ import annotations

import os

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LEARNABLE_NUM_THREADS",
)


def environment(threads: int) -> dict[str, str]:
    """The environment of a child process: every variable that a thread pool is known to read."""
    return {**os.environ, **dict.fromkeys(VARIABLES, str(threads))}


def pin(threads: int) -> None:
    """Keep this process on that many processors, for pools that read no variable. Call before any import."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, allowed[:threads])
