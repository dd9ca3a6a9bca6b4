"""`learnable` and `python -m learnable` are the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, or say what to install for it: the library alone does not bring its packages."""
    try:
        from .app.cli import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("learnable"):
            raise
        sys.exit(f"error: the command line needs {error.name}; install it with: pip install 'learnable[app]'")
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
