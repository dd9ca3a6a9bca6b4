"""Loads the compiled kernels at the best instruction-set level this processor can run.

The environment variable LEARNABLE_SIMD (base, v3 or v4) forces a level.
"""

import importlib
import importlib.util
import os
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["kernels"]

LEVELS = ("v4", "v3", "base")


def _built(level: str) -> bool:
    return importlib.util.find_spec(f"learnable._core_{level}") is not None


def _choose() -> str:
    """Return the level to load: the requested one, or the best of those built that the processor can run."""
    from learnable import _cpu

    runnable = LEVELS[LEVELS.index(_cpu.best_level()) :]
    requested = os.environ.get("LEARNABLE_SIMD", "")
    if requested and requested not in runnable:
        raise ImportError(f"LEARNABLE_SIMD={requested!r}: this processor can run {', '.join(runnable)}.")
    for level in [requested] if requested else runnable:
        if _built(level):
            return level
    raise ImportError("The compiled kernels are missing: install the package with `pip install .`.")


def _load() -> ModuleType:
    return importlib.import_module(f"learnable._core_{_choose()}")


if TYPE_CHECKING:
    from learnable.core.runtime import _kernels as kernels
else:
    kernels = _load()
