"""Columns made ready for learning: scales, codes, bins, powers and expansions."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
