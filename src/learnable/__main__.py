"""`python -m learnable` is the command line."""

from .app.cli import main

if __name__ == "__main__":
    main()
