"""Models ready for use: what they expect of a table, how sure their answers are, what is strange in a row."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
