"""The scope of a fit, and the context managers around it instead of parameters: watch, progress, budget, checkpoint.

They live in a context variable, so they reach every fit inside the block, however deep, and no estimator carries them.
BLAS is limited to one thread inside a fit, so that bits never depend on it.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from ..errors import BudgetError
from .memory import resident_bytes
from .native import kernels
from .reusable_context import block

if TYPE_CHECKING:
    from .checkpoints import Checkpoint


@dataclass(frozen=True, slots=True)
class Event:
    """One iteration of a fit, as a watcher sees it."""

    estimator: Any
    iteration: int
    objective: float
    seconds: float
    row: dict[str, float]


class Watcher(Protocol):
    """Observer of fits: called when a fit starts, iterates and ends; returning True from an iteration stops it."""

    def started(self, estimator: Any) -> None: ...
    def moved(self, event: Event) -> bool: ...
    def ended(self, estimator: Any) -> None: ...


@dataclass(slots=True)
class _Function:
    """A plain function as a watcher."""

    function: Callable[[Event], object]

    def started(self, estimator: Any) -> None:
        """Nothing to do."""

    def moved(self, event: Event) -> bool:
        return bool(self.function(event))

    def ended(self, estimator: Any) -> None:
        """Nothing to do."""


@dataclass(frozen=True, slots=True)
class Ambient:
    """What is in force: who watches, when time is up, how much memory there may be, where checkpoints go."""

    watchers: tuple[Watcher, ...] = ()
    deadline: float = float("inf")
    memory_limit: float = float("inf")
    checkpoint: Path | None = None
    checkpoint_every: float = 1.0


_NOTHING = Ambient()
_ambient: ContextVar[Ambient] = ContextVar("learnable_ambient", default=_NOTHING)
# whether the running fit should stop
_stop_requested: ContextVar[list[bool] | None] = ContextVar("learnable_stop_requested", default=None)
_kept: ContextVar[Checkpoint | Literal["inside a step"] | None] = ContextVar("learnable_checkpoint", default=None)
_threads: ContextVar[int] = ContextVar("learnable_threads", default=0)


def current() -> Ambient:
    """What is in force here."""
    return _ambient.get()


@contextlib.contextmanager
def _changed(**changes: Any) -> Iterator[None]:
    token = _ambient.set(replace(_ambient.get(), **changes))
    try:
        yield
    finally:
        _ambient.reset(token)


@block
def watch(function: Callable[[Event], object]) -> Iterator[None]:
    """Call `function(event)` at every iteration of every fit in the block; a true return value stops that fit.

    >>> import learnable
    >>> with learnable.watch(lambda event: print(event.iteration, round(event.objective, 3))):
    ...     model = learnable.Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    1 0.667
    """
    if not callable(function):
        raise TypeError(f"watch: a function of an event is needed; got {function!r}")
    with _changed(watchers=(*current().watchers, _Function(function))):
        yield


@block
def progress(every: float = 0.1) -> Iterator[None]:
    """Show a progress bar of each fit in the block on standard error; plain lines without rich."""
    from .progress_bar import Bar

    if not isinstance(every, Real) or not every >= 0:
        raise ValueError(f"progress: every must be a number of seconds, at least 0; got {every!r}")

    with Bar(every) as bar, _changed(watchers=(*current().watchers, bar)):
        yield


@block
def budget(seconds: float | None = None, memory: float | None = None) -> Iterator[None]:
    """Limit the fits in the block to `seconds` of wall time and `memory` bytes of growth, in total.

    An iterative fit that runs out keeps its best solution so far and says so in `trace_.stopped`; a fit that has no
    solution yet raises `BudgetError`. Time is checked inside the compiled loops and beside long factorisations, within
    about 0.1 seconds; finishing the last iteration may take two seconds more, or as long as the fit did.
    Memory is that of the whole process (its resident set) beyond what it has now, checked between iterations only: a
    step may pass it before the end, a fit without iterations is not held to it, and pages that the process has kept
    from earlier work are not seen as growth. It is a guard against fits that grow, not a hard limit. Functions that
    fit or evaluate, such as `linkage` and `score_every_k`, keep to the time as well; `predict` and other methods of
    a fitted model do not, so that a model whose fit took all of it can still predict.

    >>> import learnable
    >>> with learnable.budget(seconds=10, memory=2e9):
    ...     model = learnable.Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    """
    for name, value in (("seconds", seconds), ("memory", memory)):
        if value is not None and (not isinstance(value, Real) or not value > 0):
            raise ValueError(f"budget: {name} must be above 0; got {value!r}")
    outer = current()
    deadline = min(outer.deadline, time.monotonic() + seconds) if seconds is not None else outer.deadline
    limit = min(outer.memory_limit, resident_bytes() + memory) if memory is not None else outer.memory_limit
    with _changed(deadline=deadline, memory_limit=limit):
        yield


@contextlib.contextmanager
def unhurried() -> Iterator[None]:
    """Suspend the budget inside the block: for a last, short step without which the fit would be lost."""
    with _changed(deadline=float("inf"), memory_limit=float("inf")):
        yield


@contextlib.contextmanager
def finishing() -> Iterator[None]:
    """Suspend the budget and any request to stop inside the block: to make the result of the last state of a fit."""
    token = _stop_requested.set([False])
    try:
        with unhurried():
            yield
    finally:
        _stop_requested.reset(token)


@contextlib.contextmanager
def granted(seconds: float) -> Iterator[None]:
    """At least so much time inside the block, budget or not: for a last part of a fit that may be long."""
    with _changed(deadline=max(current().deadline, time.monotonic() + seconds), memory_limit=float("inf")):
        yield


@block
def checkpoint(path: str | Path, every: float = 1.0) -> Iterator[None]:
    """Store the state of an iterative fit in the file `path` at a fixed interval, so that a killed fit can resume.

    The same fit, run again after a kill, resumes from there, with the same result bit for bit.
    """
    from ..files.atomic_write import check_place

    if not isinstance(every, Real) or not every >= 0:
        raise ValueError(f"checkpoint: every must be a number of seconds, at least 0; got {every!r}")
    check_place(Path(path))
    with _changed(checkpoint=Path(path), checkpoint_every=every):
        yield


def notify(estimator: object, iteration: int, row: dict[str, float]) -> None:
    """Show one iteration to every watcher."""
    here = _ambient.get()
    if not here.watchers:
        return
    event = Event(estimator, iteration, row["objective"], row["seconds"], row)
    requested = [watcher.moved(event) for watcher in here.watchers]
    running = _stop_requested.get()
    if any(requested) and running is not None:
        running[0] = True


def reason_to_stop() -> Literal["budget", "interrupted", ""]:
    """`budget` or `interrupted` if the running fit should end now, else an empty string."""
    here = _ambient.get()
    running = _stop_requested.get()
    if running is not None and running[0]:
        return "interrupted"
    if time.monotonic() > here.deadline:
        return "budget"
    if here.memory_limit != float("inf") and resident_bytes() > here.memory_limit:
        return "budget"
    return ""


def undisturbed() -> bool:
    """Whether no watcher, budget or checkpoint is active."""
    return _ambient.get() is _NOTHING


def give_way() -> None:
    """End a fit that has nothing to show before its end, with a `BudgetError`, if it should end now."""
    if reason_to_stop():
        raise BudgetError("the budget ended, or a watcher requested a stop, before the fit was complete")


def kept_loops() -> Checkpoint | None:
    """The checkpoint that the next loop is kept in, if one was requested."""
    kept = _kept.get()
    return None if kept is None or isinstance(kept, str) else kept


def thread_count() -> int:
    """How many threads a fit may use here: what `threads` says, else the processors this process may have."""
    return _threads.get() or kernels.default_threads()


class KernelLimits:
    """Holds the kernels called in the block to `deadline` (of time.monotonic) and to the threads allowed here.

    The compiled side keeps both per operating-system thread; this carries them over into the thread that fits.
    """

    __slots__ = ("before", "deadline")

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline

    def __enter__(self) -> None:
        self.before = kernels.set_threads(_threads.get()), kernels.set_deadline(self.deadline)

    def __exit__(self, *error: object) -> None:
        threads, deadline = self.before
        kernels.set_deadline(deadline)
        kernels.set_threads(threads)


class _BlasLimit:
    """BLAS libraries of this process limited to one thread while any fit needs it; the last fit restores the limit.

    Some libraries have one limit for the process, others one per calling thread: `here` holds the latter.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.here = _OwnLimits()
        self.holders = 0
        self.known_scipy = False
        self.shared: list[Library] | None = None
        self.own: list[Library] = []
        self.before: dict[str, tuple[Library, int]] = {}

    def __enter__(self) -> None:
        with self.lock:
            if self.shared is None or self.known_scipy != _scipy_blas_loaded():
                from .threads import blas_libraries

                self.known_scipy = _scipy_blas_loaded()  # first: another thread may load it during the search
                self.shared, self.own = blas_libraries()
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
        self.before: dict[str, tuple[Library, int]] = {}


