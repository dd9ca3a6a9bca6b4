"""How many threads the kernels use, and BLAS kept to one so that bits never depend on it."""

from __future__ import annotations

import contextlib
import operator
import os
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from .native import kernels

_asked: ContextVar[int] = ContextVar("learnable_threads", default=0)


@contextlib.contextmanager
def threads(n: int) -> Iterator[None]:
    """Let the kernels in the block use at most `n` threads; results are the same bits for every `n`.

    >>> with threads(1):
    ...     thread_count()
    1
    """
    count = operator.index(n)
    if count < 1:
        raise ValueError(f"threads: n must be at least 1; got {n!r}")
    token = _asked.set(count)
    before = kernels.set_threads(count)
    try:
        yield
    finally:
        kernels.set_threads(before)
        _asked.reset(token)


def thread_count() -> int:
    """How many threads a fit may use here: what `threads` says, else the processors this process may have."""
    return _asked.get() or kernels.default_threads()


@contextlib.contextmanager
def kernel_limits(deadline: float) -> Iterator[None]:
    """Hold the kernels called in the block to `deadline` (of time.monotonic) and to the threads allowed here.

    The compiled side keeps both per operating-system thread; this carries them over into the thread that fits.
    """
    threads_before = kernels.set_threads(_asked.get())
    deadline_before = kernels.set_deadline(deadline)
    try:
        yield
    finally:
        kernels.set_deadline(deadline_before)
        kernels.set_threads(threads_before)


class _BlasLimit:
    """BLAS libraries of this process held to one thread while anybody needs it; the last to leave sets them free.

    Some libraries have one limit for the process, others one per calling thread: `here` holds the latter.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.here = _OwnLimits()
        self.holders = 0
        self.known_scipy = False
        self.shared: list[Any] | None = None
        self.own: list[Any] = []
        self.before: dict[str, tuple[Any, int]] = {}

    def enter(self) -> None:
        with self.lock:
            if self.shared is None or self.known_scipy != _scipy_blas_loaded():
                self.shared, self.own = _find_blas()
                self.known_scipy = _scipy_blas_loaded()
            self.holders += 1
            _hold(self.shared, self.before)
        self.here.holders += 1
        _hold(self.own, self.here.before)

    def leave(self) -> None:
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
        self.before: dict[str, tuple[Any, int]] = {}


def _find_blas() -> tuple[list[Any], list[Any]]:
    """Controllers of the loaded BLAS libraries: those with one limit for all, and those with a limit per thread."""
    from threadpoolctl import ThreadpoolController

    found = [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]
    own = [library for library in found if _limit_is_per_thread(library)]
    return [library for library in found if library not in own], own


def _limit_is_per_thread(library: Any) -> bool:
    return library.internal_api == "mkl" or getattr(library, "threading_layer", "") == "openmp"


def _hold(libraries: list[Any], before: dict[str, tuple[Any, int]]) -> None:
    for library in libraries:
        if library.filepath not in before:
            before[library.filepath] = library, library.get_num_threads()
            _set_threads(library, 1)


def _set_free(before: dict[str, tuple[Any, int]]) -> None:
    while before:
        library, count = before.popitem()[1]
        _set_threads(library, count)


def _set_threads(library: Any, count: int) -> None:
    """Set the limit of `library`; threadpoolctl ignores all threads but one, where our lock already keeps order."""
    claim = getattr(library, "clear_controlling_thread", lambda force: None)
    claim(force=True)
    library.set_num_threads(count)
    claim(force=True)


def _scipy_blas_loaded() -> bool:
    """SciPy may bring a BLAS of its own; it is there once this module is."""
    return "scipy.linalg._fblas" in sys.modules or "scipy.linalg.cython_blas" in sys.modules


_blas = _BlasLimit()


def _forget() -> None:
    """After a fork nobody in the child holds the limit, and the lock may have been taken by a thread that is gone."""
    global _blas
    _blas = _BlasLimit()


os.register_at_fork(after_in_child=_forget)


@contextlib.contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep BLAS to one thread inside the block, for the whole process; blocks may overlap in any order."""
    held = _blas
    held.enter()
    try:
        yield
    finally:
        held.leave()


def scipy_linalg() -> ModuleType:
    """`scipy.linalg`, imported when first needed, with its BLAS held to one thread if a block is holding it."""
    import scipy.linalg

    held = _blas
    if held.holders and not held.known_scipy:
        held.enter()
        held.leave()
    module: ModuleType = scipy.linalg
    return module
