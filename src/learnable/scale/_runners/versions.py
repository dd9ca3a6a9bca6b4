"""Workers must compute what the driver computes: the same version, and kernels for the same instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._version import __version__
from ...core import ScaleError
from ...core.runtime.native import kernels


def facts() -> tuple[str, str, str]:
    """Versions of this library and of NumPy, and the instruction set of the kernels in use."""
    return __version__, np.__version__, kernels.__name__.rpartition("_")[2]


def check_same(found: Mapping[Any, tuple[str, str, str]], worker: str) -> None:
    """Refuse workers whose results could differ in a bit from those of others."""
    here = facts()
    for address, there in found.items():
        if there[0] != here[0]:
            raise ScaleError(
                f"{worker} at {address} has learnable {there[0]}, and this process {here[0]}; install one version"
            )
        if there[2] != here[2]:
            lowest = min(here[2], there[2])
            raise ScaleError(
                f"{worker} at {address} uses kernels for {there[2]}, and this process for {here[2]}, whose sums differ "
                f"in their last bits; set LEARNABLE_SIMD={lowest} for all of them before they start"
            )
