"""How long something takes where others use the machine too."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MINUTES = 240.0  # in seconds, after which a test has failed
SLOWER = 8 if "asan" in os.environ.get("LD_PRELOAD", "") else 1  # factor of time with sanitizers


class Clock:
    """Wall time, or processor time where the machine is busy with others: whichever is shorter."""

    def __init__(self) -> None:
        self.wall, self.processor = time.perf_counter(), time.process_time()

    def seconds(self) -> float:
        return min(time.perf_counter() - self.wall, time.process_time() - self.processor)


class Held:
    """A call that ends when it is released, or by itself after minutes: `ended` says that, whatever the clock shows."""

    def __init__(self) -> None:
        self.released, self.ended = threading.Event(), False

    def __call__(self) -> None:
        self.ended = not self.released.wait(MINUTES) or self.ended


@contextmanager
def held_call() -> Iterator[Held]:
    """A call that something else must cut short, released at last."""
    call = Held()
    try:
        yield call
        assert not call.ended, "nothing cut the call short"
    finally:
        call.released.set()


def shortest(attempt: Callable[[], float], limit: float) -> float:
    """What the best of up to three attempts took, none after one within the limit: others may hold up a single one."""
    taken = math.inf
    for _ in range(3):
        taken = min(taken, attempt())
        if taken <= limit:
            break
    return taken
