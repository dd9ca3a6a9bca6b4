"""Studies of tables: `study` is all that is needed from Python."""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
