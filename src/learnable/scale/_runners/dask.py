"""Passes on a Dask cluster, by pure tasks: a worker that dies costs what it was doing, and nothing else."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from ...core import ScaleError
from ...core.runtime import context
from ...core.runtime.threads import threads
from ...engines.passes import PassWork, give_way
from .._sources.collections import engine
from .._task import ScanTask
from .versions import check_same, facts

POLL = 0.2  # seconds between inspections of the cluster
LATE = 3.0  # medians after which a task is given to another worker too
SOON = 5.0  # seconds before which no task is late
LARGE_STATE = 1 << 20  # bytes of a state that is sent once to each worker, by a task that can be computed again
AT_ONCE = 4  # tasks submitted for each worker at a time


@dataclass
class Running:
    """A task, the futures of its attempts, and when the last one began."""

    task: ScanTask
    futures: list[Any]
    since: float
    attempts: int = 1


@dataclass
class DaskRunner:
    """Runner on the workers of a Dask client."""

    client: Any
    retries: int = 3
    no_worker_seconds: float = 60.0
    deaths: int = field(default=0)

    def __post_init__(self) -> None:
        check_same(self.client.run(facts), "a Dask worker")
        self._alive = time.monotonic()

    @property
    def workers(self) -> int:
        """Threads of all workers."""
        return max(1, int(sum(self.client.nthreads().values())))

    def run(self, work: PassWork, tasks: Iterable[Any]) -> Iterator[list[Any]]:
        """What `work` gives for each task, as they are done; all futures are cancelled at the end, however it comes."""
        given, running, times = iter(tasks), dict[int, Running](), list[float]()
        numbers = itertools.count()
        sent = self._state_of(work)
        self._alive = time.monotonic()
        try:
            while True:
                for task in itertools.islice(given, max(0, AT_ONCE * self._last_workers() - len(running))):
                    running[next(numbers)] = Running(task, [self._submit(sent, task)], time.monotonic())
                if not running:
                    return
                self._wait(running)
                give_way()
                for number, one in list(running.items()):
                    done = next((future for future in one.futures if future.done()), None)
                    if done is None:
                        self._resubmit_late(one, sent, times)
                        continue
                    nodes = self._result(done, one, sent)
                    if nodes is not None:
                        times.append(time.monotonic() - one.since)
                        self._forget(running.pop(number))
                        yield nodes
        finally:
            for one in running.values():
                self._forget(one)

    def _forget(self, one: Running) -> None:
        late = [future for future in one.futures if not future.done()]
        if late and self.client.status == "running":
            self.client.cancel(late)

    def _last_workers(self) -> int:
        return max(1, len(self.client.scheduler_info(n_workers=-1)["workers"]))

    def _state_of(self, work: PassWork) -> Any:
        """The work itself; of a large state a future, which is computed again where its worker is lost."""
        import cloudpickle

        if len(cloudpickle.dumps(work)) < LARGE_STATE:
            return work
        return self.client.submit(_same, work, pure=False)

    def _submit(self, work: Any, task: ScanTask) -> Any:
        delayed = [getattr(segment, "parts", ()) for segment in task.segments]
        if any(delayed):
            dask = engine()
            hollow = replace(task, segments=tuple(_hollow(segment) for segment in task.segments))
            parts = [list(of_segment) for of_segment in delayed]
            return self.client.compute(dask.delayed(_work_on, pure=False)(work, hollow, parts), retries=0)
        return self.client.submit(_work_on, work, task, None, pure=False, retries=0)

    def _wait(self, running: dict[int, Running]) -> None:
        """Wait until a task is done; raise an error where no worker has been alive for too long."""
        import distributed

        wait: Any = distributed.wait
        futures = [future for one in running.values() for future in one.futures]
        with contextlib.suppress(TimeoutError):
            wait(futures, timeout=POLL, return_when="FIRST_COMPLETED")
        now = time.monotonic()
        alive = self.client.status == "running" and bool(self.client.scheduler_info(n_workers=-1)["workers"])
        if alive:
            self._alive = now
        elif now - self._alive > self.no_worker_seconds:
            kept = context.current().checkpoint
            resume = (
                f"the checkpoint {kept} resumes the fit" if kept is not None else "learnable.checkpoint would keep it"
            )
            raise ScaleError(
                f"no Dask worker has been alive for {self.no_worker_seconds:g} seconds while "
                f"{next(iter(running.values())).task.origin} was to be read; start workers and fit again ({resume})"
            )

    def _result(self, future: Any, one: Running, work: Any) -> list[Any] | None:
        """The nodes of a task that is done; None if it has to be done again."""
        if future.status == "finished":
            try:
                nodes: list[Any] = future.result(timeout=max(POLL, 30.0))
                return nodes
            except Exception as failure:  # its worker died before the result was fetched
                if type(failure).__module__.partition(".")[0] not in (
                    "distributed",
                    "builtins",
                    "asyncio",
                    "concurrent",
                ):
                    raise
        elif future.status == "error":
            reason = future.exception()
            if type(reason).__name__ == "KilledWorker":
                raise ScaleError(
                    f"{one.task.origin} ended every worker that read it (the last was {reason.last_worker}), as one "
                    "that needs more memory than a worker has; give the workers more memory, or scan smaller block_rows"
                ) from reason
            raise reason
        one.attempts += 1
        self.deaths += 1
        if one.attempts > self.retries + 1:
            raise ScaleError(f"{one.task.origin} was lost by {one.attempts - 1} workers; see the logs of the cluster")
        one.futures, one.since = [self._submit(work, one.task)], time.monotonic()
        return None

    def _resubmit_late(self, one: Running, work: Any, times: list[float]) -> None:
        """Give a task that takes far longer than others to another worker too; what is first counts."""
        late = times and time.monotonic() - one.since > max(SOON, LATE * median(times))
        if late and len(one.futures) == 1 and one.futures[0].status == "pending" and len(self.client.nthreads()) > 1:
            one.futures.append(self._submit(work, one.task))


def _same(value: Any) -> Any:
    return value


def _hollow(segment: Any) -> Any:
    """A segment without its parts, which the engine computes and hands over."""
    return segment.filled(()) if hasattr(segment, "filled") else segment


def _work_on(work: PassWork, task: ScanTask, parts: list[list[Any]] | None) -> list[Any]:
    """What a worker does."""
    if parts is not None:
        pairs = zip(task.segments, parts, strict=True)
        filled = (segment.filled(tuple(own)) if hasattr(segment, "filled") else segment for segment, own in pairs)
        task = replace(task, segments=tuple(filled))
    with threads(1):
        return work(task)
