"""`learnable` and `python -m learnable` are the command line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable


def main() -> None:
    """Run the command line; who ends it from outside gets what who interrupts it gets."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _command_line()()
    except KeyboardInterrupt:
        sys.exit(130)


def _command_line() -> Callable[[], None]:
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
