"""Layers of neural networks, as values that are declared: sizes, and no weights."""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
