"""Manifold learning: maps of the rows in few dimensions, and how faithful they are."""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
