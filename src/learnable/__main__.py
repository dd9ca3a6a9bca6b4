"""`learnable` and `python -m learnable` are the command line."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

BUSIEST = 20  # seconds that pass at most while the processor works on this program for one


def main() -> None:
    """Run the command line; who ends it from outside gets what who interrupts it gets."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic() - _age()
    try:
        _command_line()(None, began)
    except KeyboardInterrupt:
        sys.exit(130)


def _age() -> float:
    """Seconds since this process began, many on a busy machine; 0 where the system does not report it.

    A shell that waits before it becomes this program takes no processor time meanwhile, and does not count.
    """
    with suppress(OSError):
        began = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]  # in ticks since the machine did
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(began) / os.sysconf("SC_CLK_TCK")
        return min(age, BUSIEST * time.process_time())
    return 0.0


def _command_line() -> Callable[[list[str] | None, float], None]:
    """What runs it, or words about what to install for it: the library alone does not bring its packages."""
    try:
        from .app.cli import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("learnable"):
            raise
        sys.exit(f"error: the command line needs {error.name}; install it with: pip install 'learnable[app]'")
    return run


if __name__ == "__main__":
    main()
