"""A real Dask cluster of processes for the tests of a module."""

from __future__ import annotations

import contextlib
import os
import signal
import time


@contextlib.contextmanager
def dask_cluster(workers: int, **options):
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0,
            silence_logs=50, **options,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        yield client


def kill_a_worker(client) -> int | None:
    """Kill one worker process by its id; None if none could be found alive."""
    for worker in client.scheduler_info(n_workers=-1)["workers"].values():
        pid = client.cluster.workers[worker["id"]].pid
        try:
            os.kill(pid, signal.SIGKILL)
        except (OSError, TypeError):
            continue
        return int(pid)
    return None


def is_gone(pid: int, seconds: float = 5.0) -> bool:
    """Whether a process ends within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
                if stat.read().split()[2] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False
