"""Number of threads of the kernels, and the BLAS libraries of this process."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from importlib import import_module
from numbers import Integral
from types import ModuleType
from typing import Any

from . import context
from .context import KernelLimits as KernelLimits
from .context import Library
from .context import single_threaded_blas as single_threaded_blas
from .context import thread_count as thread_count
from .native import kernels
from .reusable_context import block


@block
def threads(n: int) -> Iterator[None]:
    """Limit the kernels in the block to `n` threads; results are bit for bit the same for every `n`.

    >>> with threads(1):
    ...     thread_count()
    1
    """
    if not isinstance(n, Integral) or n < 1:
        kind = ValueError if isinstance(n, Integral) else TypeError
        raise kind(f"threads: n must be a whole number of at least 1; got {n!r}")
    count = int(n)
    token = context._threads.set(count)
    before = kernels.set_threads(count)
    try:
        yield
    finally:
        kernels.set_threads(before)
        context._threads.reset(token)


def blas_libraries() -> tuple[list[Library], list[Library]]:
    """The loaded BLAS libraries: those with one limit for all, and those with a limit per thread."""
    from threadpoolctl import ThreadpoolController

    shared, own = [], []
    for found in ThreadpoolController().lib_controllers:
        if found.user_api == "blas" and _limit_is_per_thread(found):
            own.append(Library(found.filepath, found.get_num_threads, found.set_num_threads))
        elif found.user_api == "blas":
            count, limit = _openblas_functions(found.dynlib) or (found.get_num_threads, found.set_num_threads)
            shared.append(Library(found.filepath, count, limit))
    return shared, own


def _limit_is_per_thread(library: Any) -> bool:
    return library.internal_api == "mkl" or getattr(library, "threading_layer", "") == "openmp"


def _openblas_functions(loaded: Any) -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """OpenBLAS's own functions: they cost a tenth of threadpoolctl's, which moreover obey one thread only."""
    for prefix, suffix in itertools.product(("", "scipy_"), ("", "64_", "_64")):
        count = getattr(loaded, f"{prefix}openblas_get_num_threads{suffix}", None)
        limit = getattr(loaded, f"{prefix}openblas_set_num_threads{suffix}", None)
        if count is not None and limit is not None:
            return count, limit
    return None


def scipy_linalg() -> ModuleType:
    """`scipy.linalg`, imported when first needed, with its BLAS held to one thread if a block is holding it."""
    return scipy_module("linalg")


def scipy_module(name: str) -> ModuleType:
    """A module of SciPy that may bring SciPy's BLAS with it, held to one thread as that of `scipy_linalg`."""
    module = import_module(f"scipy.{name}")
    held = context._blas
    if held.holders and not held.known_scipy:
        with held:
            pass
    return module
