"""Passes over rows that are read in blocks, with the same bits however the blocks are distributed.

The rows are cut into leaves of a fixed number of rows, counted over the whole source. A pass summarises every leaf, and
the summaries are added along a fixed binary tree over the leaves: siblings alone are added, in order. Which worker
summarises which leaves, and when, changes nothing.

              0-3                 level 2
          /         \\
        0-1         2-3           level 1
       /   \\       /   \\
      0     1     2     3     4   level 0: leaves; the 4 has no sibling and is added to 0-3 at the end
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Protocol

from ..core import Estimator, Trace
from ..core.errors import BudgetError
from ..core.runtime import context
from ..core.runtime.threads import single_threaded_blas, threads
from ..core.validate.features import Array, Data
from ..core.validate.row_source import EXACT_SUMS

LEAF_ROWS = 65_536
LEAVES_PER_TASK = 16  # a power of two, so that a task gives one node of the tree


@dataclass(frozen=True, slots=True)
class RowBlock(Data):
    """Validated rows of a leaf: `numbers` counts them among all rows, `origin` is where they come from."""

    numbers: range | Array
    origin: str


class TrainingRows(Protocol):
    """The rows that an estimator learns from in passes: what its `_fit_blocks` is given.

    `first` is the first block, which shows the width, names and types of the columns and the number of targets.
    """

    @property
    def first(self) -> RowBlock:
        """The first block."""

    @property
    def n(self) -> int:
        """The number of rows; counting may take a pass over the source."""

    def total(self, summarise: Callable[..., Any], *state: Any) -> Any:
        """One pass: the sum of `summarise(block, *state)` over all blocks.

        The function and the state are sent to workers, so that both must be picklable, as is a function of a module, a
        partial of one or a method of a dataclass; summaries are what `added` can add.
        """


class FitsFirstBlock(Estimator):
    """An estimator that learns the columns alone, which one block shows."""

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        self._fit(rows.first, trace)  # type: ignore[attr-defined]  # of every role


class PartialSum(NamedTuple):
    """The sum of the summaries of the leaves [position 2^level, (position + 1) 2^level)."""

    level: int
    position: int
    value: Any


class PassTask(Protocol):
    """Consecutive leaves, which one worker reads and summarises."""

    @property
    def origin(self) -> str:
        """What errors call it: a file and its part."""

    def leaves(self) -> Iterator[tuple[int, Any]]:
        """The number of each leaf, and its rows as they were read."""


class Runner(Protocol):
    """Where tasks are done: threads of this process, or a cluster."""

    @property
    def workers(self) -> int:
        """How many tasks are done at once."""

    def run(self, work: PassWork, tasks: Iterable[PassTask]) -> Iterator[list[Any]]:
        """What `work` gives for each task, in any order."""


@dataclass(frozen=True)
class PassWork:
    """What is done with a task: `summarise(rows, *state)` of each leaf, summed along the tree."""

    summarise: Callable[..., Any]
    state: tuple[Any, ...] = ()

    def __call__(self, task: PassTask, stop: Callable[[], bool] = bool) -> list[PartialSum]:
        """The nodes of the tree that the leaves of `task` give; nothing if `stop` says so between two leaves."""
        tree = SummationTree()
        with single_threaded_blas():
            for number, rows in task.leaves():
                if stop():
                    return []
                tree.add(PartialSum(0, number, self.summarise(rows, *self.state)))
        return tree.nodes()


class SummationTree:
    """Nodes added in any order; siblings are merged as soon as both are there."""

    def __init__(self) -> None:
        self.waiting: dict[tuple[int, int], Any] = {}

    def add(self, node: PartialSum) -> None:
        """Add a node, and merge it with its sibling, their parent with its own, and so on."""
        level, index, value = node
        while (level, index ^ 1) in self.waiting:
            sibling = self.waiting.pop((level, index ^ 1))
            value = added(value, sibling) if index % 2 == 0 else added(sibling, value)
            level, index = level + 1, index // 2
        self.waiting[level, index] = value

    def nodes(self) -> list[PartialSum]:
        """The nodes without a sibling, in the order of their leaves."""
        origins = sorted(self.waiting, key=lambda origin: origin[1] << origin[0])
        return [PartialSum(*origin, self.waiting[origin]) for origin in origins]

    def total(self) -> Any:
        """The sum of all leaves: what has no sibling is added from the last on."""
        *before, total = [node.value for node in self.nodes()] or [None]
        for value in reversed(before):
            total = added(value, total)
        return total


def added(first: Any, second: Any) -> Any:
    """The sum of two summaries: of tuples, lists and dicts that of their entries; None is nothing."""
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, dict):
        return {key: added(first.get(key), second.get(key)) for key in [*first, *(second.keys() - first.keys())]}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(added, first, second))
    if isinstance(first, (list, tuple)):
        return type(first)(map(added, first, second))
    return first + second


class LocalRunner:
    """Runner of this process: as many threads as `learnable.threads` allows, each with its own task."""

    @property
    def workers(self) -> int:
        """How many tasks are done at once."""
        return context.thread_count()

    def run(self, work: PassWork, tasks: Iterable[PassTask]) -> Iterator[list[Any]]:
        """What `work` gives for each task; at most two tasks per thread wait at a time."""
        given, stopped = iter(tasks), threading.Event()
        count = self.workers
        pool = ThreadPoolExecutor(count, thread_name_prefix="learnable-scan")
        running: set[Future[list[Any]]] = set()
        try:
            while True:
                for task in islice(given, count + 1 - len(running)):
                    here = contextvars.copy_context()
                    running.add(pool.submit(here.run, _work_alone, work, task, stopped.is_set))
                if not running:
                    return
                done, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                give_way()
                for future in done:
                    yield future.result()
        finally:
            stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _work_alone(work: PassWork, task: PassTask, stop: Callable[[], bool]) -> list[Any]:
    with threads(1):
        return work(task, stop)


def give_way() -> None:
    """End a pass whose budget is used up."""
    if context.reason_to_stop() == "budget":
        raise BudgetError("the budget ended before a pass over the rows was complete")


_runner: ContextVar[Runner | None] = ContextVar("learnable_runner", default=None)


def exact_sums() -> bool:
    """Whether sums are to be free of rounding errors, where a method has such sums."""
    return EXACT_SUMS.get()


def set_runner(runner: Runner, exact: bool) -> tuple[Any, Any]:
    """Put a runner in force; `reset_runner` takes what is returned."""
    return _runner.set(runner), EXACT_SUMS.set(exact)


def reset_runner(tokens: tuple[Any, Any]) -> None:
    """Put the runner in force that was so before."""
    _runner.reset(tokens[0])
    EXACT_SUMS.reset(tokens[1])


def current_runner() -> Runner:
    """The runner in force."""
    return _runner.get() or LocalRunner()


def total(summarise: Callable[..., Any], state: tuple[Any, ...], tasks: Iterable[PassTask]) -> Any:
    """The sum over all leaves of `summarise(rows, *state)`, by the runner in force."""
    tree = SummationTree()
    for nodes in current_runner().run(PassWork(summarise, state), tasks):
        for node in nodes:
            tree.add(node)
    return tree.total()


def leaves_per_task(leaves: int, workers: int) -> int:
    """Leaves per task: a power of two of at most LEAVES_PER_TASK that leaves four tasks for each worker."""
    most = max(1, min(LEAVES_PER_TASK, leaves // (4 * workers)))
    return 1 << (most.bit_length() - 1)
