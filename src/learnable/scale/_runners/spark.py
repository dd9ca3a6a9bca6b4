"""Passes on Spark: the tasks are the elements of a distributed collection, which Spark maps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from ...core import ScaleError
from ...core.errors import LearnableError
from ...core.runtime.threads import threads
from ...engines.passes import PassWork, give_way
from .._task import ScanTask
from .versions import check_same, facts

AT_ONCE = 16  # tasks in a job, for each processor


class SparkRunner:
    """Runner on the executors of a Spark session."""

    def __init__(self, session: Any) -> None:
        self.context = session.sparkContext
        found = self.context.parallelize(range(self.workers), self.workers).map(_facts_of).collect()
        check_same(dict(enumerate(found)), "a Spark executor")

    @property
    def workers(self) -> int:
        """Tasks that Spark does at once."""
        return max(1, int(self.context.defaultParallelism))

    def run(self, work: PassWork, tasks: Iterable[Any]) -> Iterator[list[Any]]:
        """What `work` gives for each task; a job of Spark does a number of them."""
        given = iter(tasks)
        while job := list(islice(given, AT_ONCE * self.workers)):
            results = self.context.parallelize(job, len(job)).map(partial(results_of, work)).collect()
            give_way()
            for nodes, error in results:
                if error is not None:
                    raise error if isinstance(error, LearnableError) else ScaleError(f"a Spark task failed: {error!r}")
                yield nodes


def results_of(work: PassWork, task: ScanTask) -> tuple[list[Any], Exception | None]:
    """What an executor does; errors of the data are results, which Spark would only repeat."""
    try:
        with threads(1):
            return work(task), None
    except LearnableError as error:
        return [], error


def _facts_of(_: int) -> tuple[str, str, str]:
    return facts()
