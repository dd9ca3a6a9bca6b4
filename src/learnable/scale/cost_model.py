"""A cost model of fits in passes: from a sample to all rows, and from one machine to many."""

from __future__ import annotations

import heapq
import math
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError
from ..engines.passes import LEAF_ROWS, LEAVES_PER_TASK

FAN_IN = 8  # summaries that are added at once on their way to the driver
HOUR = 3600.0


class SimulatedFit(NamedTuple):
    """Means over the runs of a simulation: seconds of a fit, machines that died, and the fraction of work lost."""

    seconds: float
    deaths: float
    work_lost: float


@dataclass(frozen=True)
class CostModel:
    """What a fit in passes costs, by its parts.

    seconds = start + passes (max(rows seconds_per_row / threads, tasks seconds_per_task) + last task + tree)

    `start_seconds` are spent once; `seconds_per_row` is the time of one thread to read and sum a row; the driver hands
    out a task in `seconds_per_task`; the tree takes log_8(tasks) steps of `latency` and eight summaries of
    `summary_bytes` at `network` bytes a second. It assumes that storage and decoding keep up with all threads.

    >>> model = CostModel(seconds_per_row=5e-7)
    >>> round(model.seconds(10**9, threads=1)), round(model.seconds(10**9, threads=100))
    (500, 5)
    """

    seconds_per_row: float
    start_seconds: float = 0.0
    passes: int = 1
    summary_bytes: float = 4096.0
    seconds_per_task: float = 1e-3
    latency: float = 0.01
    network: float = 1e8
    rows_per_task: int = LEAF_ROWS * LEAVES_PER_TASK

    @classmethod
    def measured(
        cls, fit: Callable[[Any], Any], samples: Sequence[tuple[int, Any]], *, repeats: int = 3, **more: Any
    ) -> CostModel:
        """The model that fits the seconds of `fit(rows)` for some samples of known numbers of rows, on one thread.

        Give two or three samples of different size, that take some tenths of a second each; the fastest of `repeats`
        fits counts. `more` are the other fields, such as the passes of the fit.
        """
        if len({rows for rows, _ in samples}) < 2:
            raise DataError("CostModel.measured needs samples of at least two sizes")
        seconds = [min(_seconds_of(fit, sample) for _ in range(repeats)) for _, sample in samples]
        rows = np.array([count for count, _ in samples], dtype=np.float64)
        per_row, start = np.polyfit(rows, seconds, 1)
        if not per_row > 0:
            raise DataError("CostModel.measured: a larger sample took no longer; give larger samples")
        passes = int(more.get("passes", 1))
        return cls(seconds_per_row=float(per_row) / passes, start_seconds=max(float(start), 0.0), **more)

    def tasks(self, rows: int) -> int:
        """The number of tasks of a pass."""
        return -(-rows // self.rows_per_task)

    def seconds(self, rows: int, threads: int = 1) -> float:
        """The predicted seconds of a fit, without failures."""
        tasks = self.tasks(rows)
        work = rows * self.seconds_per_row
        busiest = max(work / min(threads, tasks), tasks * self.seconds_per_task)
        return self.start_seconds + self.passes * (busiest + self._tree_seconds(tasks))

    def _tree_seconds(self, tasks: int) -> float:
        levels = math.ceil(math.log(tasks, FAN_IN)) if tasks > 1 else 0
        return levels * (self.latency + FAN_IN * self.summary_bytes / self.network)

    def simulate(
        self,
        rows: int,
        machines: int,
        threads: int = 1,
        *,
        hours_between_failures: float = 1000.0,
        stragglers: float = 0.25,
        seconds_down: float = 65.0,
        runs: int = 5,
        seed: int = 0,
    ) -> SimulatedFit:
        """Simulate fits on `machines` of `threads` each that die and come back, and with tasks of unequal length.

        Lengths of tasks are lognormal with the deviation `stragglers` of their logarithm. A machine dies at random,
        once in `hours_between_failures` on average; its tasks are lost and begin again elsewhere, and it is back
        after `seconds_down`. The driver hands out one task after the other.

        >>> CostModel(seconds_per_row=5e-7).simulate(10**8, 2, runs=1).deaths
        0.0
        """
        between = hours_between_failures * HOUR
        parts = [
            self._simulated_pass(rows, machines, threads, between, stragglers, seconds_down, draws)
            for draws in np.random.default_rng(seed).spawn(runs)
        ]
        seconds, deaths, lost = (float(value) for value in np.mean(parts, axis=0))
        return SimulatedFit(self.start_seconds + self.passes * seconds, self.passes * deaths, lost)

    def _simulated_pass(
        self, rows: int, machines: int, threads: int, between: float, stragglers: float, down: float, draws: Any
    ) -> tuple[float, float, float]:
        """Seconds of a pass, machines that died in it, and the fraction of the work that was lost."""
        tasks = self.tasks(rows)
        length = rows / tasks * self.seconds_per_row
        lengths = length * draws.lognormal(-(stragglers**2) / 2, stragglers, tasks)
        horizon = 2 * tasks * (length / (machines * threads) + self.seconds_per_task) + 2 * length
        failures = _failures(machines, between, horizon, draws)
        free = [(0.0, worker) for worker in range(machines * threads)]
        waiting, handed_out, end, lost = lengths.tolist(), 0.0, 0.0, 0.0
        while waiting:
            task = waiting.pop()
            ready, worker = heapq.heappop(free)
            begin = handed_out = max(ready, handed_out + self.seconds_per_task)
            deaths = failures[worker // threads]
            position = bisect_right(deaths, begin)
            if position and begin < deaths[position - 1] + down:  # it is not back yet
                waiting.append(task)
                heapq.heappush(free, (deaths[position - 1] + down, worker))
                continue
            if position < len(deaths) and deaths[position] < begin + task:
                lost += deaths[position] - begin
                waiting.append(task)
                heapq.heappush(free, (deaths[position] + down, worker))
                continue
            end = max(end, begin + task)
            heapq.heappush(free, (begin + task, worker))
        died = sum(bisect_right(deaths, end) for deaths in failures)
        return end + self._tree_seconds(tasks), died, lost / float(lengths.sum())


def _seconds_of(fit: Callable[[Any], Any], sample: Any) -> float:
    begun = time.perf_counter()
    fit(sample)
    return time.perf_counter() - begun


def _failures(machines: int, between: float, horizon: float, draws: Any) -> list[list[float]]:
    """The times at which each machine dies."""
    times: list[list[float]] = []
    for _ in range(machines):
        count = int(draws.poisson(horizon / between))
        moments: Array = np.sort(draws.uniform(0, horizon, count))
        times.append(moments.tolist())
    return times
