"""What a reader must know about the machine and the peers on it."""

from __future__ import annotations

import os
import platform
import time
from importlib import metadata
from pathlib import Path
from typing import Any

PEERS = {
    "learnable": "learnable",
    "numpy": "numpy",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
    "sklearnex": "scikit-learn-intelex",
    "celer": "celer",
    "skglm": "skglm",
    "glum": "glum",
    "statsmodels": "statsmodels",
    "lightgbm": "lightgbm",
    "xgboost": "xgboost",
    "catboost": "catboost",
}


def machine() -> dict[str, Any]:
    """What a reader must know to compare."""
    return {"processor": _processor(), "cores": os.cpu_count(), "python": platform.python_version()}


def versions() -> dict[str, str | None]:
    """The version of each peer, None where it is not installed."""
    return {name: _version(distribution) for name, distribution in PEERS.items()}


def busy(seconds: float = 0.5) -> float:
    """How many processors others keep busy while this one waits; 0 where the system does not say."""
    try:
        before = _ticks()
        time.sleep(seconds)
        after = _ticks()
    except OSError:
        return 0.0
    total = sum(after) - sum(before)
    idle = sum(after[3:5]) - sum(before[3:5])  # idle, and waiting for a disk
    return (os.cpu_count() or 1) * (1 - idle / total) if total else 0.0


def _ticks() -> list[int]:
    line = Path("/proc/stat").read_text().splitlines()[0]
    return [int(number) for number in line.split()[1:9]]


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
