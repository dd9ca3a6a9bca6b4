"""One contender in its own process: `python -m benchmarks.child HOME TASK CONTENDER FOLDER THREADS`.

Prepares and warms up on the quick data, loads the data from FOLDER, then obeys lines on standard input:
`run` replies with the seconds of one call and the peak memory above the data, `measure` with the quality
figure of the last output.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from benchmarks import memory, store
from benchmarks.task import Contender, Data, Task
from benchmarks.threads import pin


def main() -> None:
    home, task_name, contender_name, folder, threads = sys.argv[1:]
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints must not reach the parent
    warnings.simplefilter("ignore")
    pin(int(threads))
    task = find(home, task_name)
    try:
        serve(task, task.contender(contender_name), Path(folder), int(threads), channel)
    except Exception as error:
        traceback.print_exc()
        say(channel, error=f"{type(error).__name__}: {error}", missing=isinstance(error, ImportError))


def find(home: str, name: str) -> Task:
    """The task of that name in the module's TASKS."""
    tasks: tuple[Task, ...] = importlib.import_module(home).TASKS
    return next(task for task in tasks if task.name == name)


def serve(task: Task, contender: Contender, folder: Path, threads: int, channel: TextIO) -> None:
    """Warm up, then execute commands until the input ends."""
    from threadpoolctl import threadpool_limits

    contender.prepare(task.data(quick=True))()
    limits = threadpool_limits(threads)  # kept: it restores the old limits when it is dropped
    data = store.load(folder)
    call = contender.prepare(data)
    say(channel, ready=True)
    raw = None
    for line in sys.stdin:
        if line.strip() == "run":
            raw = None
            seconds, above, raw = timed(call, task.calls, memory.PROBES[task.memory])
            say(channel, seconds=seconds, peak=above)
        else:
            say(channel, figure=measured(task, contender, data, raw))
    del limits


def timed(call: Callable[[], Any], calls: int, probe: memory.Probe) -> tuple[float, float, Any]:
    """Seconds for one call, the peak memory above what was in use before, and what the call returned."""
    before = probe.start()
    start = time.perf_counter()
    for _ in range(calls):
        raw = call()
    seconds = (time.perf_counter() - start) / calls
    return seconds, max(probe.peak() - before, 0.0), raw


def measured(task: Task, contender: Contender, data: Data, raw: Any) -> float:
    """The quality figure of an output; NaN when it is not finite."""
    figure = float(task.quality.measure(data, contender.read(raw)))
    return figure if math.isfinite(figure) else math.nan


def say(channel: TextIO, **message: Any) -> None:
    channel.write(json.dumps(message) + "\n")
    channel.flush()


if __name__ == "__main__":
    main()
