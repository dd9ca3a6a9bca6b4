"""Context managers around a fit instead of parameters: watch, progress, budget, checkpoint.

They live in a context variable, so they reach every fit inside the block, however deep, and no estimator carries them.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal, Protocol

from ..errors import BudgetError
from .reusable_context import block


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
    """Show each fit in the block on standard error: a live bar where rich is installed, plain lines elsewhere."""
    from .progress_bar import Bar

    if not isinstance(every, Real) or not every >= 0:
        raise ValueError(f"progress: every must be a number of seconds, at least 0; got {every!r}")

    with Bar(every) as bar, _changed(watchers=(*current().watchers, bar)):
        yield


@block
def budget(seconds: float | None = None, memory: float | None = None) -> Iterator[None]:
    """Give the fits in the block `seconds` of wall time and `memory` bytes of growth, together.

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
    """No budget inside the block: for the last, short part of a fit, without which all before it would be lost."""
    with _changed(deadline=float("inf"), memory_limit=float("inf")):
        yield


@contextlib.contextmanager
def granted(seconds: float) -> Iterator[None]:
    """At least so much time inside the block, budget or not: for a last part of a fit that may be long."""
    with _changed(deadline=max(current().deadline, time.monotonic() + seconds), memory_limit=float("inf")):
        yield


@block
def checkpoint(path: str | Path, every: float = 1.0) -> Iterator[None]:
    """Keep the state of an iterative fit in the file `path`, written at a fixed interval.

    The same fit, run again after a kill, goes on from there and ends with the same bits as if never stopped.
    """
    from ..files.atomic_write import check_place

    if not isinstance(every, Real) or not every >= 0:
        raise ValueError(f"checkpoint: every must be a number of seconds, at least 0; got {every!r}")
    check_place(Path(path))
    with _changed(checkpoint=Path(path), checkpoint_every=every):
        yield


def tell(estimator: object, iteration: int, row: dict[str, float]) -> None:
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
    """Whether there is no watcher, budget or checkpoint here."""
    return _ambient.get() is _NOTHING


def give_way() -> None:
    """End a fit that has nothing to show before its end, with a `BudgetError`, if it should end now."""
    if reason_to_stop():
        raise BudgetError("the budget ended, or a watcher requested a stop, before the fit was complete")


class Fitting:
    """The scope of one fit: watchers are notified, and a stop requested inside ends with it."""

    __slots__ = ("estimator", "token", "watchers")

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def __enter__(self) -> None:
        self.watchers = current().watchers
        if reason_to_stop() == "budget":
            raise BudgetError(
                f"{type(self.estimator).__name__}: the budget was used up before the fit began; give it more time or "
                "memory"
            )
        self.token = _stop_requested.set([False])
        for watcher in self.watchers:
            watcher.started(self.estimator)

    def __exit__(self, *error: object) -> None:
        for watcher in self.watchers:
            watcher.ended(self.estimator)
        _stop_requested.reset(self.token)


def memory_of_machine() -> int:
    """Bytes of memory that the machine has; as many as can be addressed where it does not say."""
    import os

    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 47


def memory_to_be_had() -> int:
    """Bytes that this process may still take: what the machine has, or what a limit (`ulimit -v`) leaves."""
    left = memory_of_machine() - resident_bytes()
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return left
    return left if limit == resource.RLIM_INFINITY else min(left, limit - taken)


def resident_bytes() -> int:
    """Memory of this process that is in use now."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    import os

    return pages * os.sysconf("SC_PAGE_SIZE")