class Library(NamedTuple):
    """A loaded BLAS library: how many threads it may use, and how to change that."""

    path: str
    threads: Callable[[], int]
    limit: Callable[[int], object]


def _hold(libraries: list[Library], before: dict[str, tuple[Library, int]]) -> None:
    for library in libraries:
        if library.path not in before:
            count = library.threads()
            library.limit(1)  # before it counts as held: an interruption between the two must not leave it free
            before[library.path] = library, count


def _set_free(before: dict[str, tuple[Library, int]]) -> None:
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


class Fitting:
    """The scope of one fit: its watchers, deadline, threads and checkpoint; a stop requested inside ends with it."""

    __slots__ = ("arrays", "begun", "blas", "estimator", "kept", "limits", "stop", "watchers")

    def __init__(self, estimator: Any, arrays: tuple[Any, ...], begun: bool) -> None:
        self.estimator, self.arrays, self.begun = estimator, arrays, begun

    def __enter__(self) -> None:
        here = _ambient.get()
        if reason_to_stop() == "budget":
            raise BudgetError(
                f"{type(self.estimator).__name__}: the budget was used up before the fit began; give it more time or "
                "memory"
            )
        self.kept = None
        if here.checkpoint is not None and _kept.get() is None:
            from .checkpoints import keeping

            self.kept = keeping(here.checkpoint, here.checkpoint_every, self.estimator, self.arrays, self.begun)
        self.watchers = here.watchers
        for watcher in self.watchers:
            watcher.started(self.estimator)
        self.stop = _stop_requested.set([False])
        self.blas, self.limits = _blas, KernelLimits(here.deadline)
        self.blas.__enter__()
        self.limits.__enter__()
        if self.kept is not None:
            self.kept.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self.kept is not None:
            self.kept.__exit__(*error)
        self.limits.__exit__()
        self.blas.__exit__()
        for watcher in self.watchers:
            watcher.ended(self.estimator)
        _stop_requested.reset(self.stop)
