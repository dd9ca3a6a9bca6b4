"""The same work on many things, by one thread or by whatever joblib offers: threads, processes, Dask, Ray."""

from __future__ import annotations

import contextvars
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.runtime import checkpoints
from ..core.runtime import context as ambient
from ..core.runtime.threads import thread_count, threads


def each(
    function: Callable[..., Any], common: tuple[Any, ...], calls: Sequence[Any], n_jobs: int | None = None
) -> Iterator[tuple[int, Any]]:
    """`(place, function(*common, call))` for each of `calls`, as they are ready.

    `n_jobs` counts as in joblib: None is one, unless a `joblib.parallel_config` says otherwise; -1 is every processor.
    Threads are used unless that configuration names another backend. A budget, watchers and the number of threads that
    kernels may use go along; what cannot leave the process stays here.

    >>> dict(each(pow, (2,), [1, 2, 3]))
    {0: 2, 1: 4, 2: 8}
    """
    jobs = workers(n_jobs)
    if jobs == 1 or len(calls) < 2:
        for place, call in enumerate(calls):
            yield place, function(*common, call)
        return
    from joblib import Parallel, delayed

    surroundings = _Surroundings.here(jobs)
    pool = Parallel(n_jobs=n_jobs, prefer="threads", return_as=surroundings.results)
    yield from pool(
        delayed(_done)(function, place, surroundings.again(), call, *common) for place, call in enumerate(calls)
    )


def workers(n_jobs: int | None) -> int:
    """How many workers there would be."""
    if n_jobs == 1 or (n_jobs is None and "joblib" not in sys.modules):
        return 1  # joblib cannot be configured if it is not loaded
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What a worker must know of the place it was called from."""

    kernel_threads: int
    seconds: float
    context: contextvars.Context | None
    results: str = "list"

    @classmethod
    def here(cls, jobs: int) -> _Surroundings:
        """Of this place, for `jobs` workers; contexts can only be shared within a process."""
        from joblib.parallel import get_active_backend

        backend, _ = get_active_backend(prefer="threads")
        shared = getattr(backend, "supports_sharedmem", False)
        left = ambient.current().deadline - time.monotonic()
        one_by_one = getattr(backend, "supports_return_generator", False)  # Ray's gives all results at the end
        return cls(
            max(1, thread_count() // jobs), left, contextvars.copy_context() if shared else None,
            "generator_unordered" if one_by_one else "list",
        )  # fmt: skip

    def again(self) -> _Surroundings:
        """The same for another worker: a context serves one at a time."""
        own = None if self.context is None else self.context.copy()
        return _Surroundings(self.kernel_threads, self.seconds, own, self.results)


def _done(
    function: Callable[..., Any], place: int, surroundings: _Surroundings, call: Any, *common: Any
) -> tuple[int, Any]:
    """What a worker does."""

    def work() -> Any:
        with threads(surroundings.kernel_threads), checkpoints.apart():
            return function(*common, call)

    if surroundings.context is not None:
        return place, surroundings.context.run(work)
    if surroundings.seconds == float("inf"):
        return place, work()
    with ambient.budget(seconds=max(surroundings.seconds, 1e-9)):
        return place, work()
