"""Several classes from two-class models: one against the rest, one against one, output codes."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
