"""Resident memory in megabytes, now and at its peak."""

from __future__ import annotations

import ctypes
import gc
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Probe:
    """start says what is in use and forgets the old peak; peak says the most that was in use since then."""

    start: Callable[[], float]
    peak: Callable[[], float]


def start_here() -> float:
    """Give back what is free, then measure this process. Linux only; not a number elsewhere."""
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        RESET.write_text("5")
    except (OSError, AttributeError):
        return math.nan
    return read("VmRSS")


def peak_here() -> float:
    """The high-water mark of this process."""
    return read("VmHWM") if STATUS.exists() else math.nan


def peak_of_children() -> float:
    """The largest peak among the finished children of this process."""
    import resource

    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / unit


def read(field: str) -> float:
    """A line of the kernel's account of this process."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


PROBES = {"here": Probe(start_here, peak_here), "children": Probe(lambda: 0.0, peak_of_children)}
