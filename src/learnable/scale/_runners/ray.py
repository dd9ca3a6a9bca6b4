"""Passes on Ray: pure tasks, which Ray does again where a worker dies."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...core import ScaleError
from ...core.runtime.threads import threads
from ...engines.passes import PassWork, give_way
from .._task import ScanTask
from .versions import check_same, facts

POLL = 0.2  # seconds between inspections
AT_ONCE = 4  # tasks submitted for each processor at a time


class RayRunner:
    """Runner on the Ray cluster that this process is connected to."""

    def __init__(self, retries: int, no_worker_seconds: float) -> None:
        import ray

        if not ray.is_initialized():
            raise ScaleError("on: Ray is not running; call ray.init() first")
        self.ray, self.no_worker_seconds = ray, no_worker_seconds
        self.work = ray.remote(max_retries=retries)(work_on)
        check_same({"a worker": ray.get(ray.remote(facts).remote())}, "a Ray worker")

    @property
    def workers(self) -> int:
        """Processors of the cluster."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def run(self, work: PassWork, tasks: Iterable[Any]) -> Iterator[list[Any]]:
        """What `work` gives for each task, as they are done."""
        ray, given = self.ray, iter(tasks)
        sent, running = ray.put(work), dict[Any, ScanTask]()
        alive = time.monotonic()
        try:
            while True:
                for task in islice(given, max(0, AT_ONCE * self.workers - len(running))):
                    running[self.work.remote(sent, task)] = task
                if not running:
                    return
                done, _ = ray.wait(list(running), num_returns=1, timeout=POLL)
                give_way()
                if any(node["Alive"] for node in ray.nodes()):
                    alive = time.monotonic()
                elif time.monotonic() - alive > self.no_worker_seconds:
                    raise ScaleError(f"no Ray node has been alive for {self.no_worker_seconds:g} seconds; fit again")
                for ref in done:
                    yield self._result(ref, running.pop(ref))
        finally:
            for ref in running:
                ray.cancel(ref, force=False)

    def _result(self, ref: Any, task: ScanTask) -> list[Any]:
        exceptions = self.ray.exceptions
        try:
            nodes: list[Any] = self.ray.get(ref)
        except exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except (exceptions.WorkerCrashedError, exceptions.OutOfMemoryError) as error:
            raise ScaleError(
                f"{task.origin} ended every worker that read it; give the workers more memory, or scan smaller "
                "block_rows"
            ) from error
        return nodes


def work_on(work: PassWork, task: ScanTask) -> list[Any]:
    """What a worker does."""
    with threads(1):
        return work(task)
