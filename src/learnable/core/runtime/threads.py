"""Number of threads of the kernels; BLAS is limited to one thread, so that bits never depend on it."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from numbers import Integral
from types import ModuleType
from typing import Any, NamedTuple

from .native import kernels
from .reusable_context import block

_requested: ContextVar[int] = ContextVar("learnable_threads", default=0)


@block
def threads(n: int) -> Iterator[None]:
    """Let the kernels in the block use at most `n` threads; results are the same bits for every `n`.

    >>> with threads(1):
    ...     thread_count()
    1
    """
    if not isinstance(n, Integral) or n < 1:
        kind = ValueError if isinstance(n, Integral) else TypeError
        raise kind(f"threads: n must be a whole number of at least 1; got {n!r}")
    count = int(n)
    token = _requested.set(count)
    before = kernels.set_threads(count)
    try:
        yield
    finally:
        kernels.set_threads(before)
        _requested.reset(token)


def thread_count() -> int:
    """How many threads a fit may use here: what `threads` says, else the processors this process may have."""
    return _requested.get() or kernels.default_threads()


class KernelLimits:
    """Holds the kernels called in the block to `deadline` (of time.monotonic) and to the threads allowed here.

    The compiled side keeps both per operating-system thread; this carries them over into the thread that fits.
    """

    __slots__ = ("before", "deadline")

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline

    def __enter__(self) -> None:
        self.before = kernels.set_threads(_requested.get()), kernels.set_deadline(self.deadline)

    def __exit__(self, *error: object) -> None:
        threads, deadline = self.before
        kernels.set_deadline(deadline)
        kernels.set_threads(threads)


class _BlasLimit:
    """BLAS libraries of this process held to one thread while anybody needs it; the last to leave sets them free.

    Some libraries have one limit for the process, others one per calling thread: `here` holds the latter.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.here = _OwnLimits()
        self.holders = 0
        self.known_scipy = False
        self.shared: list[_Library] | None = None
        self.own: list[_Library] = []
        self.before: dict[str, tuple[_Library, int]] = {}

    def __enter__(self) -> None:
        with self.lock:
            if self.shared is None or self.known_scipy != _scipy_blas_loaded():
                self.shared, self.own = _find_blas()
                self.known_scipy = _scipy_blas_loaded()
            self.holders += 1
            _hold(self.shared, self.before)
        self.here.holders += 1
        _hold(self.own, self.here.before)

    def __exit__(self, *error: object) -> None:
        self.here.holders -= 1
        if self.here.holders == 0:
            _set_free(self.here.before)
        with self.lock:
            self.holders -= 1
            if self.holders == 0:
                _set_free(self.before)


class _OwnLimits(threading.local):
    """What one thread holds of the libraries that have a limit per thread."""

    def __init__(self) -> None:
        self.holders = 0
        self.before: dict[str, tuple[_Library, int]] = {}


class _Library(NamedTuple):
    """A loaded BLAS library: how many threads it may use, and how to change that."""

    path: str
    threads: Callable[[], int]
    limit: Callable[[int], object]


def _find_blas() -> tuple[list[_Library], list[_Library]]:
    """The loaded BLAS libraries: those with one limit for all, and those with a limit per thread."""
    from threadpoolctl import ThreadpoolController

    shared, own = [], []
    for found in ThreadpoolController().lib_controllers:
        if found.user_api == "blas" and _limit_is_per_thread(found):
            own.append(_Library(found.filepath, found.get_num_threads, found.set_num_threads))
        elif found.user_api == "blas":
            count, limit = _openblas_functions(found.dynlib) or (found.get_num_threads, found.set_num_threads)
            shared.append(_Library(found.filepath, count, limit))
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


def _hold(libraries: list[_Library], before: dict[str, tuple[_Library, int]]) -> None:
    for library in libraries:
        if library.path not in before:
            before[library.path] = library, library.threads()
            library.limit(1)


def _set_free(before: dict[str, tuple[_Library, int]]) -> None:
    while before:
        library, count = before.popitem()[1]
        library.limit(count)


def _scipy_blas_loaded() -> bool:
    """SciPy may bring a BLAS of its own; it is there once this module is."""
    return "scipy.linalg._fblas" in sys.modules or "scipy.linalg.cython_blas" in sys.modules


_blas = _BlasLimit()


def _forget() -> None:
    """After a fork no thread holds the limit, and the lock may have been taken by a thread that is gone."""
    global _blas
    _blas = _BlasLimit()


os.register_at_fork(after_in_child=_forget)


def single_threaded_blas() -> contextlib.AbstractContextManager[None]:
    """Keep BLAS to one thread inside the block, for the whole process; blocks may overlap in any order."""
    return _blas


def scipy_linalg() -> ModuleType:
    """`scipy.linalg`, imported when first needed, with its BLAS held to one thread if a block is holding it."""
    import scipy.linalg

    held = _blas
    if held.holders and not held.known_scipy:
        with held:
            pass
    module: ModuleType = scipy.linalg
    return module
