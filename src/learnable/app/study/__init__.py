"""Automatic model comparison: `study` is the entry point from Python."""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
